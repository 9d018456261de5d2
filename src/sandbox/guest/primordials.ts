/**
 * The engine's own functions, taken before a script can replace them. What carries calls, answers, the value and
 * errors uses only these; a script that patches `JSON` or `Array.prototype` then hurts nothing but itself.
 */
const { bind, call } = Function.prototype;

/** Turns a method into a plain function whose first parameter is `this`. */
const uncurry = bind.bind(call) as unknown as <This, Args extends unknown[], Result>(
  method: (this: This, ...args: Args) => Result,
) => (self: This, ...args: Args) => Result;

export const NativePromise = Promise;
export const NativeError = Error;
export const NativeTypeError = TypeError;
export const NativeDate = Date;
export const NativeBigInt = BigInt;
export const NativeString = String;
export const NativeNumber = Number;
export const NativeMap = Map;
export const NativeSet = Set;
export const NativeArrayBuffer = ArrayBuffer;
export const NativeDataView = DataView;
export const NativeUint8Array = Uint8Array;
export const isView = ArrayBuffer.isView;
export const truncate = Math.trunc;
export const least = Math.min;
export const jsonParse = JSON.parse;
export const jsonStringify = JSON.stringify;
export const isArray = Array.isArray;
export const keysOf = Object.keys;
export const defineProperty = Object.defineProperty;
export const construct = Reflect.construct;
export const apply = Reflect.apply;
export const indexOf = uncurry(String.prototype.indexOf);
export const lastIndexOf = uncurry(String.prototype.lastIndexOf);
export const slice = uncurry(String.prototype.slice);
export const startsWith = uncurry(String.prototype.startsWith);
export const charCodeAt = uncurry(String.prototype.charCodeAt);
export const toLowerCase = uncurry(String.prototype.toLowerCase);
export const isPrototype = uncurry(Object.prototype.isPrototypeOf);
export const mapGet = uncurry(Map.prototype.get);
export const mapSet = uncurry(Map.prototype.set);
export const mapHas = uncurry(Map.prototype.has);
export const mapDelete = uncurry(Map.prototype.delete);
export const mapForEach = uncurry(Map.prototype.forEach);
export const setForEach = uncurry(Set.prototype.forEach);
export const weakGet = uncurry(WeakMap.prototype.get);
export const weakSet = uncurry(WeakMap.prototype.set);
export const tagOf = uncurry(Object.prototype.toString);
export const bigintToText = uncurry(BigInt.prototype.toString);

/**
 * Gives `object` a member of its own, whatever setters stand above it. The description has no prototype: a script may
 * have put `get` or `writable` on that of all objects.
 */
export function defineMember(object: object, key: PropertyKey, value: unknown, enumerable: boolean): void {
  const description = { __proto__: null, value, writable: true, enumerable, configurable: true };
  defineProperty(object, key, description);
}

/** Defines a global as the language defines its own: hidden from listing, replaceable by a script. */
export function defineGlobal(name: string, value: unknown): void {
  defineMember(globalThis, name, value, false);
}

/** Appends to a list, past setters for numbers that a script may have put on the prototypes. */
export function append<T>(items: T[], item: T): void {
  defineMember(items, items.length, item, true);
}

/** True for what inherits from the engine's own `Error`; `instanceof` would ask a member that a script can replace. */
export function isError(value: unknown): value is Error {
  return isPrototype(NativeError.prototype, value as object);
}

/**
 * The same promise, safe to be awaited: `await` asks a promise for its `constructor`, which a script may have replaced
 * on the prototype. (`then` would also ask the constructor for its species, so nothing here uses it.)
 */
export function awaitable<T>(promise: Promise<T>): Promise<T> {
  defineMember(promise, "constructor", NativePromise, false);
  return promise;
}
