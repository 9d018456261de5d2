/** Splits a stream of bytes into lines of text. */
export interface LineReader {
  /**
   * Takes one chunk and returns the lines that it completes, without their line ends.
   * @returns `undefined` once a line grew beyond the limit: the stream cannot be read any further
   */
  readonly push: (chunk: Buffer) => readonly string[] | undefined;
}

const NEWLINE = 0x0a;

/**
 * Creates a reader for UTF-8 lines ended by `\n` or `\r\n`. Chunks are kept in a list and joined once a line is
 * complete, so the cost of a line grows with its length and not with its square (30 MB arrive in 500 chunks), and
 * a character that was cut between two chunks is whole again before it is decoded.
 */
export function createLineReader(maxLineBytes: number): LineReader {
  let parts: Buffer[] = [];
  let partBytes = 0;
  const finish = (last: Buffer): string => {
    const line = parts.length === 0 ? last : Buffer.concat([...parts, last], partBytes + last.length);
    parts = [];
    partBytes = 0;
    const text = line.toString("utf8");
    return text.endsWith("\r") ? text.slice(0, -1) : text;
  };
  return {
    push: (chunk) => {
      const lines: string[] = [];
      let from = 0;
      for (let end = chunk.indexOf(NEWLINE); end !== -1; end = chunk.indexOf(NEWLINE, from)) {
        if (partBytes + end - from > maxLineBytes) return undefined;
        lines.push(finish(chunk.subarray(from, end)));
        from = end + 1;
      }
      if (from < chunk.length) {
        parts.push(chunk.subarray(from));
        partBytes += chunk.length - from;
      }
      return partBytes > maxLineBytes ? undefined : lines;
    },
  };
}
