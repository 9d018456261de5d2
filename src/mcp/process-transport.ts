import { type ChildProcess, spawn } from "node:child_process";
import { accessSync, constants, statSync } from "node:fs";
import type { JSONRPCMessage, Transport } from "@modelcontextprotocol/client";
import { McpfsError, systemCode } from "../kernel/errors.ts";
import { stringifyJson } from "../kernel/json.ts";
import type { Log } from "../kernel/log.ts";
import { settlesWithin } from "../kernel/wait.ts";
import type { ServerName } from "../model/names.ts";
import type { Transport as TransportConfig } from "../model/server-entry.ts";
import { type CommandLine, findCommand } from "./command-line.ts";
import { createLineReader } from "./line-reader.ts";
import { createStrayLines, parseMessages } from "./messages.ts";
import { createOutputTail } from "./output-tail.ts";
import type { ProcessTable } from "./process-table.ts";
import { endProcessTree, endRemnants } from "./process-tree.ts";
import type { Reaper } from "./reaper.ts";
import { serverEnvironment } from "./server-environment.ts";

/** What a stdio server needs to be started. */
export interface ProcessOptions {
  readonly server: ServerName;
  readonly config: Extract<TransportConfig, { kind: "stdio" }>;
  readonly log: Log;
  readonly reaper: Reaper;
  readonly table: ProcessTable;
  readonly platform: NodeJS.Platform;
}

/** How a process ended; both are `null` where it never started. */
export interface ProcessExit {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

/** A server's process as a transport of the SDK, with what is needed to explain its end. */
export interface ProcessTransport extends Transport {
  /** `undefined` while it runs; `code` or `signal` once it ended. */
  readonly exit: () => ProcessExit | undefined;
  /** True as soon as it ended, false when it still runs after `ms` milliseconds. */
  readonly hasEnded: (ms: number) => Promise<boolean>;
  /** The end of what it wrote to stderr, and the lines on stdout that were no messages. Untrusted. */
  readonly stderrTail: () => string;
  /** Why we ended it, where we did: a message beyond the limit. */
  readonly failure: () => McpfsError | undefined;
  /** The SDK takes a transport with both of these properties for a process: a silent probe then means an old server. */
  readonly stderr: null;
  readonly pid: number | null;
}

/** One message may be so long; V8 holds strings up to 512 MB, and nothing that a tool has to say is longer. */
const MAX_MESSAGE_BYTES = 256 * 1024 * 1024;
/** Enough for a stack trace and what led to it. */
const STDERR_TAIL_BYTES = 64 * 1024;
/** How long the output of a process that exited may still hang in a pipe that a grandchild holds. */
const DRAIN_MS = 200;

/**
 * Creates the transport of one server process. `start` spawns it in a process group of its own; `close` ends the
 * whole group in bounded time and never hangs; `onclose` fires once, whoever ended it and whoever holds its pipes.
 *
 * One message is handed over per turn of the event loop: the SDK settles a response before the handlers of a
 * notification that came in the same chunk, and drops the last progress report otherwise (measured, 3 of 4).
 * @throws McpfsError SERVER_FAILED from `start`, where the command or its folder does not exist or cannot be run
 */
export function createProcessTransport(options: ProcessOptions): ProcessTransport {
  const { server, config, log, reaper, table, platform } = options;
  const lines = createLineReader(MAX_MESSAGE_BYTES);
  const tail = createOutputTail(STDERR_TAIL_BYTES);
  const stray = createStrayLines(server, log);
  const queue: JSONRPCMessage[] = [];
  const writing = new Set<() => void>();
  let child: ChildProcess | undefined;
  let exit: ProcessExit | undefined;
  let failure: McpfsError | undefined;
  let ended: Promise<void> = Promise.resolve();
  let isPumping = false;

  const pump = (): void => {
    const message = queue.shift();
    if (message === undefined) {
      isPumping = false;
      child?.stdout?.resume();
      return;
    }
    try {
      transport.onmessage?.(message);
    } catch (error) {
      // A message can be odd enough for its reader (an answer to nobody that holds a long integer); the rest still counts.
      transport.onerror?.(error instanceof Error ? error : new Error(String(error)));
    }
    setImmediate(pump);
  };
  const receive = (chunk: Buffer): void => {
    if (failure !== undefined) return;
    const complete = lines.push(chunk);
    if (complete === undefined) {
      failure = tooLong(server);
      void transport.close();
      return;
    }
    for (const line of complete) {
      const messages = parseMessages(line);
      for (const message of messages ?? []) queue.push(message);
      if (messages !== undefined) continue;
      stray.push(line);
      tail.push(Buffer.from(`${line}\n`));
    }
    if (queue.length === 0 || isPumping) return;
    isPumping = true;
    // Until these are handed over nothing more is read, so a server that floods us fills its pipe and not our memory.
    child?.stdout?.pause();
    setImmediate(pump);
  };

  const transport: ProcessTransport = {
    stderr: null,
    get pid() {
      return child?.pid ?? null;
    },
    exit: () => exit,
    hasEnded: (ms) => settlesWithin(ended, ms),
    stderrTail: () => tail.text(),
    failure: () => failure,
    start: async () => {
      const environment = serverEnvironment(platform, process.env, config.env);
      const line = locate(options, environment);
      reaper.start();
      const started: ChildProcess = spawn(line.file, line.args, {
        cwd: config.cwd,
        env: { ...environment, [reaper.mark.name]: reaper.mark.value },
        stdio: ["pipe", "pipe", "pipe"],
        shell: false,
        // A group of its own: the whole tree can be ended, and a Ctrl-C reaches the host alone, which then closes in order.
        detached: platform !== "win32",
        windowsHide: true,
        windowsVerbatimArguments: line.isVerbatim,
      });
      const { pid } = started;
      if (pid !== undefined) reaper.register(pid);
      child = started;
      const isSpawned = untilSpawned(started, server, config.command);
      // None of the three is there where no file can be opened any more (EMFILE).
      // A write to a process that is gone fails in its own callback; without a listener it would end the host.
      started.stdin?.on("error", () => {});
      started.stdout?.on("data", receive);
      started.stderr?.on("data", (chunk: Buffer) => tail.push(chunk));
      const isSilent = new Promise<void>((resolve) => started.once("close", () => resolve()));
      ended = untilEnded(started).then(async (end) => {
        exit = end;
        for (const fail of writing) fail();
        if (pid !== undefined) {
          if (platform !== "win32") await endRemnants(pid);
          reaper.unregister(pid);
        }
        stray.flush();
        // What it said before it ended still counts, unless a grandchild holds its pipes open.
        await settlesWithin(isSilent, DRAIN_MS);
        while (queue.length > 0) await new Promise((resolve) => setImmediate(resolve));
        for (const stream of [started.stdin, started.stdout, started.stderr]) stream?.destroy();
        transport.onclose?.();
      });
      await isSpawned;
      // A server that closes its stdout can say nothing any more; what it still does, nobody would learn.
      started.stdout?.once("end", () => void transport.close());
    },
    send: (message) =>
      new Promise((resolve, reject) => {
        const stdin = child?.stdin;
        if (!stdin || exit !== undefined || !stdin.writable) return reject(brokenPipe("EPIPE"));
        // The end of the process settles the wait too: a full pipe of a dead server never drains.
        const fail = (): void => reject(brokenPipe("ECONNRESET"));
        writing.add(fail);
        stdin.write(`${stringifyJson(message)}\n`, (error) => {
          writing.delete(fail);
          if (error) reject(error);
          else resolve();
        });
      }),
    close: async () => {
      if (child === undefined) return;
      await endProcessTree(platform, child, table);
      await ended;
    },
  };
  return transport;
}

function locate(options: ProcessOptions, environment: Readonly<Record<string, string>>): CommandLine {
  const { server, config, platform } = options;
  if (!statSync(config.cwd, { throwIfNoEntry: false })?.isDirectory())
    throw new McpfsError(
      "SERVER_FAILED",
      `Server ${server} cannot start: its folder ${config.cwd} does not exist.`,
      {
        hint: `Correct "cwd" of ${server} in mcpfs.json.`,
      },
    );
  const line = findCommand(config.command, config.args, {
    platform,
    environment,
    cwd: config.cwd,
    isExecutable: (path) => isExecutable(path, platform),
  });
  if (line !== undefined) return line;
  const place = /[\\/]/.test(config.command) ? "does not exist or may not be run" : "is not in PATH";
  throw new McpfsError(
    "SERVER_FAILED",
    `Server ${server} cannot start: the command ${JSON.stringify(config.command)} ${place}.`,
    {
      hint: `Install it, or correct "command" of ${server} in mcpfs.json.`,
    },
  );
}

function isExecutable(path: string, platform: NodeJS.Platform): boolean {
  try {
    accessSync(path, platform === "win32" ? constants.F_OK : constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
}

function untilSpawned(child: ChildProcess, server: ServerName, command: string): Promise<void> {
  return new Promise((resolve, reject) => {
    child.once("spawn", resolve);
    child.once("error", (cause) =>
      reject(
        new McpfsError(
          "SERVER_FAILED",
          `Server ${server} cannot start: ${JSON.stringify(command)}: ${cause.message}.`,
          {
            hint: ["EMFILE", "ENFILE"].includes(systemCode(cause))
              ? 'Too many files are open: raise the limit ("ulimit -n"), or connect to fewer servers at a time.'
              : `Check "command" and "args" of ${server} in mcpfs.json.`,
            cause,
          },
        ),
      ),
    );
  });
}

function untilEnded(child: ChildProcess): Promise<ProcessExit> {
  return new Promise((resolve) => {
    child.once("exit", (code, signal) => resolve({ code, signal }));
    // A process that never started has no exit.
    child.once("error", () => {
      if (child.pid === undefined) resolve({ code: null, signal: null });
    });
  });
}

/** EPIPE: nothing was delivered. ECONNRESET: nobody knows. */
function brokenPipe(code: "EPIPE" | "ECONNRESET"): Error {
  return Object.assign(new Error("The server's process has ended."), { code });
}

function tooLong(server: ServerName): McpfsError {
  return new McpfsError(
    "SERVER_FAILED",
    `Server ${server} sent a message of more than ${MAX_MESSAGE_BYTES / 1024 / 1024} MB and was ended.`,
    { hint: "Ask the tool for less at a time." },
  );
}
