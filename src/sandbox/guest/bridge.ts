import type { CallError } from "../../model/call.ts";
import { LOG_CALL } from "../../model/door.ts";
import { REFUSED, REGISTER } from "../guest-contract.ts";
import { moveClock } from "./clock.ts";
import { fileError, toolError } from "./errors.ts";
import { fromJsonText, toJsonText } from "./json.ts";
import {
  awaitable,
  jsonStringify,
  mapDelete,
  mapGet,
  mapSet,
  NativeError,
  NativePromise,
  NativeTypeError,
} from "./primordials.ts";
import { registers } from "./registers.ts";
import { scriptFrames } from "./stack.ts";

/**
 * The guest's side of the door. The host function takes two texts: the tool's name and the arguments, both JSON, since
 * a text crosses as a C string and JSON holds no NUL. It gives the call's number, or one of {@link REFUSED}.
 */
export type HostFunction = (nameText: string, argumentsText: string) => number;

interface Waiting {
  readonly resolve: (value: unknown) => void;
  readonly reject: (error: unknown) => void;
  readonly name: string;
  /** Made where the call was made. Its stack is read only when somebody asks: that takes as long as all the rest. */
  readonly madeAt: Error;
  /** A call of this library for a function that the language has elsewhere: its error is an ordinary one. */
  readonly isOwn: boolean;
}

const waiting = new Map<number, Waiting>();
let door: HostFunction = () => REFUSED.malformed;
let maxArgumentBytes = 0;

export function installDoor(hostFunction: HostFunction): void {
  door = hostFunction;
}

export function limitArguments(bytes: number): void {
  maxArgumentBytes = bytes;
}

/** The stack of the line that made an open call; empty when it is not open. */
export function stackOfCall(id: number): string {
  const call = mapGet(waiting, id) as Waiting | undefined;
  return call === undefined ? "" : scriptFrames(call.madeAt.stack);
}

/** `callMCPTool`: calls a tool by its wire name and gives its value; a call without a value throws an `MCPToolError`. */
export function callMCPTool(name: string, args?: unknown): Promise<unknown> {
  const promise = new NativePromise<unknown>(keepFunctions);
  const resolve = lastResolve;
  const reject = lastReject;
  try {
    if (typeof name !== "string" || typeof args === "string")
      throw new NativeTypeError(
        'callMCPTool takes the name of a tool and its arguments as an object: callMCPTool("crm__get_contact", { id: 1 }).',
      );
    const argumentsText = args === undefined ? "{}" : toJsonText(args, "arguments") || "{}";
    if (name === LOG_CALL) {
      door(LOG_NAME, argumentsText);
      resolve(undefined);
    } else send(argumentsText, { resolve, reject, name, madeAt: new NativeError(), isOwn: false });
  } catch (error) {
    reject(error);
  }
  return promise;
}

/** A call of this library, with a way to stop waiting for it (`clearTimeout`). */
export function callBuiltin(
  name: string,
  args: unknown,
  madeAt: Error = new NativeError(),
): { readonly answer: Promise<unknown>; readonly forget: () => void } {
  const argumentsText = toJsonText(args, "arguments");
  const promise = new NativePromise<unknown>(keepFunctions);
  const id = send(argumentsText, { resolve: lastResolve, reject: lastReject, name, madeAt, isOwn: true });
  return {
    answer: awaitable(promise),
    forget: () => {
      if (mapDelete(waiting, id)) countOpen(-1);
    },
  };
}

type Settle = (value: unknown) => void;

/**
 * The functions of the promise that was made last: one function that takes them costs less than a new one for each
 * promise. Nothing of the script runs between that and their being read.
 */
let lastResolve: Settle;
let lastReject: Settle;
const keepFunctions = (resolve: Settle, reject: Settle): void => {
  lastResolve = resolve;
  lastReject = reject;
};

/** A script calls few tools, each many times. */
const nameTexts = new Map<string, string>();

function nameTextOf(name: string): string {
  const known = mapGet(nameTexts, name) as string | undefined;
  if (known !== undefined) return known;
  const text = jsonStringify(name);
  mapSet(nameTexts, name, text);
  return text;
}

const LOG_NAME = jsonStringify(LOG_CALL);

/** Hands a line of console output to the host, which takes it at once and never answers. */
export function sendLog(level: string, text: string): void {
  // By hand: with setters for numbers on the prototypes, the engine's `JSON.stringify` fails on every object.
  door(LOG_NAME, `{"level":${jsonStringify(level)},"text":${jsonStringify(text)}}`);
}

function send(argumentsText: string, call: Waiting): number {
  // A text has at least as many bytes as characters: the host counts bytes, but need not copy what is surely too long.
  const id =
    argumentsText.length > maxArgumentBytes ? REFUSED.tooLarge : door(nameTextOf(call.name), argumentsText);
  if (id <= 0) call.reject(toolError(refusal(id, call.name), scriptFrames(call.madeAt.stack)));
  else {
    mapSet(waiting, id, call);
    countOpen(1);
  }
  return id;
}

function countOpen(more: number): void {
  registers[REGISTER.openCalls] = (registers[REGISTER.openCalls] as number) + more;
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
 * Takes the answer that the registers name. `mark` begins texts that are integers beyond a double. Late answers to a
 * forgotten call only move the clock.
 */
export function deliver(text: string, mark = ""): void {
  moveClock(registers[REGISTER.nowMs] as number);
  const id = registers[REGISTER.id] as number;
  const call = mapGet(waiting, id) as Waiting | undefined;
  if (call === undefined) return;
  mapDelete(waiting, id);
  countOpen(-1);
  try {
    if (registers[REGISTER.isError] === 0) call.resolve(fromJsonText(text, mark));
    else {
      const error = fromJsonText(text, mark) as CallError;
      const make = call.isOwn ? fileError : toolError;
      call.reject(make(error, scriptFrames(call.madeAt.stack)));
    }
  } catch (error) {
    call.reject(error);
  }
}
