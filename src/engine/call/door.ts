import type { Broker } from "../../broker/broker.ts";
import { callErrorOf } from "../../broker/call-error.ts";
import type { RecordedOutcome } from "../../broker/ports.ts";
import { isBrokered } from "../../builtin/what-calls-do.ts";
import { callKey } from "../../journal/past.ts";
import type { Clock } from "../../kernel/clock.ts";
import { type McpfsError, toMcpfsError } from "../../kernel/errors.ts";
import { type Json, parseJson, stringifyJson } from "../../kernel/json.ts";
import type { Redactor } from "../../kernel/log.ts";
import type { CallError } from "../../model/call.ts";
import type { CallState, DoorAnswer, DoorCall } from "../../model/door.ts";
import { BUILTIN_SERVER } from "../../model/names.ts";
import { type Caller, isClient } from "../../policy/decision.ts";
import type { HandOver } from "./hand-over.ts";
import type { BuiltinOutcome } from "./recorded-builtin.ts";
import { errorWithoutSecrets } from "./without-secrets.ts";

/** The host's side of the door: built-in calls that stay in the host are answered here, all others go to the broker. */
export interface Door {
  readonly answer: (call: DoorCall, onState: (state: CallState) => void) => Promise<DoorAnswer>;
  /** Calls to servers that are out at this moment. */
  readonly open: () => number;
  /** Resolves when no call to a server is open. */
  readonly drained: () => Promise<void>;
}

export interface DoorParts {
  readonly broker: Broker;
  readonly caller: Caller;
  readonly builtin: (tool: string, args: Json) => Promise<BuiltinOutcome>;
  /** Answers are handed over in the order in which they were recorded. */
  readonly handOver: HandOver;
  readonly redactor: Redactor;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  readonly onWarning: (warning: string) => void;
  /** The script did something else than what is recorded: it is to stop. */
  readonly onDiverged: (error: CallError, doorCall: number) => void;
}

/** The wire prefix of the built-in server. */
const BUILTIN_PREFIX = `${BUILTIN_SERVER}__`;

/** Creates the host's side of one run's door. */
export function createDoor(parts: DoorParts): Door {
  const { broker, caller, redactor, clock, signal, onWarning } = parts;
  const open = new Set<Promise<RecordedOutcome>>();
  let calls = 0;

  const callServer = async (
    name: string,
    args: Json,
    onState: (state: CallState) => void,
  ): Promise<DoorAnswer> => {
    calls += 1;
    const call = calls;
    const key = callKey(call);
    const outcome = broker.call({ name, arguments: args, caller, signal, onState });
    open.add(outcome);
    const { atMs: nowMs, ...answer } = await outcome
      .finally(() => open.delete(outcome))
      .catch((thrown): RecordedOutcome => unrecorded(toMcpfsError(thrown), call, name));
    for (const warning of answer.warnings) onWarning(warning);
    await parts.handOver.turn(key);
    return answer.kind === "ok"
      ? { kind: "ok", text: answer.valueText ?? textOf(answer.value), nowMs }
      : { kind: "error", error: errorFor(caller, errorWithoutSecrets(redactor, answer.error)), nowMs };
  };

  /** The journal could not be written: the broker has no outcome, but knows what became of the call. */
  const unrecorded = (error: McpfsError, call: number, name: string): RecordedOutcome => {
    const effect = broker.effects().find((known) => known.call === call);
    const { server = BUILTIN_SERVER, tool = name, retry = "safe" } = effect ?? {};
    const told = callErrorOf(error, undefined, "never-sent", name);
    return {
      kind: "error",
      error: { ...told, server, tool, retry: retry === "safe" ? "safe" : "unsafe" },
      warnings: [],
      atMs: clock.now(),
    };
  };

  const callBuiltin = async (tool: string, args: Json): Promise<DoorAnswer> => {
    const { key, answer } = await parts.builtin(tool, args);
    const { value, error, atMs: nowMs } = answer;
    await parts.handOver.turn(key);
    return error === undefined
      ? { kind: "ok", text: textOf(value), nowMs }
      : { kind: "error", error: errorFor(caller, error), nowMs };
  };

  return {
    answer: async ({ id, name, argumentsText }, onState) => {
      try {
        const args = parseJson(argumentsText);
        const builtin = name.startsWith(BUILTIN_PREFIX) ? name.slice(BUILTIN_PREFIX.length) : undefined;
        const answer =
          builtin === undefined || isBrokered(builtin)
            ? await callServer(name, args, onState)
            : await callBuiltin(builtin, args);
        if (answer.kind === "error" && answer.error.code === "REPLAY_DIVERGED")
          parts.onDiverged(answer.error, id);
        return answer;
      } catch (thrown) {
        const error = callErrorOf(toMcpfsError(thrown), undefined, "never-sent", name);
        const nowMs = clock.now();
        return { kind: "error", error: { ...error, server: BUILTIN_SERVER, retry: "safe" }, nowMs };
      }
    },
    open: () => open.size,
    drained: async () => {
      while (open.size > 0) await Promise.allSettled([...open]);
    },
  };
}

/** An error as the script gets it, with the hint for whoever reads what it prints. */
function errorFor(caller: Caller, { clientHint, hint, ...error }: CallError): CallError {
  return { ...error, hint: isClient(caller) ? (clientHint ?? hint) : hint };
}

/** `undefined` crosses as an empty text. */
function textOf(value: Json | undefined): string {
  return value === undefined ? "" : stringifyJson(value);
}
