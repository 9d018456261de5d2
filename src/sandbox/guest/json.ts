import {
  append,
  apply,
  bigintToText,
  charCodeAt,
  defineMember,
  indexOf,
  isArray,
  isError,
  isPrototype,
  isView,
  jsonParse,
  jsonStringify,
  keysOf,
  mapForEach,
  NativeArrayBuffer,
  NativeBigInt,
  NativeDataView,
  NativeMap,
  NativePromise,
  NativeSet,
  NativeString,
  NativeTypeError,
  NativeUint8Array,
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
  const stringify = (value: unknown, replacer?: unknown, indent?: string | number): string | undefined =>
    inState(false, () => {
      const text: string | undefined = jsonStringify(value, seeingBigints(replacer) as never, indent);
      return sawBigint && text !== undefined ? withPlainDigits(text) : text;
    });
  defineMember(JSON, "stringify", stringify, false);
}

function hook(prototype: object, toJSON: () => unknown): void {
  defineMember(prototype, "toJSON", toJSON, false);
}

/** A `toJSON` of the script may itself print JSON or call a tool; what surrounds it then goes on as before. */
function inState<T>(crossing: boolean, work: () => T): T {
  const sawBefore = sawBigint;
  const crossedBefore = isCrossing;
  sawBigint = false;
  isCrossing = crossing;
  try {
    return work();
  } finally {
    sawBigint = sawBefore;
    isCrossing = crossedBefore;
  }
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
  // As `inState` does, without its closure: each call comes by here.
  const sawBefore = sawBigint;
  const crossedBefore = isCrossing;
  sawBigint = false;
  isCrossing = true;
  try {
    const text: string | undefined = jsonStringify(value);
    if (text === undefined) return "";
    return sawBigint ? withPlainDigits(text) : text;
  } catch {
    return inState(false, () => carefully(value, root));
  } finally {
    sawBigint = sawBefore;
    isCrossing = crossedBefore;
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

/** A script can ask a `bigint` for our mark, and put it before anything: only digits of a value lose their quotes. */
function withPlainDigits(text: string): string {
  const quoted = `"${bigintMark}`;
  let plain = "";
  for (let at = 0; ; ) {
    const found = indexOf(text, quoted, at);
    if (found === -1) return plain + slice(text, at);
    const digits = found + quoted.length;
    const end = endOfDigits(text, digits);
    const isOurs = end > digits && charCodeAt(text, end) === QUOTE && charCodeAt(text, end + 1) !== COLON;
    plain += slice(text, at, found) + slice(text, isOurs ? digits : found, end);
    at = isOurs ? end + 1 : end;
  }
}

const QUOTE = 34;
const MINUS = 45;
const COLON = 58;

/** The index behind the integer that begins at `start`, or `start` where there is none. */
function endOfDigits(text: string, start: number): number {
  const first = charCodeAt(text, start) === MINUS ? start + 1 : start;
  let end = first;
  for (let code = charCodeAt(text, end); code >= 48 && code <= 57; code = charCodeAt(text, end)) end += 1;
  return end === first ? start : end;
}

function carefully(value: unknown, root: string): string {
  try {
    return print(value, root, "", []) ?? "";
  } catch (error) {
    if (isError(error) && error.name === "InternalError" && error.message === "stack overflow")
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
  append<object>(parents, value);
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
    throw cannotCross(path, `a member that throws (${isError(error) ? error.message : "no error"})`);
  }
}

/** What JSON would lose, as arrays and objects. */
function plain(value: unknown, path: string, key: string): unknown {
  if (typeof value !== "object" || value === null) return value;
  const tag = tagOf(value);
  if (isKind(value, NativePromise) || tag === "[object Promise]")
    throw cannotCross(path, "a promise; await it first");
  if (isKind(value, NativeMap)) return mapToPlain(value as Map<unknown, unknown>);
  if (isKind(value, NativeSet)) {
    const items: unknown[] = [];
    setForEach(value as Set<unknown>, (item) => append(items, item));
    return items;
  }
  if (isError(value)) return { ...value, name: value.name, message: value.message };
  if (isKind(value, NativeArrayBuffer)) return listOf(new NativeUint8Array(value as ArrayBuffer));
  if (isKind(value, NativeDataView)) {
    const { buffer, byteOffset, byteLength } = value as DataView;
    return listOf(new NativeUint8Array(buffer, byteOffset, byteLength));
  }
  if (isView(value)) return listOf(value as unknown as ArrayLike<unknown>);
  const { toJSON } = value as { toJSON?: unknown };
  if (typeof toJSON !== "function") return value;
  return (value as { toJSON(key: string): unknown }).toJSON(key);
}

function isKind(value: object, kind: { readonly prototype: object }): boolean {
  return isPrototype(kind.prototype, value);
}

function listOf(items: ArrayLike<unknown>): unknown[] {
  const list: unknown[] = [];
  for (let index = 0; index < items.length; index += 1) append(list, items[index]);
  return list;
}

function mapToPlain(map: Map<unknown, unknown>): unknown {
  let hasTextKeys = true;
  const pairs: unknown[] = [];
  const members: Record<string, unknown> = {};
  mapForEach(map, (item, key) => {
    append(pairs, [key, item]);
    if (typeof key !== "string") hasTextKeys = false;
    else defineMember(members, key, item, true);
  });
  return hasTextKeys ? members : pairs;
}

function memberPath(name: string): string {
  for (let index = 0; index < name.length; index += 1) {
    const code = charCodeAt(name, index);
    const isLetter = (code >= 65 && code <= 90) || (code >= 97 && code <= 122) || code === 95 || code === 36;
    if (!isLetter && !(index > 0 && code >= 48 && code <= 57)) return `[${jsonStringify(name)}]`;
  }
  return name === "" ? '[""]' : `.${name}`;
}

function cannotCross(path: string, what: string): TypeError {
  return new NativeTypeError(`Cannot be turned into JSON: ${path} is ${what}.`);
}
