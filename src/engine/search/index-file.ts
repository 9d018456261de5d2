import { readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { digestJson } from "../../kernel/digest.ts";
import { writeAtomic } from "../../kernel/fsx.ts";
import type { Catalog } from "../../model/tool.ts";
import type { IndexParts } from "../../search/keyword-index.ts";

const VERSION = "mcpfs-index-1";

/** Keeps the keyword index of a workspace in `.mcpfs/search.bin`. It only saves time: what cannot be read or written is built anew. */
export interface IndexFile {
  /** The index that was written for this stamp. */
  readonly read: (stamp: string) => Promise<IndexParts | undefined>;
  readonly write: (stamp: string, parts: IndexParts) => Promise<void>;
}

export function createIndexFile(root: string): IndexFile {
  const path = join(root, ".mcpfs", "search.bin");
  return {
    read: async (stamp) => {
      const file = await readFile(path).catch(() => undefined);
      return file === undefined ? undefined : decodeIndex(file, stamp);
    },
    write: async (stamp, parts) => {
      await writeAtomic(path, encodeIndex(stamp, parts)).catch(() => {});
    },
  };
}

/**
 * Changes when the catalog may say something else: sizes and times of the files that it is read from, its names, the config. Reading the definitions to
 * compare them would take longer than the index saves.
 */
export async function indexStamp(root: string, config: string, catalog: Catalog): Promise<string> {
  const files = [
    "mcpfs.lock.json",
    ...catalog.servers.map(({ folder }) => `servers/${folder}/.definitions.json`),
  ];
  const states = await Promise.all(
    files.map(async (file) => {
      const found = await stat(join(root, file)).catch(() => undefined);
      return [file, found?.size ?? 0, found?.mtimeMs ?? 0, found?.ino ?? 0];
    }),
  );
  return digestJson([config, states, catalog.servers.map(({ name, tools }) => [name, tools.length])]);
}

/** A line of JSON, then three tables of numbers of four bytes each. */
export function encodeIndex(stamp: string, { starts, documents, weights, ...rest }: IndexParts): Buffer {
  const head = JSON.stringify({ version: VERSION, stamp, ...rest, postings: documents.length });
  const line = Buffer.from(`${head}\n`);
  // Tables begin at a multiple of four, so that they are used where they lie.
  const gap = Buffer.alloc((4 - (line.length % 4)) % 4, " ");
  return Buffer.concat([gap, line, ...[starts, documents, weights].map(bytesOf)]);
}

function bytesOf(table: Uint32Array | Float32Array): Buffer {
  return Buffer.from(table.buffer, table.byteOffset, table.byteLength);
}

/** @returns nothing for another stamp, another version, or a file that was cut */
export function decodeIndex(file: Buffer, stamp: string): IndexParts | undefined {
  const end = file.indexOf("\n");
  const head = parsed(file.toString("utf8", 0, Math.max(end, 0)));
  if (head?.version !== VERSION || head.stamp !== stamp) return undefined;
  const { version: _version, stamp: _stamp, postings, ...rest } = head;
  const starts = rest.stems.length + 1;
  if (file.length !== end + 1 + 4 * (starts + 2 * postings)) return undefined;
  // A copy of its own: the buffer of a small file is a part of Node's pool, at any offset.
  const numbers = new Uint8Array(file.subarray(end + 1)).buffer;
  return {
    ...rest,
    starts: new Uint32Array(numbers, 0, starts),
    documents: new Uint32Array(numbers, 4 * starts, postings),
    weights: new Float32Array(numbers, 4 * (starts + postings), postings),
  };
}

type Head = Omit<IndexParts, "starts" | "documents" | "weights"> & {
  readonly version: string;
  readonly stamp: string;
  readonly postings: number;
};

/** Our own file, written by {@link encodeIndex} of the same version. */
function parsed(text: string): Head | undefined {
  try {
    return JSON.parse(text) as Head;
  } catch {
    return undefined;
  }
}
