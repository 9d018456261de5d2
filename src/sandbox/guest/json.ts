import {
  apply,
  bigintToText,
  defineProperty,
  indexOf,
  isArray,
  jsonParse,
  jsonStringify,
  keysOf,
  mapForEach,
  NativeBigInt,
  NativeError,
  NativeString,
  NativeTypeError,
  setForEach,
  slice,
  startsWith,
  tagOf,
} from "./primordials.ts";

/**
 * JSON as it crosses the door. The engine's `JSON.stringify` does the work (own code would be four times slower);
 * hooks named `toJSON` notice what it would drop without a word, and then the careful way below is taken.
 */
let bigintMark = "";
let sawBigint = false;
let isCrossing = false;

/** Thrown by a hook to leave the fast way; never seen outside. */
const LEAVE = { __proto__: null };

/** `nonce` keeps text of a server from looking like one of our marked integers. */
export function installJson(nonce: string): void {
  bigintMark = `#bigint:${nonce}:`;
  hook(BigInt.prototype, function (this: bigint) {
    sawBigint = true;
    return bigintMark + bigintToText(this);
  });
  const noticed = [Map, Set, WeakMap, WeakSet, Promise, Error, ArrayBuffer, DataView];
  for (const kind of [...noticed, Object.getPrototypeOf(Uint8Array)])
    hook(kind.prototype, function (this: object) {
      if (isCrossing) throw LEAVE;
      return this;
    });
  defineProperty(JSON, "stringify", {
    value: function stringify(value: unknown, replacer?: unknown, indent?: string | number) {
      const before = sawBigint;
      sawBigint = false;
      try {
        const text: string | undefined = jsonStringify(value, seeingBigints(replacer) as never, indent);
        return sawBigint && text !== undefined ? withPlainDigits(text) : text;
      } finally {
        sawBigint = before;
      }
    },
    writable: true,
    enumerable: false,
    configurable: true,
  });
}

function hook(prototype: object, toJSON: () => unknown): void {
  defineProperty(prototype, "toJSON", {
    value: toJSON,
    writable: true,
    enumerable: false,
    configurable: true,
  });
}

/** A script's own replacer sees the `bigint`, not our mark: `typeof v === "bigint" ? String(v) : v` is common. */
function seeingBigints(replacer: unknown): unknown {
  if (typeof replacer !== "function") return replacer;
  return function (this: unknown, key: string, value: unknown): unknown {
    const isMarked = typeof value === "string" && startsWith(value, bigintMark);
    const seen = isMarked ? NativeBigInt(slice(value, bigintMark.length)) : value;
    const given: unknown = apply(replacer as () => unknown, this, [key, seen]);
    if (typeof given !== "bigint") return given;
    sawBigint = true;
    return bigintMark + bigintToText(given);
  };
}

/**
 * The JSON text of what leaves the script: arguments of a call, or its value. A `bigint` is printed as digits, a
 * `Map` with text keys as an object (others as pairs), a `Set` and a typed array as an array, an error as its name,
 * message and own members. An empty text stands for `undefined`.
 * @throws TypeError that names the path of what cannot cross: a promise, a cycle, a member that throws
 */
export function toJsonText(value: unknown, root: string): string {
  if (value === undefined) return "";
  if (typeof value === "function" || typeof value === "symbol") throw cannotCross(root, `a ${typeof value}`);
  sawBigint = false;
  isCrossing = true;
  try {
    const text: string | undefined = jsonStringify(value);
    if (text === undefined) return "";
    return sawBigint ? withPlainDigits(text) : text;
  } catch {
    isCrossing = false;
    return carefully(value, root);
  } finally {
    isCrossing = false;
  }
}

/** Parses what the host sends; with a mark, texts that begin with it are integers beyond a double. */
export function fromJsonText(text: string, mark: string): unknown {
  if (text === "") return undefined;
  const value: unknown = jsonParse(text);
  return mark === "" ? value : withBigints(value, mark);
}

function withBigints(value: unknown, mark: string): unknown {
  if (typeof value === "string")
    return startsWith(value, mark) ? NativeBigInt(slice(value, mark.length)) : value;
  if (typeof value !== "object" || value === null) return value;
  const members = value as Record<string, unknown>;
  const keys = keysOf(members);
  for (let index = 0; index < keys.length; index += 1) {
    const key = keys[index] as string;
    const item = members[key];
    if (typeof item === "string" || typeof item === "object") members[key] = withBigints(item, mark);
  }
  return value;
}

function withPlainDigits(text: string): string {
  const quoted = `"${bigintMark}`;
  let plain = "";
  for (let at = 0; ; ) {
    const found = indexOf(text, quoted, at);
    if (found === -1) return plain + slice(text, at);
    const digits = found + quoted.length;
    const end = indexOf(text, '"', digits);
    plain += slice(text, at, found) + slice(text, digits, end);
    at = end + 1;
  }
}

function carefully(value: unknown, root: string): string {
  try {
    return print(value, root, "", []) ?? "";
  } catch (error) {
    if (error instanceof NativeError && error.name === "InternalError" && error.message === "stack overflow")
      throw cannotCross(root, "nested too deeply");
    throw error;
  }
}

/** `undefined` for what JSON leaves out. `parents` are the objects on the way here, to notice a cycle. */
function print(input: unknown, path: string, key: string, parents: object[]): string | undefined {
  const value = typeof input === "bigint" ? input : plain(input, path, key);
  if (typeof value === "bigint") return bigintToText(value);
  if (typeof value !== "object" || value === null) return jsonStringify(value);
  for (let index = 0; index < parents.length; index += 1)
    if (parents[index] === value) throw cannotCross(path, "a circle: it holds itself");
  const depth = parents.length;
  defineProperty(parents, depth, { value, writable: true, enumerable: true, configurable: true });
  let text = "";
  if (isArray(value)) {
    for (let index = 0; index < value.length; index += 1) {
      const item = print(
        read(value, index, `${path}[${index}]`),
        `${path}[${index}]`,
        NativeString(index),
        parents,
      );
      text += `${index === 0 ? "" : ","}${item ?? "null"}`;
    }
    text = `[${text}]`;
  } else {
    const names = keysOf(value);
    for (let index = 0; index < names.length; index += 1) {
      const name = names[index] as string;
      const at = `${path}${memberPath(name)}`;
      const item = print(read(value, name, at), at, name, parents);
      if (item !== undefined) text += `${text === "" ? "" : ","}${jsonStringify(name)}:${item}`;
    }
    text = `{${text}}`;
  }
  parents.length = depth;
  return text;
}

function read(value: object, key: string | number, path: string): unknown {
  try {
    return (value as Record<string | number, unknown>)[key];
  } catch (error) {
    throw cannotCross(
      path,
      `a member that throws (${error instanceof NativeError ? error.message : "no error"})`,
    );
  }
}

/** What JSON would lose, as arrays and objects. */
function plain(value: unknown, path: string, key: string): unknown {
  if (typeof value !== "object" || value === null) return value;
  const tag = tagOf(value);
  if (value instanceof Promise || tag === "[object Promise]")
    throw cannotCross(path, "a promise; await it first");
  if (value instanceof Map) return mapToPlain(value);
  if (value instanceof Set) {
    const items: unknown[] = [];
    setForEach(value as Set<unknown>, (item) => push(items, item));
    return items;
  }
  if (value instanceof NativeError) return { ...value, name: value.name, message: value.message };
  if (value instanceof ArrayBuffer) return Array.from(new Uint8Array(value));
  if (value instanceof DataView)
    return Array.from(new Uint8Array(value.buffer, value.byteOffset, value.byteLength));
  if (ArrayBuffer.isView(value)) return Array.from(value as unknown as ArrayLike<unknown>);
  const { toJSON } = value as { toJSON?: unknown };
  if (typeof toJSON !== "function") return value;
  return (value as { toJSON(key: string): unknown }).toJSON(key);
}

function mapToPlain(map: Map<unknown, unknown>): unknown {
  let hasTextKeys = true;
  const pairs: unknown[] = [];
  const members: Record<string, unknown> = {};
  mapForEach(map, (item, key) => {
    push(pairs, [key, item]);
    if (typeof key !== "string") hasTextKeys = false;
    else defineProperty(members, key, { value: item, writable: true, enumerable: true, configurable: true });
  });
  return hasTextKeys ? members : pairs;
}

function push(items: unknown[], item: unknown): void {
  defineProperty(items, items.length, { value: item, writable: true, enumerable: true, configurable: true });
}

function memberPath(name: string): string {
  for (let index = 0; index < name.length; index += 1) {
    const code = name.charCodeAt(index);
    const isLetter = (code >= 65 && code <= 90) || (code >= 97 && code <= 122) || code === 95 || code === 36;
    if (!isLetter && !(index > 0 && code >= 48 && code <= 57)) return `[${jsonStringify(name)}]`;
  }
  return name === "" ? '[""]' : `.${name}`;
}

function cannotCross(path: string, what: string): TypeError {
  return new NativeTypeError(`Cannot be turned into JSON: ${path} is ${what}.`);
}
