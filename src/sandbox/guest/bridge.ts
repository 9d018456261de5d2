import type { CallError } from "../../model/call.ts";
import { LOG_CALL } from "../../model/door.ts";
import { REFUSED } from "../guest-contract.ts";
import { moveClock } from "./clock.ts";
import { fileError, toolError } from "./errors.ts";
import { fromJsonText, toJsonText } from "./json.ts";
import {
  awaitable,
  jsonStringify,
  mapDelete,
  mapGet,
  mapSet,
  NativePromise,
  NativeTypeError,
  startsWith,
} from "./primordials.ts";
import { callerStack } from "./stack.ts";

/**
 * The guest's side of the door. The host function takes two texts: `[name, stack]` and the arguments, both JSON, since
 * a text crosses as a C string and JSON holds no NUL. It gives the call's number, or one of {@link REFUSED}.
 */
export type HostFunction = (header: string, argumentsText: string) => number;

interface Waiting {
  readonly resolve: (value: unknown) => void;
  readonly reject: (error: unknown) => void;
  readonly name: string;
  readonly stack: string;
}

const waiting = new Map<number, Waiting>();
let open = 0;
let door: HostFunction = () => REFUSED.malformed;
let maxArgumentBytes = 0;

export function installDoor(hostFunction: HostFunction): void {
  door = hostFunction;
}

export function limitArguments(bytes: number): void {
  maxArgumentBytes = bytes;
}

/** Answers that something still waits for. */
export function openCalls(): number {
  return open;
}

/** `callMCPTool`: calls a tool by its wire name and gives its value; a call without a value throws an `MCPToolError`. */
export function callMCPTool(name: string, args?: unknown): Promise<unknown> {
  return new NativePromise((resolve, reject) => {
    if (typeof name !== "string" || typeof args === "string")
      throw new NativeTypeError(
        'callMCPTool takes the name of a tool and its arguments as an object: callMCPTool("crm__get_contact", { id: 1 }).',
      );
    const argumentsText = args === undefined ? "{}" : toJsonText(args, "arguments") || "{}";
    if (name === LOG_CALL) {
      door(LOG_HEADER, argumentsText);
      resolve(undefined);
    } else send(name, argumentsText, { resolve, reject, name, stack: callerStack() });
  });
}

/** A call of this library, with a way to stop waiting for it (`clearTimeout`). */
export function callBuiltin(
  name: string,
  args: unknown,
  stack: string = callerStack(),
): { readonly answer: Promise<unknown>; readonly forget: () => void } {
  let id = 0;
  const answer = new NativePromise<unknown>((resolve, reject) => {
    id = send(name, toJsonText(args, "arguments"), { resolve, reject, name, stack });
  });
  return {
    answer: awaitable(answer),
    forget: () => {
      if (mapDelete(waiting, id)) open -= 1;
    },
  };
}

/** By hand: with setters for numbers on the prototypes, the engine's `JSON.stringify` fails on every object. */
const headerOf = (name: string, stack: string): string => `[${jsonStringify(name)},${jsonStringify(stack)}]`;

const LOG_HEADER = headerOf(LOG_CALL, "");

/** Hands a line of console output to the host, which takes it at once and never answers. */
export function sendLog(level: string, text: string): void {
  door(LOG_HEADER, `{"level":${jsonStringify(level)},"text":${jsonStringify(text)}}`);
}

function send(name: string, argumentsText: string, call: Waiting): number {
  // A text has at least as many bytes as characters: the host counts bytes, but need not copy what is surely too long.
  const id =
    argumentsText.length > maxArgumentBytes
      ? REFUSED.tooLarge
      : door(headerOf(name, call.stack), argumentsText);
  if (id <= 0) call.reject(toolError(refusal(id, name), call.stack));
  else {
    mapSet(waiting, id, call);
    open += 1;
  }
  return id;
}

function refusal(reason: number, name: string): CallError {
  const rest = { server: "", tool: name, retry: "safe", content: [] } as const;
  if (reason === REFUSED.tooLarge)
    return {
      code: "LIMIT_ARGUMENTS",
      message: `The arguments of ${name} are larger than ${maxArgumentBytes} bytes of JSON.`,
      hint: 'Send less at once: split the data over several calls. The limit is "limits": {"maxArguments": …} in mcpfs.json.',
      ...rest,
    };
  if (reason === REFUSED.tooMany)
    return {
      code: "LIMIT_AT_ONCE",
      message: `${name} was not called: ten thousand calls are open already.`,
      hint: "Await calls in groups instead of starting all of them first.",
      ...rest,
    };
  return { code: "INTERNAL", message: `${name} could not be called.`, hint: "", ...rest };
}

/**
 * Takes one answer of the host. `mark` begins texts that are integers beyond a double. Late answers to a forgotten
 * call only move the clock.
 */
export function deliver(id: number, nowMs: number, isError: boolean, text: string, mark: string): void {
  moveClock(nowMs);
  const call = mapGet(waiting, id) as Waiting | undefined;
  if (call === undefined) return;
  mapDelete(waiting, id);
  open -= 1;
  try {
    if (!isError) call.resolve(fromJsonText(text, mark));
    else {
      const error = fromJsonText(text, mark) as CallError;
      const make = startsWith(call.name, "mcpfs__") ? fileError : toolError;
      call.reject(make(error, call.stack));
    }
  } catch (error) {
    call.reject(error);
  }
}
