import { styleText } from "node:util";
import type { Host, HostOptions } from "../engine/host.ts";
import { McpfsError } from "../kernel/errors.ts";
import { stringifyJson } from "../kernel/json.ts";
import { createLog, createRedactor, type Log, type Redactor } from "../kernel/log.ts";
import { trustQuestion } from "./ask-trust.ts";
import type { Io } from "./io.ts";

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
  /** One line of the answer, on stdout. */
  readonly print: (line: string) => void;
  /** The whole answer as one JSON value, on stdout. */
  readonly printJson: (value: unknown) => void;
  /** A line for a person, on stderr; silent with --quiet. */
  readonly say: (line: string) => void;
  /** Coloured text where stderr is a terminal; plain elsewhere and under NO_COLOR. */
  readonly styled: (format: "bold" | "dim" | "red" | "green" | "yellow" | "cyan", text: string) => string;
  /** The exit code of a command that did its work and has to say "no". */
  readonly exitWith: (code: number) => void;
  readonly exitCode: () => number;
  /** The workspace's root. @throws McpfsError WORKSPACE_MISSING */
  readonly root: () => Promise<string>;
  /** Opens the host of the workspace `root`. @throws McpfsError CONFIG_INVALID */
  readonly openHost: (root: string, extra?: Pick<HostOptions, "onToolsChanged">) => Promise<Host>;
  /** Opens the workspace's host for the time of `work`; everything it started is gone when this settles. */
  readonly withHost: <T>(
    work: (host: Host) => Promise<T>,
    extra?: Pick<HostOptions, "onToolsChanged">,
  ) => Promise<T>;
}

/** Creates the context of one command line. */
export function createCliContext(io: Io, version: string, globals: () => Globals): CliContext {
  const redactor = createRedactor();
  const level = io.env.MCPFS_DEBUG === undefined || io.env.MCPFS_DEBUG === "" ? "info" : "debug";
  const log = createLog({ write: (line) => io.stderr.write(line), redactor, level });
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
    print: (line) => io.stdout.write(`${line}\n`),
    printJson: (value) => io.stdout.write(`${stringifyJson(value)}\n`),
    say: (line) => {
      if (!globals().isQuiet) io.stderr.write(`${line}\n`);
    },
    styled: (format, text) =>
      io.isTerminal && !isSet(io.env.NO_COLOR) ? styleText(format, text, { validateStream: false }) : text,
    exitWith: (next) => {
      code = next;
    },
    exitCode: () => code,
    root,
    openHost: async (root, extra = {}) => {
      const { openHost } = await import("../engine/host.ts");
      const { env, platform, homeDir } = io;
      return await openHost({
        root,
        env,
        platform,
        homeDir,
        version,
        log,
        redactor,
        trust: io.env.MCPFS_TRUST,
        askTrust: trustQuestion(cli),
        ...extra,
      });
    },
    withHost: async (work, extra) => {
      const host = await cli.openHost(await root(), extra);
      try {
        return await interruptible(work(host), io.signal);
      } finally {
        await host.close();
      }
    },
  };
  return cli;
}

function isSet(value: string | undefined): boolean {
  return value !== undefined && value !== "";
}

/** Ctrl-C ends the command even where its work cannot be stopped; the host is closed all the same. */
async function interruptible<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  let onAbort = (): void => {};
  const interrupted = new Promise<never>((_resolve, reject) => {
    // Work that listens to the signal itself (a run) gets a moment to end well, with its report.
    onAbort = () => setTimeout(() => reject(interruption()), INTERRUPT_GRACE_MS).unref();
    if (signal.aborted) onAbort();
    else signal.addEventListener("abort", onAbort, { once: true });
  });
  try {
    return await Promise.race([work, interrupted]);
  } finally {
    signal.removeEventListener("abort", onAbort);
  }
}

const INTERRUPT_GRACE_MS = 1_500;

/** The error of a command that a person ended. */
export function interruption(): McpfsError {
  return new McpfsError("INTERRUPTED", "Interrupted.", { hint: "Nothing goes on in the background." });
}
