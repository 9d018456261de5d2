import { createHmac } from "node:crypto";
import { readdir, stat } from "node:fs/promises";
import { join } from "node:path";
import { digestText } from "../../kernel/digest.ts";
import { readIfExists, removeIfExists, writeAtomic } from "../../kernel/fsx.ts";
import { isJsonObject, isSameJson, type Json, own, parseJson, stringifyJson } from "../../kernel/json.ts";
import type { ToolAnswer } from "../../model/call.ts";
import type { ServerName } from "../../model/names.ts";

/** Contents of a resource, and for how long its server says that they hold. */
export interface StoredRead {
  readonly answer: ToolAnswer;
  readonly askedAtMs: number;
  readonly ttlMs: number;
}

/** Which contents: of one resource, read with the credentials that `identity` holds. */
export interface ReadPlace {
  readonly server: ServerName;
  readonly uri: string;
  /** How the server is reached, secrets among it; it does not reach the disk. */
  readonly identity: string;
}

/** Contents of resources that outlive the host. Nothing of it ever rejects: what is not kept is asked for again. */
export interface ReadStore {
  readonly find: (place: ReadPlace) => Promise<StoredRead | undefined>;
  readonly keep: (place: ReadPlace, read: StoredRead) => Promise<void>;
  /** Whoever read it: one resource, or all of a server. */
  readonly forget: (server: ServerName, uri: string | undefined) => Promise<void>;
}

/** What is read longest ago goes first. */
const MAX_BYTES = 32 * 1024 * 1024;

/** Contents are old before that, and then only serve where their server cannot be reached. */
const MAX_AGE_MS = 7 * 24 * 60 * 60 * 1_000;

/**
 * Creates the store in `.mcpfs/reads` of the workspace `root`. A file's name is made with a key of this user, so that contents are
 * found with the credentials alone that read them, by no other user, and never where a repository has brought them along.
 */
export function createReadStore(parts: {
  readonly root: string;
  /** Absent where the user's folder cannot hold one: then nothing is kept. */
  readonly key: () => Promise<string | undefined>;
  /** Hides the config's secrets: contents that hold one do not reach the disk. */
  readonly redact: (value: Json) => Json;
  readonly now: () => number;
}): ReadStore {
  const folder = join(parts.root, ".mcpfs", "reads");
  const pathOf = async ({ server, uri, identity }: ReadPlace): Promise<string | undefined> => {
    const key = await parts.key();
    if (key === undefined) return undefined;
    const seal = createHmac("sha256", key)
      .update(stringifyJson([server, uri, identity]))
      .digest("hex");
    return join(folder, `${startOf(server, uri)}${seal}.json`);
  };
  const filesOf = async (start: string): Promise<readonly string[]> =>
    (await readdir(folder)).filter((name) => name.startsWith(start)).map((name) => join(folder, name));

  // One after the other: what is forgotten while it is being written must be gone in the end.
  let last: Promise<unknown> = Promise.resolve();
  const inTurn = async (work: () => Promise<void>): Promise<void> => {
    last = last.then(() => orNothing(work));
    await last;
  };

  return {
    find: async (place) =>
      await orNothing(async () => {
        const path = await pathOf(place);
        const text = path === undefined ? undefined : await readIfExists(path);
        const read = text === undefined ? undefined : parsed(text);
        const ageMs = read === undefined ? 0 : parts.now() - read.askedAtMs;
        return ageMs < 0 || ageMs > MAX_AGE_MS ? undefined : read;
      }),
    keep: async (place, read) =>
      await inTurn(async () => {
        const { content, structured = null } = read.answer;
        const value = [content, structured] as unknown as Json;
        const path = await pathOf(place);
        if (path === undefined || !isSameJson(parts.redact(value), value)) return;
        await writeAtomic(path, stringifyJson(read), OWNER_ONLY);
        await makeRoom(await filesOf(""));
      }),
    forget: async (server, uri) =>
      await inTurn(async () => {
        for (const path of await filesOf(startOf(server, uri))) await removeIfExists(path);
      }),
  };
}

const OWNER_ONLY = 0o600;

function startOf(server: ServerName, uri: string | undefined): string {
  const start = `${digestText(server).slice(0, 16)}-`;
  return uri === undefined ? start : `${start}${digestText(uri).slice(0, 32)}-`;
}

async function makeRoom(paths: readonly string[]): Promise<void> {
  const files = await Promise.all(
    paths.map(async (path) => {
      const { size, mtimeMs } = await stat(path);
      return { path, size, mtimeMs };
    }),
  );
  let bytes = files.reduce((sum, { size }) => sum + size, 0);
  for (const { path, size } of files.sort((a, b) => a.mtimeMs - b.mtimeMs)) {
    if (bytes <= MAX_BYTES) return;
    await removeIfExists(path);
    bytes -= size;
  }
}

function parsed(text: string): StoredRead | undefined {
  const value = parseJson(text);
  const [answer, askedAtMs, ttlMs] = ["answer", "askedAtMs", "ttlMs"].map((key) => own(value, key));
  const isRead = isJsonObject(answer) && Array.isArray(answer.content) && answer.isError === false;
  return isRead && typeof askedAtMs === "number" && typeof ttlMs === "number"
    ? { answer: answer as unknown as ToolAnswer, askedAtMs, ttlMs }
    : undefined;
}

/** A damaged file, a full disk, a folder that somebody deletes meanwhile: nothing of it may cost a reading. */
async function orNothing<T>(work: () => Promise<T>): Promise<T | undefined> {
  try {
    return await work();
  } catch {
    return undefined;
  }
}
