/** The last bytes of a stream that has to be read whether or not anybody wants it. */
export interface OutputTail {
  readonly push: (chunk: Buffer) => void;
  /** What is kept, as text; a character cut at the front is dropped. */
  readonly text: () => string;
}

/** Creates a tail that keeps at least the last `maxBytes` bytes, and never more than twice that plus one chunk. */
export function createOutputTail(maxBytes: number): OutputTail {
  let chunks: Buffer[] = [];
  let bytes = 0;
  const join = (): Buffer => {
    const all = Buffer.concat(chunks, bytes);
    const kept = all.subarray(Math.max(0, all.length - maxBytes));
    // A copy, so that the kept end does not hold a large chunk in memory.
    chunks = [Buffer.from(kept)];
    bytes = kept.length;
    return kept;
  };
  return {
    push: (chunk) => {
      chunks.push(chunk);
      bytes += chunk.length;
      if (bytes > 2 * maxBytes) join();
    },
    text: () => {
      const kept = join();
      let start = 0;
      while (start < 3 && ((kept[start] ?? 0) & 0xc0) === 0x80) start += 1;
      return kept.toString("utf8", start);
    },
  };
}
