import type {
  JSRuntimePointer,
  JSValueConstPointer,
  JSValuePointer,
  QuickJSContext,
  QuickJSHandle,
} from "quickjs-emscripten-core";
import { REFUSED } from "./guest-contract.ts";

/**
 * What passes between host and guest. It is written on the engine's own functions: the library's handles, and its wrapping
 * of each parameter and result, take more time than all the rest of a call.
 */
export interface Crossing {
  /** Makes a string of the guest. @throws NoRoom when it does not fit (the library would write to address 0) */
  readonly newText: (text: string) => QuickJSHandle;
  /** Calls a function of the guest that gives nothing, and gives what it threw. @throws NoRoom when a text does not fit */
  readonly call: (guestFunction: QuickJSHandle, texts: readonly string[]) => QuickJSHandle | undefined;
  /** Runs at most so many of the guest's jobs, and gives what one of them threw. */
  readonly runJobs: (maxJobs: number) => QuickJSHandle | undefined;
  /** Makes an `ArrayBuffer` of the guest over memory that the host sees too. @throws NoRoom */
  readonly shareNumbers: (count: number) => {
    readonly numbers: Float64Array;
    readonly buffer: QuickJSHandle;
  };
}

/** The one function that the guest gets: name and arguments as JSON text; gives a number. */
export type HostCall = (nameText: string, argumentsText: string) => number;

/** The name of the only host function; the guest library takes it away and puts its own in its place. */
export const HOST_FUNCTION = "callMCPTool";

/** The guest's memory has no room for what the host wanted to put there. */
export class NoRoom extends Error {}

/** What the library keeps to itself and the ways below need; the version is pinned. */
interface Internals {
  readonly ctx: { readonly value: number };
  readonly runtime: { readonly rt: { readonly value: JSRuntimePointer } };
  readonly module: {
    _malloc(bytes: number): number;
    _free(place: number): void;
  };
  readonly ffi: {
    QTS_NewString(context: number, text: number): JSValuePointer;
    QTS_NewFloat64(context: number, value: number): JSValuePointer;
    QTS_NewArrayBuffer(context: number, place: number, bytes: number): JSValuePointer;
    QTS_GetString(context: number, value: JSValueConstPointer): number;
    QTS_FreeCString(context: number, text: number): void;
    QTS_FreeValuePointer(context: number, value: JSValuePointer): void;
    QTS_FreeValuePointerRuntime(runtime: JSRuntimePointer, value: JSValuePointer): void;
    QTS_ArgvGetJSValueConstPointer(values: number, index: number): JSValueConstPointer;
    QTS_Call(context: number, called: number, self: number, count: number, values: number): JSValuePointer;
    QTS_ResolveException(context: number, result: JSValuePointer): JSValuePointer;
    QTS_ExecutePendingJob(runtime: JSRuntimePointer, maxJobs: number, contextOut: number): JSValuePointer;
    QTS_Typeof(context: number, value: JSValuePointer): number;
  };
  readonly cToHostCallbacks: {
    callFunction: (context: number, self: number, count: number, values: number) => JSValuePointer;
  };
}

/** Texts of so many bytes are written to one place that is kept; longer ones get a place of their own. */
const SCRATCH_BYTES = 8_192;
/** UTF-8 takes at most so many bytes for one unit of a text. */
const MAX_UNIT_BYTES = 3;
const POINTER_BYTES = 4;
const MAX_TEXTS = 2;

/** To be made once for a context, before the script; it takes some places of the guest's memory and keeps them. */
export function createCrossing(context: QuickJSContext, memory: WebAssembly.Memory): Crossing {
  const { module, ffi, ctx, runtime } = context as unknown as Internals;
  const bytes = Buffer.from(memory.buffer);
  const words = new Uint32Array(memory.buffer);
  const place = (size: number): number => {
    const found = module._malloc(size);
    if (found === 0) throw new NoRoom();
    return found;
  };
  const scratch = place(SCRATCH_BYTES);
  const values = place(MAX_TEXTS * POINTER_BYTES);
  const contextOut = place(POINTER_BYTES);
  const handle = (value: JSValuePointer): QuickJSHandle =>
    context.getMemory(runtime.rt.value).heapValueHandle(value);

  const textAt = (start: number, text: string): JSValuePointer => {
    bytes[start + bytes.write(text, start)] = 0;
    return ffi.QTS_NewString(ctx.value, start);
  };
  /** The platform's encoder writes 10 MB in 8 ms; the library, character by character, in 90. */
  const newText = (text: string): JSValuePointer => {
    if (text.length * MAX_UNIT_BYTES < SCRATCH_BYTES) return textAt(scratch, text);
    const start = place(Buffer.byteLength(text) + 1);
    try {
      return textAt(start, text);
    } finally {
      module._free(start);
    }
  };

  return {
    newText: (text) => handle(newText(text)),
    call: (guestFunction, texts) => {
      const passed: JSValuePointer[] = [];
      try {
        for (const text of texts) {
          const value = newText(text);
          words[values / POINTER_BYTES + passed.length] = value;
          passed.push(value);
        }
        const self = context.undefined.value;
        const result = ffi.QTS_Call(ctx.value, guestFunction.value, self, passed.length, values);
        const thrown = ffi.QTS_ResolveException(ctx.value, result);
        ffi.QTS_FreeValuePointer(ctx.value, result);
        return thrown === 0 ? undefined : handle(thrown);
      } finally {
        for (const value of passed) ffi.QTS_FreeValuePointer(ctx.value, value);
      }
    },
    runJobs: (maxJobs) => {
      words[contextOut / POINTER_BYTES] = 0;
      const result = ffi.QTS_ExecutePendingJob(runtime.rt.value, maxJobs, contextOut);
      // Without a context there was no job. Else it is their number, or what the last one threw.
      if (words[contextOut / POINTER_BYTES] !== 0) {
        const kind = ffi.QTS_Typeof(ctx.value, result);
        const isNumber = kind !== 0 && bytes[kind] === FIRST_OF_NUMBER;
        module._free(kind);
        if (!isNumber) return handle(result);
      }
      ffi.QTS_FreeValuePointerRuntime(runtime.rt.value, result);
      return undefined;
    },
    shareNumbers: (count) => {
      const size = count * Float64Array.BYTES_PER_ELEMENT;
      const start = place(size);
      bytes.fill(0, start, start + size);
      return {
        numbers: new Float64Array(memory.buffer, start, count),
        buffer: handle(ffi.QTS_NewArrayBuffer(ctx.value, start, size)),
      };
    },
  };
}

/** Of all that `typeof` says only `number` begins so. */
const FIRST_OF_NUMBER = "n".charCodeAt(0);

/** Puts the one host function on the global object. */
export function installHostFunction(
  context: QuickJSContext,
  memory: WebAssembly.Memory,
  onCall: HostCall,
): void {
  const hostFunction = context.newFunction(HOST_FUNCTION, () => context.undefined);
  context.setProp(context.global, HOST_FUNCTION, hostFunction);
  hostFunction.dispose();
  const { ffi, cToHostCallbacks } = context as unknown as Internals;
  const bytes = Buffer.from(memory.buffer);
  const textOf = (pointer: number, values: number, index: number): string => {
    const start = ffi.QTS_GetString(pointer, ffi.QTS_ArgvGetJSValueConstPointer(values, index));
    // No room for the copy that leaves: nothing is read from address 0.
    if (start === 0) return "";
    const text = bytes.toString("utf8", start, bytes.indexOf(0, start));
    ffi.QTS_FreeCString(pointer, start);
    return text;
  };
  cToHostCallbacks.callFunction = (pointer, _self, count, values) => {
    const given =
      count === 2 ? onCall(textOf(pointer, values, 0), textOf(pointer, values, 1)) : REFUSED.malformed;
    return ffi.QTS_NewFloat64(pointer, given);
  };
}
