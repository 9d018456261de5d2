import type { CallError } from "../../model/call.ts";
import { defineMember, NativeError, weakGet, weakSet } from "./primordials.ts";
import { callerStack } from "./stack.ts";

/** What the host is told of an error of ours besides its name, message and stack. */
export interface ErrorFacts {
  readonly code: string;
  readonly hint: string;
  readonly server?: string;
  readonly tool?: string;
}

const factsByError = new WeakMap<object, ErrorFacts>();

/** The facts of an error of ours. A script may make one itself (and so do stubs in a bundle): it only says why the script failed. */
export function factsOf(error: object): ErrorFacts | undefined {
  return weakGet(factsByError, error) as ErrorFacts | undefined;
}

/** A call that did not give a value: the tool said `isError`, a rule denied it, a limit was reached. */
export class MCPToolError extends NativeError {
  readonly server: string;
  readonly tool: string;
  readonly code: string;
  readonly hint: string;
  readonly content: readonly unknown[];
  readonly retry: string;

  constructor(error: Omit<CallError, "content" | "retry"> & Partial<CallError>) {
    super(error.message);
    this.server = error.server;
    this.tool = error.tool;
    this.code = error.code;
    this.hint = error.hint;
    this.content = error.content ?? [];
    this.retry = error.retry ?? "unsafe";
    const { code, hint, server, tool } = error;
    weakSet(factsByError, this, { code, hint, server, tool });
  }
}
defineMember(MCPToolError.prototype, "name", "MCPToolError", false);

/** The error of a call, with the stack of the line that made the call. */
export function toolError(error: CallError, stack: string): MCPToolError {
  return withStack(new MCPToolError(error), stack);
}

/** The error of a file operation: an ordinary `Error` with the host's `code`. */
export function fileError(error: CallError, stack: string): Error {
  const { code, hint } = error;
  return withFacts(withCode(new NativeError(error.message), code), { code, hint }, stack);
}

/** The error of a name that exists only to say what to use instead. */
export function refusedError(message: string, hint: string): Error {
  return withFacts(
    withCode(new NativeError(message), "IMPORT_REFUSED"),
    { code: "IMPORT_REFUSED", hint },
    callerStack(),
  );
}

function withCode(error: Error, code: string): Error {
  defineMember(error, "code", code, true);
  return error;
}

function withFacts<T extends Error>(error: T, facts: ErrorFacts, stack: string): T {
  weakSet(factsByError, error, facts);
  return withStack(error, stack);
}

function withStack<T extends Error>(error: T, stack: string): T {
  defineMember(error, "stack", stack, false);
  return error;
}
