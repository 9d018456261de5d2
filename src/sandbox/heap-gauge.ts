/**
 * Tells how much of an instance's memory was ever in use. The engine cannot say (it counts blocks, not bytes), but its
 * allocator keeps the end of what it has claimed in one word, and never claims less again. The word is found in a
 * fresh instance by its value: claimed memory ends at a page of 4 KiB, near whose end stands the last word that is
 * not zero.
 */
const PAGE_BYTES = 4_096;

export interface HeapGauge {
  /** Bytes from the start of memory to the end of what was ever claimed. */
  readonly peakBytes: () => number;
}

/**
 * @param usedAtMostBytes more than a fresh instance uses: only that much is read
 * @throws Error when the allocator is not the expected one
 */
export function createHeapGauge(memory: WebAssembly.Memory, usedAtMostBytes: number): HeapGauge {
  const words = new Uint32Array(memory.buffer);
  const wordsAtMost = Math.min(usedAtMostBytes / Uint32Array.BYTES_PER_ELEMENT, words.length);
  const fresh = words.subarray(0, wordsAtMost);
  const last = fresh.findLastIndex((word) => word !== 0) * Uint32Array.BYTES_PER_ELEMENT;
  const place = fresh.indexOf(Math.ceil(last / PAGE_BYTES) * PAGE_BYTES);
  if (place === -1)
    throw new Error("The engine's allocator is not the expected one; its version must be the pinned one.");
  return { peakBytes: () => words[place] ?? 0 };
}
