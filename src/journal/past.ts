import type { Json } from "../kernel/json.ts";
import type { CallError, Effect } from "../model/call.ts";
import type { CallEffect } from "../model/run.ts";
import type { Risk } from "../model/tool.ts";
import type { EndEvent, JournalEvent, ResumeEvent, RunEvent } from "./events.ts";

/** What a script was given for a call: without value and error it is `undefined`. */
export interface PastAnswer {
  readonly value?: Json;
  readonly error?: CallError;
  readonly atMs: number;
  /** The value held a secret, which the journal does not have. */
  readonly isHidden: boolean;
}

/** What is recorded of one call to a server. */
export interface PastCall {
  readonly call: number;
  readonly name: string;
  readonly server: string;
  readonly tool: string;
  readonly risk: Risk;
  readonly isRepeatable: boolean;
  readonly arguments: Json;
  readonly effect: Effect;
  /** When it went out; `undefined` where it never did. */
  readonly sentMs: number | undefined;
  /** Absent where nobody knows: the call went out, and then the run was over. */
  readonly answer: PastAnswer | undefined;
}

/** What is recorded of one call to the built-in server. */
export interface PastBuiltin {
  readonly builtin: number;
  readonly tool: string;
  readonly arguments: Json;
  /** It changes files: it was recorded before it was made, too. */
  readonly isWrite: boolean;
  readonly answer: PastAnswer | undefined;
}

/** What a run did so far, over all its attempts. */
export interface Past {
  readonly run: RunEvent;
  /** The script of the last attempt that did what was recorded before it. */
  readonly script: RunEvent | ResumeEvent;
  /** Digest of that script's bundle, where it came to one. */
  readonly bundle: string | undefined;
  /** How the attempt with that script ended; `undefined` where its process ended before. */
  readonly scriptEnd: EndEvent | undefined;
  /** How the last attempt of all ended. */
  readonly end: EndEvent | undefined;
  readonly calls: ReadonlyMap<number, PastCall>;
  readonly builtins: ReadonlyMap<number, PastBuiltin>;
  /** {@link callKey} and {@link builtinKey} of what was answered, in the order in which the script saw the answers. */
  readonly order: readonly string[];
  /** Those of the answers after which the script made no other call, and changed no file. */
  readonly openEnd: ReadonlySet<string>;
}

export function callKey(call: number): string {
  return `call ${call}`;
}

export function builtinKey(builtin: number): string {
  return `builtin ${builtin}`;
}

/** Puts the events of a journal together. Of two records of one call the later one counts. */
export function pastOf(events: readonly JournalEvent[]): Past {
  const [run] = events;
  if (run?.event !== "run") throw new TypeError("A journal begins with its run.");
  const kept = withoutDiverged(events);
  const calls = new Map<number, PastCall>();
  const builtins = new Map<number, PastBuiltin>();
  const order = new Set<string>();
  const openEnd = new Set<string>();
  let script: RunEvent | ResumeEvent = run;
  let bundle: string | undefined;
  let scriptEnd: EndEvent | undefined;
  const see = (key: string): void => {
    order.delete(key);
    order.add(key);
    openEnd.add(key);
  };
  for (const event of kept) {
    switch (event.event) {
      case "run":
      case "resume":
        script = event;
        bundle = undefined;
        scriptEnd = undefined;
        break;
      case "bundled":
        bundle = event.digest;
        break;
      case "call": {
        const { call, name, server, tool, risk, isRepeatable, arguments: args, atMs } = event;
        calls.set(call, {
          ...{ call, name, server, tool, risk, isRepeatable, arguments: args },
          effect: "unknown",
          sentMs: atMs,
          answer: undefined,
        });
        order.delete(callKey(call));
        openEnd.clear();
        break;
      }
      case "answer": {
        const before = calls.get(event.call);
        if (before === undefined) break;
        const isSeen = event.isUnseen !== true || event.effect !== "unknown";
        calls.set(event.call, {
          ...before,
          effect: event.effect,
          answer: isSeen ? answerOf(event) : undefined,
        });
        if (isSeen) see(callKey(event.call));
        break;
      }
      case "refused": {
        const { call, name, server, tool, risk, arguments: args } = event;
        calls.set(call, {
          ...{ call, name, server, tool, risk, isRepeatable: true, arguments: args },
          effect: "never-sent",
          sentMs: undefined,
          answer: answerOf(event),
        });
        see(callKey(call));
        break;
      }
      case "builtin": {
        const { builtin, tool, arguments: args } = event;
        builtins.set(builtin, { builtin, tool, arguments: args, isWrite: true, answer: undefined });
        order.delete(builtinKey(builtin));
        openEnd.clear();
        break;
      }
      case "builtin-answer": {
        const { builtin, tool, arguments: args } = event;
        const isWrite = builtins.get(builtin)?.isWrite === true;
        builtins.set(builtin, { builtin, tool, arguments: args, isWrite, answer: answerOf(event) });
        see(builtinKey(builtin));
        break;
      }
      case "end":
        scriptEnd = event;
        break;
      case "asked":
      case "decided":
        break;
    }
  }
  const end = events.findLast(isTurn);
  return {
    run,
    script,
    bundle,
    scriptEnd,
    end: end?.event === "end" ? end : undefined,
    calls,
    builtins,
    order: [...order],
    openEnd,
  };
}

/** What begins or ends an attempt. */
function isTurn(event: JournalEvent): event is RunEvent | ResumeEvent | EndEvent {
  return event.event === "run" || event.event === "resume" || event.event === "end";
}

function answerOf(event: {
  readonly value?: Json;
  readonly error?: CallError;
  readonly hidden?: true;
  readonly atMs: number;
}): PastAnswer {
  const { value, error, atMs, hidden } = event;
  return {
    ...(value === undefined ? {} : { value }),
    ...(error === undefined ? {} : { error }),
    atMs,
    // A script sees an error as it is recorded, secrets hidden.
    isHidden: hidden === true && value !== undefined,
  };
}

/**
 * An attempt whose script was no module, or did something else than what was recorded, says nothing of how the run goes on; but
 * what it did at servers counts.
 */
function withoutDiverged(events: readonly JournalEvent[]): readonly JournalEvent[] {
  const kept: JournalEvent[] = [];
  let attempt: JournalEvent[] = [];
  const finish = (): void => {
    const hasEnded = attempt.at(-1)?.event === "end";
    const isLost = attempt[0]?.event === "resume" && hasEnded && !hasStarted(attempt);
    kept.push(...attempt.filter((event) => !isLost || OF_SERVERS.has(event.event)));
    attempt = [];
  };
  for (const event of events) {
    if (event.event === "resume") finish();
    attempt.push(event);
    if (event.event === "end") finish();
  }
  finish();
  return kept;
}

function hasStarted(attempt: readonly JournalEvent[]): boolean {
  const end = attempt.at(-1);
  const hasDiverged = end?.event === "end" && end.code === "REPLAY_DIVERGED";
  return !hasDiverged && attempt.some(({ event }) => event === "bundled");
}

const OF_SERVERS: ReadonlySet<JournalEvent["event"]> = new Set(["call", "answer", "asked", "decided"]);

/** What a call did, as a report says it. */
export function effectOf({ call, server, tool, risk, effect, isRepeatable }: PastCall): CallEffect {
  const retry =
    effect === "done" ? "not-needed" : effect === "never-sent" || isRepeatable ? "safe" : "unsafe";
  return { call, server, tool, status: effect, retry, risk };
}
