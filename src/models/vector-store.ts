import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { systemCode } from "../kernel/errors.ts";
import { writeAtomic } from "../kernel/fsx.ts";

/** Hexadecimal characters of a digest. */
const DIGEST_LENGTH = 64;
const VERSION = "mcpfs-vectors-1";

/** Keeps vectors in `.mcpfs/vectors/`, a file for each embedder: a line that says what it is, the digests, the numbers. Only saves time. */
export function createVectorStore(root: string): {
  readonly read: (embedder: string) => Promise<ReadonlyMap<string, Float32Array>>;
  readonly write: (embedder: string, vectors: ReadonlyMap<string, Float32Array>) => Promise<void>;
} {
  const fileOf = (embedder: string): string => join(root, ".mcpfs", "vectors", `${embedder}.bin`);
  return {
    read: async (embedder) => {
      try {
        return decoded(await readFile(fileOf(embedder)));
      } catch (error) {
        if (systemCode(error) === "ENOENT") return new Map();
        throw error;
      }
    },
    write: async (embedder, vectors) => {
      // A disk that may not be written only costs time.
      await writeAtomic(fileOf(embedder), encoded(vectors)).catch(() => {});
    },
  };
}

function encoded(vectors: ReadonlyMap<string, Float32Array>): Buffer {
  const length = vectors.values().next().value?.length ?? 0;
  const head = Buffer.from(`${VERSION} ${vectors.size} ${length}\n`);
  const digests = Buffer.from([...vectors.keys()].join(""), "latin1");
  const numbers = Buffer.alloc(vectors.size * length * 4);
  let place = 0;
  for (const vector of vectors.values()) {
    for (let at = 0; at < length; at += 1) place = numbers.writeFloatLE(vector[at] ?? 0, place);
  }
  return Buffer.concat([head, digests, numbers]);
}

/** A file of another form, or one that was cut, holds nothing: vectors can be made again. */
function decoded(file: Buffer): ReadonlyMap<string, Float32Array> {
  const end = file.indexOf("\n");
  const [version, count, length] = file.toString("latin1", 0, Math.max(end, 0)).split(" ");
  const [rows, columns] = [Number(count), Number(length)];
  const numbers = end + 1 + rows * DIGEST_LENGTH;
  if (version !== VERSION || file.length !== numbers + rows * columns * 4) return new Map();
  const vectors = new Map<string, Float32Array>();
  for (let row = 0; row < rows; row += 1) {
    const digest = file.toString(
      "latin1",
      end + 1 + row * DIGEST_LENGTH,
      end + 1 + (row + 1) * DIGEST_LENGTH,
    );
    const vector = new Float32Array(columns);
    for (let at = 0; at < columns; at += 1) vector[at] = file.readFloatLE(numbers + (row * columns + at) * 4);
    vectors.set(digest, vector);
  }
  return vectors;
}
