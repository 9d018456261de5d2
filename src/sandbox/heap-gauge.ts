/**
 * Tells how much of an instance's memory was ever in use. The engine cannot say (it counts blocks, not bytes), but
 * its allocator claims memory upwards in pages of 64 KiB and leaves a word that is not zero near the end of what it
 * claimed, always at the same place of a page. Memory above was never written.
 */
const PAGE_BYTES = 65_536;
const WORDS_PER_PAGE = PAGE_BYTES / Uint32Array.BYTES_PER_ELEMENT;

export interface HeapGauge {
  /** Bytes from the start of memory to the end of what was ever claimed; exact to one page. */
  readonly peakBytes: () => number;
}

/** Must be made while the heap is still small: it reads memory from the end to find where the allocator stands. */
export function createHeapGauge(memory: WebAssembly.Memory, usedAtMostBytes: number): HeapGauge {
  const words = new Uint32Array(memory.buffer);
  let end = Math.min(usedAtMostBytes / Uint32Array.BYTES_PER_ELEMENT, words.length) - 1;
  while (end > 0 && words[end] === 0) end -= 1;
  const place = end % WORDS_PER_PAGE;
  return {
    peakBytes: () => {
      let at = words.length - WORDS_PER_PAGE + place;
      while (at > end && words[at] === 0) at -= WORDS_PER_PAGE;
      return (at + 1) * Uint32Array.BYTES_PER_ELEMENT;
    },
  };
}
