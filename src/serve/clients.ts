import { DEFAULT_RUNS_AT_ONCE, type ServeClient, type ServeConfig } from "../config/parse-serve.ts";
import { McpfsError } from "../kernel/errors.ts";
import { count } from "../kernel/text.ts";
import type { Limits } from "../model/run.ts";
import type { ServeMode } from "../model/serve-mode.ts";
import type { ClientCaller } from "../policy/decision.ts";

/** Who is at this machine: the other end of the pipe, or the holder of no token or of that in the environment. */
export const LOCAL = "local";

/** Who uses the workspace: the holder of a token, or the program at the other end of the pipe. */
export interface Client {
  readonly identity: string;
  /** How policy knows it. */
  readonly caller: ClientCaller;
  readonly mode: ServeMode;
  /** Bounds of its runs and calls, where they differ from the workspace's. */
  readonly limits: Partial<Limits>;
  /** UTF-8 bytes of one answer; what is more is cut, and kept where a link leads. */
  readonly answerBytes: number;
  /** Waits for a place among the client's runs; the result gives it back. @throws McpfsError LIMIT_CALLS, the signal's reason */
  readonly enter: (signal: AbortSignal) => Promise<() => void>;
  /** Notes a run, or a call, as this client's, whose kept output it may read; that says nothing of resuming it. */
  readonly addRun: (runId: string) => void;
  readonly ownsRun: (runId: string) => boolean;
}

/** The clients that were seen so far. */
export interface Clients {
  readonly of: (identity: string) => Client;
}

/** An answer of more is more than a model reads; some clients refuse larger ones outright (at 25,000 tokens). */
const ANSWER_BYTES = 40 * 1024;
/** Runs that wait for a place; a client that starts more has lost count. */
const MAX_WAITING = 1_000;
/** Of the runs before these nobody asks any more. */
const MAX_RUNS_KNOWN = 10_000;

/** @param limits the workspace's */
export function createClients(config: () => ServeConfig, limits: () => Limits): Clients {
  const clients = new Map<string, Client>();
  return {
    of: (identity) => {
      let client = clients.get(identity);
      client ??= createClient(identity, config, limits);
      clients.set(identity, client);
      return client;
    },
  };
}

function createClient(identity: string, config: () => ServeConfig, limits: () => Limits): Client {
  // Read at each use: a config that was edited counts at once.
  const entry = (): ServeClient | undefined => config().clients.find(({ name }) => name === identity);
  const answerBytes = (): number =>
    entry()?.limits.outputBytes ?? Math.min(limits().outputBytes, ANSWER_BYTES);
  const gate = createGate(() => entry()?.runsAtOnce ?? DEFAULT_RUNS_AT_ONCE);
  const runs = new Set<string>();
  return {
    identity,
    caller: `serve:${identity}`,
    enter: gate,
    ownsRun: (runId) => runs.has(runId),
    addRun: (runId) => {
      runs.add(runId);
      const [oldest] = runs;
      if (runs.size > MAX_RUNS_KNOWN && oldest !== undefined) runs.delete(oldest);
    },
    get mode() {
      return entry()?.mode ?? config().mode;
    },
    get limits() {
      return { ...entry()?.limits, outputBytes: answerBytes() };
    },
    get answerBytes() {
      return answerBytes();
    },
  };
}

function createGate(maxAtOnce: () => number): Client["enter"] {
  let inside = 0;
  const waiting: (() => void)[] = [];
  const leave = (): void => {
    inside -= 1;
    waiting.shift()?.();
  };
  return async (signal) => {
    signal.throwIfAborted();
    if (inside >= maxAtOnce() && waiting.length >= MAX_WAITING)
      throw new McpfsError("LIMIT_CALLS", `${count(waiting.length, "script")} of this client wait already.`, {
        hint: "Wait for their answers before you send more.",
      });
    while (inside >= maxAtOnce())
      await new Promise<void>((resolve, reject) => {
        const admit = (): void => {
          signal.removeEventListener("abort", give);
          resolve();
        };
        const give = (): void => {
          waiting.splice(waiting.indexOf(admit), 1);
          reject(signal.reason);
        };
        signal.addEventListener("abort", give, { once: true });
        waiting.push(admit);
      });
    inside += 1;
    return leave;
  };
}
