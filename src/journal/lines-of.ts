import { createReadStream } from "node:fs";

/** As much of a file as is in memory at a time. */
const CHUNK_BYTES = 1024 * 1024;
const NEWLINE = 10;

/** The lines of a file, some at a time. What stands after the last end of a line, where a crash cut a line off, is left out. */
export async function* linesOf(path: string): AsyncGenerator<readonly string[]> {
  let begun: Buffer[] = [];
  for await (const read of createReadStream(path, { highWaterMark: CHUNK_BYTES })) {
    const chunk = read as Buffer;
    const end = chunk.lastIndexOf(NEWLINE) + 1;
    if (end > 0) {
      const lines = Buffer.concat([...begun, chunk.subarray(0, end)])
        .toString("utf8")
        .split("\n");
      lines.pop();
      begun = [];
      yield lines;
    }
    begun.push(chunk.subarray(end));
  }
}
