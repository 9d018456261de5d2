import type { Writable } from "node:stream";
import { styleText } from "node:util";
import type { Host } from "../engine/host.ts";
import type { ServerObservers } from "../engine/servers/started-servers.ts";
import { McpfsError } from "../kernel/errors.ts";
import { stringifyJson } from "../kernel/json.ts";
import { createLog, createRedactor, type Log, type Redactor } from "../kernel/log.ts";
import { visibleText } from "../kernel/text.ts";
import { unlessAborted } from "../kernel/wait.ts";
import type { AskApproval } from "../model/approval.ts";
import type { AskPerson } from "../model/question.ts";
import { printableJson } from "../tree/printable-json.ts";
import { trustQuestion } from "./ask-trust.ts";
import type { Io } from "./io.ts";
import { showCallProgress } from "./progress.ts";
import { createStatusLine, type StatusLine } from "./status-line.ts";
import { createTerminal, type Terminal } from "./terminal.ts";

/** The options that every command takes. */
export interface Globals {
  readonly directory?: string;
  readonly isJson: boolean;
  readonly isQuiet: boolean;
}

/** What commands work with: where to print, and how to reach the workspace. */
export interface CliContext {
  readonly io: Io;
  readonly log: Log;
  readonly redactor: Redactor;
  readonly version: string;
  readonly globals: () => Globals;
  /** A line of a listing, on stdout: what a server wrote in it is made visible. */
  readonly print: (line: string) => void;
  /** A line of ours on stdout, bold on a terminal. */
  readonly printHeading: (line: string) => void;
  /** A value, or what a script printed, on stdout: exact in a pipe or a file, visible on a terminal. */
  readonly printValue: (text: string) => void;
  /** A line on stderr, always visible: `styled` parts are ours, `text` may hold anything. */
  readonly printToStderr: (text: string, styled?: string) => void;
  /** The whole answer as one JSON value, on stdout. */
  readonly printJson: (value: unknown) => void;
  /** A line for a person, on stderr; silent with --quiet. */
  readonly say: (line: string) => void;
  /** Says on a terminal what goes on. */
  readonly status: StatusLine;
  /** Where a person is asked; undefined where nobody can be: input or messages are no terminal, or a program reads the answer. */
  readonly terminal: () => Terminal | undefined;
  /** Coloured text where stderr is a terminal; plain elsewhere and under NO_COLOR. */
  readonly styled: (format: "bold" | "dim" | "red" | "green" | "yellow" | "cyan", text: string) => string;
  /** The exit code of a command that did its work and has to say "no". */
  readonly exitWith: (code: number) => void;
  readonly exitCode: () => number;
  /** The workspace's root. @throws McpfsError WORKSPACE_MISSING */
  readonly root: () => Promise<string>;
  /**
   * Opens the workspace's host for the time of `work`; everything it started is gone when this settles, also after Ctrl-C.
   * `root` is another workspace than the one the command line means.
   */
  readonly withHost: <T>(
    work: (host: Host) => Promise<T>,
    extra?: ServerObservers & { readonly root?: string; readonly keepsIdle?: boolean },
  ) => Promise<T>;
}

/** Creates the context of one command line. */
export function createCliContext(io: Io, version: string, globals: () => Globals): CliContext {
  const redactor = createRedactor();
  const level = io.env.MCPFS_DEBUG === undefined || io.env.MCPFS_DEBUG === "" ? "info" : "debug";
  const status = createStatusLine(io, () => !globals().isQuiet && !globals().isJson);
  const terminal = createTerminal(io, status);
  const write = (stream: Writable, text: string): void => {
    status.clear();
    stream.write(text);
  };
  const log = createLog({ write: (line) => write(io.stderr, line), redactor, level });
  const printToStderr = (text: string, styled = ""): void => {
    write(io.stderr, `${styled}${visibleText(text)}\n`);
  };
  let code = 0;
  const root = async (): Promise<string> => {
    const { findWorkspace } = await import("../config/find-workspace.ts");
    const { directory } = globals();
    return await findWorkspace({
      ...(directory === undefined ? {} : { directory }),
      env: io.env,
      cwd: io.cwd,
    });
  };
  const cli: CliContext = {
    io,
    log,
    redactor,
    version,
    globals,
    status,
    terminal: () => (isPersonThere(io) && !globals().isJson ? terminal : undefined),
    print: (line) => write(io.stdout, `${visibleText(line)}\n`),
    printHeading: (line) =>
      write(io.stdout, `${io.isOutputTerminal && hasColours(io) ? bold(line) : line}\n`),
    printValue: (text) => write(io.stdout, `${io.isOutputTerminal ? visibleText(text) : text}\n`),
    printToStderr,
    printJson: (value) =>
      write(io.stdout, `${io.isOutputTerminal ? printableJson(value) : stringifyJson(value)}\n`),
    say: (line) => {
      if (!globals().isQuiet) printToStderr(line);
    },
    styled: (format, text) =>
      io.isTerminal && hasColours(io) ? styleText(format, text, { validateStream: false }) : text,
    exitWith: (next) => {
      code = next;
    },
    exitCode: () => code,
    root,
    withHost: async (work, { root: otherRoot, ...observers } = {}) => {
      const { openHost } = await import("../engine/open-host.ts");
      const { env, platform, homeDir } = io;
      const host = await openHost({
        root: otherRoot ?? (await root()),
        env,
        platform,
        homeDir,
        version,
        log,
        redactor,
        trust: io.env.MCPFS_TRUST,
        askTrust: trustQuestion(cli),
        onProgress: (progress) => showCallProgress(status, progress),
        ...askAt(cli.terminal()),
        ...observers,
      });
      try {
        return await interruptible(work(host), io.signal);
      } finally {
        status.clear();
        await host.close();
      }
    },
  };
  return cli;
}

/** True where a person can answer: keys come from a terminal, and what we write is seen on one. */
function isPersonThere(io: Io): boolean {
  return io.isTerminal && io.stdin.isTTY === true;
}

/** What asks at `terminal`. Most commands are never asked anything, so it is loaded with the first question. */
function askAt(terminal: Terminal | undefined): {
  readonly askPerson?: AskPerson;
  readonly askApproval?: AskApproval;
} {
  if (terminal === undefined) return {};
  return {
    askPerson: async (question, signal) => {
      const { createAskPerson } = await import("./ask-person.ts");
      return await createAskPerson(terminal)(question, signal);
    },
    askApproval: async (question, signal) => {
      const { createAskApproval } = await import("./ask-approval.ts");
      return await createAskApproval(terminal)(question, signal);
    },
  };
}

function hasColours({ env }: Io): boolean {
  return !isSet(env.NO_COLOR);
}

function bold(text: string): string {
  return styleText("bold", text, { validateStream: false });
}

function isSet(value: string | undefined): boolean {
  return value !== undefined && value !== "";
}

/** Ctrl-C ends the command even where its work cannot be stopped; the host is closed all the same. */
async function interruptible<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return await unlessAborted(work, signal, { toError: interruption, graceMs: INTERRUPT_GRACE_MS });
}

/** Work that listens to the signal itself (a run) gets a moment to end well, with its report. */
const INTERRUPT_GRACE_MS = 1_500;

/** The error of a command that a person ended. */
export function interruption(): McpfsError {
  return new McpfsError("INTERRUPTED", "Interrupted.", { hint: "Nothing goes on in the background." });
}
