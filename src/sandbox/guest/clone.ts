import { DOMException } from "./abort.ts";
import { defineGlobal, defineMember } from "./primordials.ts";

/** `structuredClone` of the HTML standard, for the types that exist in the sandbox. */
export function installClone(): void {
  defineGlobal("structuredClone", structuredClone);
}

function structuredClone(value: unknown, options?: { readonly transfer?: readonly ArrayBuffer[] }): unknown {
  const copies = new Map<object, object>();
  for (const buffer of options?.transfer ?? []) {
    if (!(buffer instanceof ArrayBuffer)) throw notCloned("A value to transfer");
    copies.set(buffer, (buffer as ArrayBuffer & { transfer(): ArrayBuffer }).transfer());
  }
  return clone(value, copies);
}

function clone(value: unknown, copies: Map<object, object>): unknown {
  if (typeof value === "function") throw notCloned(`The function ${value.name || "(anonymous)"}`);
  if (typeof value === "symbol") throw notCloned(String(value));
  if (typeof value !== "object" || value === null) return value;
  const known = copies.get(value);
  if (known !== undefined) return known;
  const remember = <T extends object>(copy: T): T => {
    copies.set(value, copy);
    return copy;
  };
  if (Array.isArray(value)) {
    const copy = remember(new Array(value.length));
    for (const key of Object.keys(value)) copy[key as never] = clone(value[key as never], copies) as never;
    return copy;
  }
  if (value instanceof Date) return remember(new Date(value.getTime()));
  if (value instanceof RegExp) return remember(new RegExp(value.source, value.flags));
  if (value instanceof ArrayBuffer) return remember(value.slice(0));
  if (ArrayBuffer.isView(value)) return remember(cloneView(value, copies));
  if (value instanceof Map) {
    const copy = remember(new Map());
    for (const [key, item] of [...value]) copy.set(clone(key, copies), clone(item, copies));
    return copy;
  }
  if (value instanceof Set) {
    const copy = remember(new Set());
    for (const item of [...value]) copy.add(clone(item, copies));
    return copy;
  }
  if (value instanceof Error) return remember(cloneError(value, copies));
  const boxed = Object.prototype.toString.call(value);
  if (["[object Boolean]", "[object Number]", "[object String]", "[object BigInt]"].includes(boxed))
    return remember(Object(value.valueOf()));
  const isForeign = [Promise, WeakMap, WeakSet, WeakRef].some((kind) => value instanceof kind);
  if (isForeign) throw notCloned(boxed);
  const copy = remember({} as Record<string, unknown>);
  for (const key of Object.keys(value)) {
    const item = clone((value as Record<string, unknown>)[key], copies);
    defineMember(copy, key, item, true);
  }
  return copy;
}

function cloneView(view: ArrayBufferView, copies: Map<object, object>): object {
  const buffer = clone(view.buffer, copies);
  const length = "length" in view ? view.length : view.byteLength;
  return Reflect.construct(view.constructor, [buffer, view.byteOffset, length]) as object;
}

/** The standard keeps the names of the language's own errors only. */
const ERROR_KINDS = new Map<string, ErrorConstructor>(
  [Error, EvalError, RangeError, ReferenceError, SyntaxError, TypeError, URIError].map((kind) => [
    kind.name,
    kind as ErrorConstructor,
  ]),
);

function cloneError(error: Error, copies: Map<object, object>): Error {
  const Kind = ERROR_KINDS.get(error.name) ?? Error;
  const cause = Object.hasOwn(error, "cause") ? { cause: clone(error.cause, copies) } : undefined;
  const copy = new Kind(error.message, cause);
  defineMember(copy, "stack", error.stack, false);
  return copy;
}

function notCloned(what: string): DOMException {
  return new DOMException(`${what} could not be cloned.`, "DataCloneError");
}
