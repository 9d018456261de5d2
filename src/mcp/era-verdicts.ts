import { digestJson } from "../kernel/digest.ts";
import { readIfExists, writeAtomic } from "../kernel/fsx.ts";
import { isJsonObject, own, parseJson, stringifyJson } from "../kernel/json.ts";
import type { ServerEntry } from "../model/server-entry.ts";
import type { Era } from "./connect.ts";

/** Which generation of the protocol a server spoke last, so that no connect has to find out again. */
export interface EraVerdicts {
  readonly get: (entry: ServerEntry) => Promise<Era | undefined>;
  /** Never rejects: a verdict that is not kept costs a probe. */
  readonly learn: (entry: ServerEntry, era: Era) => Promise<void>;
}

/** After a week the server is asked anew: it may have learned the newer revision, and nothing else would show that. */
const KEPT_MS = 7 * 24 * 60 * 60 * 1_000;

/** Creates the store in the file `path`. Keys are digests of how a server is reached, so a changed command is asked anew. */
export function createEraVerdicts(path: string, now: () => number = Date.now): EraVerdicts {
  const read = async (): Promise<ReadonlyMap<string, { readonly era: Era; readonly atMs: number }>> => {
    const value = parsed(await readIfExists(path).catch(() => undefined));
    const verdicts = Object.entries(isJsonObject(value) ? value : {}).flatMap(([key, item]) => {
      const [era, atMs] = [own(item, "era"), own(item, "atMs")];
      const isKept = typeof atMs === "number" && Math.abs(now() - atMs) < KEPT_MS;
      return isKept && (era === "legacy" || era === "modern") ? [[key, { era, atMs }] as const] : [];
    });
    return new Map(verdicts);
  };
  let last: Promise<void> = Promise.resolve();
  let reading: ReturnType<typeof read> | undefined;
  // What was told of a server: when it turns out to speak just that, nothing has to be read again (146 servers, 292 readings).
  const told = new Map<string, Era>();
  return {
    get: async (entry) => {
      // Servers start many at a time, and share one reading.
      reading ??= read().finally(() => {
        reading = undefined;
      });
      const key = keyOf(entry);
      const era = (await reading).get(key)?.era;
      if (era !== undefined) told.set(key, era);
      return era;
    },
    learn: (entry, era) => {
      if (told.get(keyOf(entry)) === era) return last;
      told.delete(keyOf(entry));
      last = last.then(async () => {
        const verdicts = await read();
        if (verdicts.get(keyOf(entry))?.era === era) return;
        const next = new Map(verdicts).set(keyOf(entry), { era, atMs: now() });
        await writeAtomic(path, `${stringifyJson(Object.fromEntries(next))}\n`).catch(() => {});
      });
      return last;
    },
  };
}

function keyOf({ name, transport }: ServerEntry): string {
  // Secrets do not decide the era, and not even their digest has to lie on a disk.
  return digestJson({ name, ...transport, env: null, headers: null }).slice(0, 32);
}

function parsed(text: string | undefined): unknown {
  try {
    return parseJson(text ?? "{}");
  } catch {
    return undefined;
  }
}
