import type { Broker } from "../broker/broker.ts";
import { callErrorOf } from "../broker/call-error.ts";
import type { Builtin } from "../builtin/builtin.ts";
import type { Clock } from "../kernel/clock.ts";
import { McpfsError, toMcpfsError } from "../kernel/errors.ts";
import { isJsonObject, type Json, parseJson, stringifyJson } from "../kernel/json.ts";
import type { Redactor } from "../kernel/log.ts";
import type { CallState, DoorAnswer, DoorCall } from "../model/door.ts";
import { BUILTIN_SERVER } from "../model/names.ts";
import type { Caller } from "../policy/policy.ts";
import { errorWithoutSecrets } from "./without-secrets.ts";

/** The host's side of the door: built-in calls are answered here, all others go to the broker. */
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
  readonly builtin: Builtin;
  readonly redactor: Redactor;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  readonly onWarning: (warning: string) => void;
}

/** The wire prefix of the built-in server. */
const BUILTIN_PREFIX = `${BUILTIN_SERVER}__`;

/** Creates the host's side of one run's door. */
export function createDoor({ broker, caller, builtin, redactor, clock, signal, onWarning }: DoorParts): Door {
  const open = new Set<Promise<DoorAnswer>>();

  const callServer = async (
    name: string,
    args: Json,
    onState: (state: CallState) => void,
  ): Promise<DoorAnswer> => {
    const outcome = await broker.call({ name, arguments: args, caller, signal, onState });
    for (const warning of outcome.warnings) onWarning(warning);
    return outcome.kind === "ok"
      ? { kind: "ok", text: textOf(outcome.value), nowMs: clock.now() }
      : { kind: "error", error: errorWithoutSecrets(redactor, outcome.error), nowMs: clock.now() };
  };

  const callBuiltin = async (tool: string, args: Json): Promise<DoorAnswer> => {
    if (!isJsonObject(args))
      throw new McpfsError("ARGUMENTS_INVALID", "The arguments of a tool must be one object.");
    return { kind: "ok", text: textOf(await builtin.call(tool, args, signal)), nowMs: clock.now() };
  };

  return {
    answer: async (call, onState) => {
      try {
        const args = parseJson(call.argumentsText);
        if (call.name.startsWith(BUILTIN_PREFIX))
          return await callBuiltin(call.name.slice(BUILTIN_PREFIX.length), args);
        const answer = callServer(call.name, args, onState);
        open.add(answer);
        void answer.finally(() => open.delete(answer));
        return await answer;
      } catch (thrown) {
        const error = callErrorOf(toMcpfsError(thrown), undefined, "never-sent", call.name);
        return {
          kind: "error",
          error: { ...error, server: BUILTIN_SERVER, retry: "safe" },
          nowMs: clock.now(),
        };
      }
    },
    open: () => open.size,
    drained: async () => {
      while (open.size > 0) await Promise.allSettled([...open]);
    },
  };
}

/** `undefined` crosses as an empty text. */
function textOf(value: Json | undefined): string {
  return value === undefined ? "" : stringifyJson(value);
}
