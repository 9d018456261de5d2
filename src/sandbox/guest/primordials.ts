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
export const jsonParse = JSON.parse;
export const jsonStringify = JSON.stringify;
export const isArray = Array.isArray;
export const keysOf = Object.keys;
export const defineProperty = Object.defineProperty;
export const construct = Reflect.construct;
export const apply = Reflect.apply;
export const promiseThen = uncurry(Promise.prototype.then);
export const indexOf = uncurry(String.prototype.indexOf);
export const lastIndexOf = uncurry(String.prototype.lastIndexOf);
export const slice = uncurry(String.prototype.slice);
export const startsWith = uncurry(String.prototype.startsWith);
export const mapGet = uncurry(Map.prototype.get);
export const mapSet = uncurry(Map.prototype.set);
export const mapDelete = uncurry(Map.prototype.delete);
export const mapForEach = uncurry(Map.prototype.forEach);
export const setForEach = uncurry(Set.prototype.forEach);
export const weakGet = uncurry(WeakMap.prototype.get);
export const weakSet = uncurry(WeakMap.prototype.set);
export const tagOf = uncurry(Object.prototype.toString);
export const bigintToText = uncurry(BigInt.prototype.toString);

/** Defines a global as the language defines its own: hidden from listing, replaceable by a script. */
export function defineGlobal(name: string, value: unknown): void {
  defineProperty(globalThis, name, { value, writable: true, enumerable: false, configurable: true });
}
