import type { JSRuntimePointer } from "quickjs-emscripten-core";
import type { HeapGauge } from "./heap-gauge.ts";

/**
 * When the engine looks for circles of garbage. It does so by the number of blocks (it cannot see their size): first at 32,768
 * of them, which a large answer passes many times while it is read and which costs a sixth of that time; and never because
 * a few large blocks fill the memory. So it begins later in a large memory, and is asked to when memory runs full.
 */
export interface Collector {
  /** To be called now and then while the guest computes. */
  readonly onTick: () => void;
}

/** What the engine starts with, in its count of eight to a block. */
const USUAL_THRESHOLD = 256 * 1024;
/** One block for so many bytes of memory, at eight to a block: the usual threshold for 16 MiB. */
const BYTES_PER_COUNT = 64;
/** More than the engine's structure has. */
const RUNTIME_WORDS = 256;
/** Memory counts as filling up from this share on, and again each time it has claimed another part of it. */
const FILLING_SHARE = 1 / 2;
const STEP_SHARE = 1 / 8;

/**
 * Finds the threshold in the runtime's structure, by its value in a fresh runtime.
 * @throws Error when it is not there, or not once: the engine's version must be the pinned one
 */
export function createCollector(
  memory: WebAssembly.Memory,
  runtime: JSRuntimePointer,
): (gauge: HeapGauge) => Collector {
  const words = new Uint32Array(memory.buffer, runtime, RUNTIME_WORDS);
  const place = words.indexOf(USUAL_THRESHOLD);
  if (place === -1 || words.lastIndexOf(USUAL_THRESHOLD) !== place)
    throw new Error("The engine is not laid out as expected; its version must be the one that is pinned.");
  const memoryBytes = memory.buffer.byteLength;
  words[place] = Math.max(USUAL_THRESHOLD, Math.floor(memoryBytes / BYTES_PER_COUNT));
  return (gauge) => {
    let nextBytes = memoryBytes * FILLING_SHARE;
    return {
      onTick: () => {
        const claimed = gauge.peakBytes();
        if (claimed < nextBytes) return;
        nextBytes = claimed + memoryBytes * STEP_SHARE;
        // The next object that is made starts the search; the engine then sets a threshold of its own again.
        words[place] = 0;
      },
    };
  };
}
