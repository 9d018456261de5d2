import type {
  JSContextPointer,
  JSRuntimePointer,
  JSValueConstPointer,
  JSValuePointer,
} from "quickjs-emscripten-core";
import { TABLE_EXPORT } from "./engine-module.ts";

/**
 * Rejections that nobody handled. The engine has a hook for them (`JS_SetHostPromiseRejectionTracker`), which the
 * published build does not export; a promise of an async function cannot be seen from inside the guest. So the
 * hook's two words in the runtime's structure are written directly: they follow the interrupt handler's two, whose
 * place is found by watching what setting that handler changes.
 */
export interface RejectionTracker {
  /** Reasons of promises rejected and not handled so far, in order, as owned values. */
  readonly take: () => readonly JSValuePointer[];
}

/** What the tracker uses of the engine's functions. */
export interface EngineValueFunctions {
  readonly QTS_DupValuePointer: (context: JSContextPointer, value: JSValueConstPointer) => JSValuePointer;
  readonly QTS_FreeValuePointer: (context: JSContextPointer, value: JSValuePointer) => void;
}

interface Rejection {
  readonly context: JSContextPointer;
  readonly promise: JSValuePointer;
  readonly reason: JSValuePointer;
}

/** A script may reject without end; what is named of them need not be without end. */
const MAX_TRACKED = 100;

/** The interrupt handler and its opaque word stand right before the tracker and its own. */
const WORDS_AFTER_HANDLER = 2;
/** More than the engine's structure has. */
const RUNTIME_WORDS = 256;

/** Calls `set`, and gives the place of the one word of the runtime that it changed from zero. */
export function placeChangedBy(
  memory: WebAssembly.Memory,
  runtime: JSRuntimePointer,
  set: () => void,
): number | undefined {
  const words = new Uint32Array(memory.buffer, runtime, RUNTIME_WORDS);
  const before = words.slice();
  set();
  const changed: number[] = [];
  for (let index = 0; index < RUNTIME_WORDS; index += 1)
    if (words[index] !== before[index]) changed.push(index);
  const [place] = changed;
  return changed.length === 1 && place !== undefined && before[place] === 0 ? place : undefined;
}

/**
 * Sets the hook. `handlerPlace` is the interrupt handler's; `cell` is a scratch place of eight bytes in the guest's
 * memory, where a value that came in a register is put so that the engine's functions can read it.
 */
export function trackRejections(options: {
  readonly instance: WebAssembly.Instance;
  readonly memory: WebAssembly.Memory;
  readonly runtime: JSRuntimePointer;
  readonly handlerPlace: number;
  readonly cell: number;
  readonly values: EngineValueFunctions;
}): RejectionTracker {
  const { memory, values } = options;
  const rejections = new Map<bigint, Rejection>();
  const cells = new BigInt64Array(memory.buffer);
  const own = (context: JSContextPointer, value: bigint): JSValuePointer => {
    cells[options.cell / BigInt64Array.BYTES_PER_ELEMENT] = value;
    return values.QTS_DupValuePointer(context, options.cell as JSValueConstPointer);
  };
  const free = ({ context, promise, reason }: Rejection): void => {
    values.QTS_FreeValuePointer(context, promise);
    values.QTS_FreeValuePointer(context, reason);
  };
  const note = (context: JSContextPointer, promise: bigint, reason: bigint, isHandled: number): void => {
    const known = rejections.get(promise);
    if (isHandled !== 0) {
      if (known === undefined) return;
      rejections.delete(promise);
      free(known);
    } else if (known === undefined && rejections.size < MAX_TRACKED)
      rejections.set(promise, { context, promise: own(context, promise), reason: own(context, reason) });
  };
  const table = options.instance.exports[TABLE_EXPORT] as WebAssembly.Table;
  const slot = table.grow(1);
  table.set(slot, asEngineFunction(note));
  const words = new Uint32Array(memory.buffer, options.runtime, RUNTIME_WORDS);
  words[options.handlerPlace + WORDS_AFTER_HANDLER] = slot;
  return {
    take: () => {
      const reasons = [...rejections.values()].map(({ reason }) => reason);
      rejections.clear();
      return reasons;
    },
  };
}

/**
 * A function of the engine's type `(context, promise, reason, isHandled, opaque)`, 32-bit words but for the two values
 * of 64. The module imports a function `e.f` of that type and exports it as `f`.
 */
function asEngineFunction(
  work: (context: JSContextPointer, a: bigint, b: bigint, c: number) => void,
): unknown {
  const [i32, i64] = [0x7f, 0x7e];
  const type = [1, 9, 1, 0x60, 5, i32, i64, i64, i32, i32, 0];
  const imported = [2, 7, 1, 1, 0x65, 1, 0x66, 0, 0];
  const exported = [7, 5, 1, 1, 0x66, 0, 0];
  const bytes = Uint8Array.of(0, 0x61, 0x73, 0x6d, 1, 0, 0, 0, ...type, ...imported, ...exported);
  return new WebAssembly.Instance(new WebAssembly.Module(bytes), { e: { f: work } }).exports.f;
}
