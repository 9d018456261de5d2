import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { PassThrough, Readable } from "node:stream";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { main } from "../../src/cli/main.ts";
import { hasHiddenText } from "../../src/kernel/text.ts";
import { scripted, temporaryFolder } from "../servers/servers.ts";
import { type CliResult, makeWorkspace, runCli, writeFiles } from "./run-cli.ts";
import { trustHome } from "./trust-config.ts";

/** A title that is set, a link, the clipboard, a C1 control, a turned reading direction, a zero-width space. */
const EVIL =
  "\u001b]0;x\u0007\u001b]8;;http://x.test\u0007c\u001b]52;c;YQ==\u0007\r\u009b31m\u202ee\u202c\u200b";

const object = { type: "object" };
const tools = [
  {
    name: "odd\u001b[2J",
    title: EVIL,
    description: EVIL,
    inputSchema: { ...object, properties: { [EVIL]: { type: "string", description: EVIL } } },
  },
  ...["fail", "refuse", "text", "value", "die"].map((name) => ({ name, inputSchema: object })),
];
const answers = {
  fail: { text: EVIL, isError: true },
  refuse: { error: { code: -5, message: EVIL } },
  text: { text: EVIL },
  value: { result: { content: [], structuredContent: { [EVIL]: EVIL } } },
  die: { exit: 3 },
};
const servers = {
  evil: scripted({ tools, answers, stderr: EVIL, banner: [EVIL], serverInfo: { name: EVIL, version: EVIL } }),
  [`k${EVIL}`]: scripted({ tools }),
  refused: scripted({ initialize: { error: { code: -1, message: EVIL } } }),
  unlisted: scripted({ listError: { code: -1, message: EVIL } }),
  dead: scripted({ exitAtOnce: 3, stderr: EVIL }),
};
const scripts = {
  "prints.ts": `import * as evil from "./servers/evil";
for (const level of ["log", "info", "warn", "error"]) console[level](await evil.text({}));
export default await evil.value({});`,
  "fails.ts": 'import * as evil from "./servers/evil"; await evil.fail({});',
  "dies.ts": 'import * as evil from "./servers/evil"; await evil.die({});',
};

/** The program as it behaves where both streams are terminals. */
async function onTerminal(root: string, argv: readonly string[]): Promise<CliResult> {
  const read = (stream: PassThrough): (() => string) => {
    let text = "";
    stream.setEncoding("utf8").on("data", (chunk: string) => {
      text += chunk;
    });
    return () => text;
  };
  const [stdout, stderr] = [new PassThrough(), new PassThrough()];
  const [out, err] = [read(stdout), read(stderr)];
  const code = await main(argv, {
    stdout,
    stderr,
    stdin: Readable.from([]),
    env: { ...process.env, NO_COLOR: "1", MCPFS_HOME: trustHome(root) },
    cwd: root,
    platform: process.platform,
    homeDir: homedir(),
    // No progress line, which moves the cursor on purpose.
    isTerminal: false,
    isOutputTerminal: true,
    signal: new AbortController().signal,
  });
  await new Promise((resolve) => setImmediate(resolve));
  return { code, stdout: out(), stderr: err() };
}

describe("nothing that a server writes reaches a terminal as a control or hidden character", () => {
  const folder = temporaryFolder();
  beforeAll(async () => {
    writeFiles(folder.path, { "mcpfs.json": { mcpServers: servers }, ...scripts });
    await runCli(folder.path, ["sync"]);
  }, 60_000);
  afterAll(() => folder[Symbol.dispose]());

  test.each<[readonly string[]]>([
    [["sync"]],
    [["--json", "sync"]],
    [["ls"]],
    [["--json", "ls"]],
    [["search", "evil", "--detail", "full"]],
    [["show", "evil__odd__2J"]],
    [["call", "evil/fail"]],
    [["call", "evil/refuse"]],
    [["call", "evil/text"]],
    [["call", "evil/value"]],
    [["--json", "call", "evil/value"]],
    [["exec", "prints.ts"]],
    [["--json", "exec", "prints.ts"]],
    [["exec", "fails.ts"]],
    [["exec", "dies.ts"]],
  ])("%j", async (argv) => {
    const { stdout, stderr } = await onTerminal(folder.path, argv);
    expect(stdout + stderr).not.toBe("");
    expect(hasHiddenText(stdout)).toBe(false);
    expect(hasHiddenText(stderr)).toBe(false);
  });

  test("in a pipe a value is exact, and messages are visible all the same", async () => {
    const call = await runCli(folder.path, ["call", "evil/text"]);
    expect(call.stdout).toBe(`${EVIL}\n`);
    expect(hasHiddenText(call.stderr)).toBe(false);
    expect(hasHiddenText((await runCli(folder.path, ["ls"])).stdout)).toBe(false);
  });

  test("JSON on a terminal is still JSON, with the same meaning", async () => {
    const { stdout } = await onTerminal(folder.path, ["--json", "call", "evil/value"]);
    expect(JSON.parse(stdout).value).toEqual({ [EVIL]: EVIL });
  });

  test("nothing of a server stands in AGENTS.md", () => {
    const text = readFileSync(join(folder.path, "AGENTS.md"), "utf8");
    expect(hasHiddenText(text)).toBe(false);
    expect(text).not.toMatch(/evil|x\.test/);
  });
});

/** All files below a folder as one text. */
function everything(folder: string): string {
  return readdirSync(folder, { recursive: true, encoding: "utf8" })
    .map((name) => join(folder, name))
    .filter((path) => statSync(path).isFile())
    .map((path) => readFileSync(path, "utf8"))
    .join("\n");
}

describe("a value of the config that a server echoes is hidden wherever mcpfs writes or prints it", () => {
  const folder = temporaryFolder();
  const leak = 'tok SEKRET-1 num 80808080 quoted SEK"RET\\3 arg SEKRET-2';
  const leaking = {
    tools: ["fail", "refuse", "text", "value", "die"].map((name) => ({
      name,
      description: leak,
      inputSchema: {
        ...object,
        description: leak,
        properties: { a: { type: "string", default: "SEKRET-1" } },
      },
    })),
    answers: {
      fail: { text: leak, isError: true },
      refuse: { error: { code: -5, message: leak } },
      text: { text: leak },
      value: { raw: `{"content":[],"structuredContent":{"SEKRET-1":${JSON.stringify(leak)},"id":80808080}}` },
      die: { exit: 3 },
    },
    stderr: leak,
    banner: [leak],
  };
  beforeAll(async () => {
    const { command, args } = scripted({});
    const server = (spec: string): unknown => ({
      command,
      args: [args[0], spec, "--token", "SEKRET-2"],
      env: { TOKEN: "SEKRET-1", NUMBER: "80808080", QUOTED: 'SEK"RET\\3' },
    });
    writeFiles(folder.path, {
      "w/leaking.json": leaking,
      "w/refused.json": { initialize: { error: { code: -1, message: leak } } },
      "w/dead.json": { exitAtOnce: 3, stderr: leak },
    });
    await makeWorkspace(join(folder.path, "w"), { ok: server("leaking.json") });
    writeFiles(join(folder.path, "w"), {
      "mcpfs.json": {
        mcpServers: {
          ok: server("leaking.json"),
          refused: server("refused.json"),
          dead: server("dead.json"),
        },
      },
      "all.ts": `import * as ok from "./servers/ok";
const out: unknown[] = [];
for (const f of [ok.fail, ok.refuse, ok.die, ok.text, ok.value] as any[]) {
  try { out.push(await f({})); } catch (e: any) { out.push({ m: e.message, h: e.hint, c: e.content }); }
  console.log(out.at(-1), JSON.stringify(out.at(-1)));
}
export default out;`,
      "throws.ts": `import * as ok from "./servers/ok";
const error: any = new Error(await ok.text({})); error.hint = error.message; error.code = "TOOL_ERROR"; throw error;`,
    });
  }, 60_000);
  afterAll(() => folder[Symbol.dispose]());

  test.each<[readonly string[], number]>([
    [["sync"], 3],
    [["sync", "--check"], 3],
    [["show", "ok/text"], 0],
    [["call", "ok/fail"], 1],
    [["call", "ok/refuse"], 1],
    [["call", "ok/text"], 0],
    [["call", "ok/value"], 0],
    [["call", "ok/die"], 1],
    [["exec", "all.ts"], 0],
    [["exec", "throws.ts"], 1],
  ])(
    "%j",
    async (args, code) => {
      const root = join(folder.path, "w");
      for (const argv of [args, ["--json", ...args]]) {
        const ended = await runCli(root, argv, { env: { MCPFS_DEBUG: "1" } });
        expect(ended.stdout + ended.stderr).not.toMatch(/SEKRET|SEK\\*"RET|80808080/);
        expect(ended.code).toBe(code);
      }
      for (const place of ["servers", ".mcpfs", "skills"])
        expect(everything(join(root, place))).not.toMatch(/SEKRET|SEK\\*"RET|80808080/);
      for (const file of ["mcpfs.lock.json", "mcpfs.learned.json"])
        if (existsSync(join(root, file)))
          expect(readFileSync(join(root, file), "utf8")).not.toMatch(/SEKRET|80808080/);
    },
    60_000,
  );

  test("every line of every journal is JSON", () => {
    const runs = join(folder.path, "w/.mcpfs/runs");
    for (const run of readdirSync(runs)) {
      const lines = readFileSync(join(runs, run, "journal.jsonl"), "utf8")
        .trim()
        .split("\n");
      for (const line of lines) expect(() => JSON.parse(line)).not.toThrow();
    }
  });
});
