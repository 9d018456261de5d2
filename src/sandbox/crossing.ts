import type {
  JSRuntimePointer,
  JSValueConstPointer,
  JSValuePointer,
  QuickJSContext,
  QuickJSHandle,
} from "quickjs-emscripten-core";
import { REFUSED } from "./guest-contract.ts";

/** The one function that the guest gets: header and arguments as JSON text; gives a number. */
export type HostCall = (header: string, argumentsText: string) => number;

/** The name of the only host function; the guest library takes it away and puts its own in its place. */
export const HOST_FUNCTION = "callMCPTool";

/** The guest's memory has no room for what the host wanted to put there. */
export class NoRoom extends Error {}

/** What the library keeps to itself and the ways below need; the version is pinned. */
interface Internals {
  readonly rt: { readonly value: JSRuntimePointer };
  readonly ctx: { readonly value: number };
  readonly runtime: { readonly rt: { readonly value: JSRuntimePointer } };
  readonly module: {
    _malloc(bytes: number): number;
    _free(place: number): void;
    UTF8ToString(place: number): string;
  };
  readonly ffi: {
    QTS_NewString(context: number, text: number): JSValuePointer;
    QTS_NewFloat64(context: number, value: number): JSValuePointer;
    QTS_GetString(context: number, value: JSValueConstPointer): number;
    QTS_FreeCString(context: number, text: number): void;
    QTS_ArgvGetJSValueConstPointer(values: number, index: number): JSValueConstPointer;
  };
  readonly cToHostCallbacks: {
    callFunction: (context: number, self: number, count: number, values: number) => JSValuePointer;
  };
}

/** Below this many characters the library's own way, a loop over them, is as fast. */
const LONG_TEXT = 256;

/**
 * Makes a string of the guest. The library writes texts character by character, which takes 90 ms for 10 MB; the
 * platform's encoder writes the same bytes in 8 ms.
 * @throws NoRoom when they do not fit (the library would write to address 0)
 */
export function newText(context: QuickJSContext, memory: WebAssembly.Memory, text: string): QuickJSHandle {
  if (text.length < LONG_TEXT) return context.newString(text);
  const { module, ffi, ctx, runtime } = context as unknown as Internals;
  const bytes = Buffer.byteLength(text);
  const place = module._malloc(bytes + 1);
  if (place === 0) throw new NoRoom();
  try {
    const target = new Uint8Array(memory.buffer, place, bytes + 1);
    encoder.encodeInto(text, target);
    target[bytes] = 0;
    return context.getMemory(runtime.rt.value).heapValueHandle(ffi.QTS_NewString(ctx.value, place));
  } finally {
    module._free(place);
  }
}

const encoder = new TextEncoder();

/**
 * Puts the one host function on the global object. What it does is written on the engine's own functions: the
 * library's wrapping of each parameter and of the result costs more than all the rest of a call.
 */
export function installHostFunction(context: QuickJSContext, onCall: HostCall): void {
  const hostFunction = context.newFunction(HOST_FUNCTION, () => context.undefined);
  context.setProp(context.global, HOST_FUNCTION, hostFunction);
  hostFunction.dispose();
  const { module, ffi, cToHostCallbacks } = context as unknown as Internals;
  const textOf = (pointer: number, values: number, index: number): string => {
    const place = ffi.QTS_GetString(pointer, ffi.QTS_ArgvGetJSValueConstPointer(values, index));
    const text = module.UTF8ToString(place);
    ffi.QTS_FreeCString(pointer, place);
    return text;
  };
  cToHostCallbacks.callFunction = (pointer, _self, count, values) => {
    const given =
      count === 2 ? onCall(textOf(pointer, values, 0), textOf(pointer, values, 1)) : REFUSED.malformed;
    return ffi.QTS_NewFloat64(pointer, given);
  };
}
