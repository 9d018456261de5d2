import type { PastCalls, Recalled } from "../../broker/ports.ts";
import {
  builtinKey,
  callKey,
  effectOf,
  type Past,
  type PastAnswer,
  type PastBuiltin,
  type PastCall,
} from "../../journal/past.ts";
import { briefJson } from "../../kernel/brief-json.ts";
import { isSameJson, type Json } from "../../kernel/json.ts";
import type { CallOutcome } from "../../model/call.ts";
import type { RecalledBuiltin } from "../call/recorded-builtin.ts";
import { diverged } from "./divergence.ts";

/** The part of a resumed run in which the script does again what is recorded, and gets the recorded answers. */
export interface Replay {
  readonly calls: PastCalls;
  readonly recallBuiltin: (builtin: number, tool: string, args: Json) => Promise<RecalledBuiltin>;
  /** To be called when the script waits, all that it was given worked through: it gets the next answer, or goes on for real. */
  readonly onWaiting: () => void;
  /** Resolves when the first call goes on for real. */
  readonly over: Promise<void>;
  /** Every recorded answer was given, or the script went on without. */
  readonly isPast: () => boolean;
  /** Calls that took effect before, and that the script has not made again. */
  readonly unmade: () => readonly PastCall[];
}

export interface ReplayParts {
  readonly past: Past;
  /** The bundle is the one that was recorded. */
  readonly isSameScript: boolean;
  /** What a value looks like in a journal, secrets hidden. */
  readonly redact: (value: Json) => Json;
}

/**
 * Replays a run; asked for a call that differs from the recorded one it throws REPLAY_DIVERGED, and the run is to stop. An answer is given when the script waits, the next in the recorded order first; where an edited script has not made
 * that call, the first that it has made. What is not recorded is held until the script waits for that alone: by then each call to a
 * server that it made was compared, and nothing new goes out before.
 */
export function createReplay({ past, isSameScript, redact }: ReplayParts): Replay {
  const dropped = isSameScript ? failuresAtTheEnd(past) : refusalsAtTheEnd(past);
  const order = past.order.filter((key) => !dropped.has(key));
  const made = new Map<string, () => void>();
  const held: (() => void)[] = [];
  const met = new Set<number>();
  let next = 0;
  let isOver = false;
  let finish = (): void => {};
  const over = new Promise<void>((resolve) => {
    finish = resolve;
  });

  const hold = async <T>(result: T): Promise<T> => {
    if (!isOver) await new Promise<void>((resolve) => held.push(resolve));
    return result;
  };
  const inTurn = async <T>(key: string, result: T): Promise<T> => {
    if (!isOver) await new Promise<void>((resolve) => made.set(key, resolve));
    return result;
  };
  const isAsRecorded = (recorded: Json, now: Json): boolean => isSameJson(recorded, redact(now));
  /** A call that failed, and after which nothing was done: an edited script may make another one. */
  const isFree = (key: string, answer: PastAnswer | undefined): boolean =>
    dropped.has(key) || (past.openEnd.has(key) && answer?.error !== undefined);

  const recall = async (call: number, name: string, args: Json): Promise<Recalled> => {
    const recorded = past.calls.get(call);
    if (recorded === undefined) return await hold({ kind: "new" });
    const key = callKey(call);
    const { answer, effect } = recorded;
    const now = effect === "never-sent" ? briefJson(args) : args;
    met.add(call);
    if (recorded.name !== name || !isAsRecorded(recorded.arguments, now)) {
      if (!isFree(key, answer) || effect === "unknown") throw diverged(recorded, { name, args });
      forget(key);
      return await hold({ kind: "new" });
    }
    const before = effectOf(recorded);
    if (answer === undefined || dropped.has(key))
      return await hold(effect === "never-sent" ? { kind: "new" } : { kind: "again", before });
    const outcome = { ...outcomeOf(answer), atMs: answer.atMs };
    return await inTurn(key, { kind: "answered", before, outcome });
  };

  const recallBuiltin = async (builtin: number, tool: string, args: Json): Promise<RecalledBuiltin> => {
    const recorded = past.builtins.get(builtin);
    const key = builtinKey(builtin);
    if (recorded === undefined || dropped.has(key)) return await hold({ kind: "new" });
    if (recorded.tool !== tool || !isAsRecorded(recorded.arguments, briefJson(args)))
      throw diverged(asCall(recorded), { name: `mcpfs__${tool}`, args: briefJson(args) });
    const { answer } = recorded;
    if (answer === undefined) return await hold({ kind: "again" });
    return await inTurn(key, { kind: "answered", answer });
  };

  const forget = (key: string): void => {
    const at = order.indexOf(key);
    if (at >= next) order.splice(at, 1);
  };

  const onWaiting = (): void => {
    if (isOver) return;
    const at = order.findIndex((key, index) => index >= next && made.has(key));
    const key = order[at];
    if (key === undefined) {
      isOver = true;
      finish();
      for (const release of held.splice(0)) release();
      return;
    }
    if (at === next) next += 1;
    else order.splice(at, 1);
    made.get(key)?.();
    made.delete(key);
  };

  return {
    calls: { effects: [...past.calls.values()].map(effectOf), recall },
    recallBuiltin,
    onWaiting,
    over,
    isPast: () => isOver || next >= order.length,
    unmade: () =>
      [...past.calls.values()].filter(({ call, effect }) => !met.has(call) && effect !== "never-sent"),
  };
}

function outcomeOf({ value, error }: PastAnswer): CallOutcome {
  return error === undefined
    ? { kind: "ok", value, content: [], warnings: [] }
    : { kind: "error", error, warnings: [] };
}

function asCall({
  builtin,
  tool,
  arguments: args,
}: PastBuiltin): Pick<PastCall, "name" | "arguments" | "call"> {
  return { call: builtin, name: `mcpfs__${tool}`, arguments: args };
}

/** Calls that never left, and what was read after them: they are decided anew, under the rules and limits of today. */
function refusalsAtTheEnd(past: Past): ReadonlySet<string> {
  return endFrom(past, (call) => call.effect === "never-sent");
}

/**
 * The same script would only end with the same error again: where one ended it, calls that failed are made again too. One that took
 * effect and whose answer could not be used (it was too large) only where that is harmless.
 */
function failuresAtTheEnd(past: Past): ReadonlySet<string> {
  if (past.scriptEnd?.kind !== "failed") return refusalsAtTheEnd(past);
  return endFrom(
    past,
    ({ effect, answer, isRepeatable }) => answer?.error !== undefined && (effect !== "done" || isRepeatable),
  );
}

function endFrom(past: Past, isDropped: (call: PastCall) => boolean): ReadonlySet<string> {
  const dropped = new Set<string>();
  for (const key of past.order) {
    if (!past.openEnd.has(key)) continue;
    const [kind, number] = key.split(" ");
    if (kind === "call") {
      const call = past.calls.get(Number(number));
      if (call !== undefined && isDropped(call)) dropped.add(key);
    } else if (dropped.size > 0 && past.builtins.get(Number(number))?.isWrite === false) dropped.add(key);
  }
  return dropped;
}
