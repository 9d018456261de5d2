// The workspace of the chaos run and its ten servers: makes them, edits the config as people and programs do, and says what the
// tree has to be.
import { fork } from "node:child_process";
import { mkdirSync, readFileSync, renameSync, unlinkSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { pick } from "../fidelity/random.mjs";
import { DO, extraTool, readExtras, writeExtras } from "./tools.mjs";

const serverFile = fileURLToPath(new URL("server.mjs", import.meta.url));
const KINDS = [
  "stdio",
  "stdio",
  "stdio",
  "stdio",
  "stdio-modern",
  "stdio-modern",
  "http",
  "http",
  "http-modern",
  "http-modern",
];
/** The journals are what calls are judged by. */
const KEEPS_ALL = { keepRuns: 1_000_000 };
/** Longer than a start takes on a machine with other work, and short enough for calls that are never answered. */
const TIMEOUT_MS = 5_000;

/** Makes the workspace below `base` and starts the servers that listen on a port. */
export async function createChaosWorkspace(base, random) {
  const root = join(base, "workspace");
  const state = join(base, "state");
  for (const folder of [root, state]) mkdirSync(folder);
  const logFile = join(state, "calls.log");
  writeFileSync(logFile, "");
  const servers = [];
  for (const [number, kind] of KINDS.entries()) {
    const name = `s${number}`;
    const listFile = join(state, `${name}.json`);
    writeExtras(listFile, { [`extra_${number % 4}`]: 1 });
    const port = kind.startsWith("http") ? await freePort() : undefined;
    servers.push({
      name,
      kind,
      listFile,
      port,
      isOff: false,
      isRemoved: false,
      revision: 0,
      process: undefined,
    });
  }

  const args = ({ name, kind, listFile, port }) => [
    name,
    kind,
    listFile,
    logFile,
    ...(port ? [String(port)] : []),
  ];
  let isClosing = false;
  /** A server on a port is started again when it ended, as its keeper would. */
  const listenOn = (server) =>
    new Promise((resolve) => {
      const child = fork(serverFile, args(server), { stdio: ["ignore", "ignore", "inherit", "ipc"] });
      server.process = child;
      child.once("message", resolve);
      child.once("exit", async () => {
        await pause(100 + random() * 900);
        if (!isClosing) void listenOn(server);
      });
    });
  await Promise.all(servers.filter(({ port }) => port !== undefined).map(listenOn));

  const configText = () => {
    const entries = servers
      .filter(({ isRemoved }) => !isRemoved)
      .map((server) => {
        const { name, port, isOff, revision } = server;
        const way =
          port === undefined
            ? { command: process.execPath, args: [serverFile, ...args(server), `revision-${revision}`] }
            : { url: `http://127.0.0.1:${port}/`, headers: { "x-revision": String(revision) } };
        return [name, { ...way, timeoutMs: TIMEOUT_MS, ...(isOff && { enabled: false }) }];
      });
    return `${JSON.stringify({ policy: "open", runs: KEEPS_ALL, mcpServers: Object.fromEntries(entries) }, null, 2)}\n`;
  };
  const path = join(root, "mcpfs.json");
  const write = (text) => writeFileSync(path, text);
  const replace = (text) => {
    writeFileSync(`${path}.edit`, text);
    renameSync(`${path}.edit`, path);
  };
  write(configText());

  const edits = {
    off: (server) => {
      server.isOff = !server.isOff && servers.filter(({ isOff }) => isOff).length < 1;
    },
    remove: (server) => {
      server.isRemoved = !server.isRemoved && servers.filter(({ isRemoved }) => isRemoved).length < 1;
    },
    reconfigure: (server) => {
      server.revision += 1;
    },
  };
  const saves = [
    async () => write(configText()),
    async () => replace(configText()),
    async () => {
      const text = configText();
      write(text.slice(0, text.length / 2));
      await pause(200);
      write(text);
    },
    async () => {
      unlinkSync(path);
      await pause(300);
      replace(configText());
    },
  ];

  return {
    root,
    logFile,
    servers,
    /** Edits one entry and saves the file, in one of the ways in which files are saved. */
    edit: async () => {
      pick(random, Object.values(edits))(pick(random, servers));
      await pick(random, saves)();
    },
    /** Back to a config with all servers on. */
    restore: () => {
      for (const server of servers) Object.assign(server, { isOff: false, isRemoved: false });
      replace(configText());
    },
    /** Servers whose definitions in the tree are not what they list. */
    untrue: () =>
      servers.filter(({ name, listFile }) => {
        const wanted = [DO, ...Object.entries(readExtras(listFile)).map((extra) => extraTool(...extra))];
        return JSON.stringify(textsOf(wanted)) !== JSON.stringify(textsOf(definitionsIn(root, name)));
      }),
    close: () => {
      isClosing = true;
      for (const { process: child } of servers) child?.kill("SIGKILL");
    },
  };
}

const textsOf = (tools) => tools.map(({ name, description }) => `${name} ${description}`).sort();

function definitionsIn(root, folder) {
  try {
    return JSON.parse(readFileSync(join(root, "servers", folder, ".definitions.json"), "utf8")).tools;
  } catch {
    return [];
  }
}

function freePort() {
  return new Promise((resolve) => {
    const probe = createServer().listen(0, "127.0.0.1", () => {
      const { port } = probe.address();
      probe.close(() => resolve(port));
    });
  });
}
