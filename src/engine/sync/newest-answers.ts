import { join } from "node:path";
import { readIfExists, writeAtomic } from "../../kernel/fsx.ts";
import { isJsonObject, parseJson, stringifyJson } from "../../kernel/json.ts";
import type { ServerName } from "../../model/names.ts";
import type { Answer } from "./sync-report.ts";

/**
 * Leaves out answers to questions that were asked before the one whose answer the tree has now: a sync that waited for a slow server
 * would undo what a watch beside it has written meanwhile. Call it under the workspace's lock.
 */
export async function newestAnswers(
  root: string,
  answers: ReadonlyMap<ServerName, Answer>,
): Promise<ReadonlyMap<ServerName, Answer>> {
  const written = await readTimes(root);
  return new Map(
    [...answers].map(([name, answer]) => {
      const isOld = answer.kind === "listed" && answer.askedAtMs < (written.get(name) ?? 0);
      return [name, isOld ? { kind: "kept" } : answer];
    }),
  );
}

/** Notes when the answers were asked for that the tree has from now on. Call it under the workspace's lock. */
export async function noteAnswers(root: string, answers: ReadonlyMap<ServerName, Answer>): Promise<void> {
  const times = new Map(await readTimes(root));
  let isNews = false;
  for (const [name, answer] of answers) {
    if (answer.kind !== "listed") continue;
    times.set(name, answer.askedAtMs);
    isNews = true;
  }
  if (isNews) await writeAtomic(timesPath(root), `${stringifyJson(Object.fromEntries(times))}\n`);
}

/** A time that is yet to come is that of a clock which was set back since; it says nothing. */
async function readTimes(root: string): Promise<ReadonlyMap<ServerName, number>> {
  const times = new Map<ServerName, number>();
  for (const [name, atMs] of Object.entries(parsed(await readIfExists(timesPath(root)))))
    if (typeof atMs === "number" && atMs <= Date.now()) times.set(name as ServerName, atMs);
  return times;
}

function timesPath(root: string): string {
  return join(root, ".mcpfs", "asked.json");
}

/** A file that cannot be understood says nothing either. */
function parsed(text: string | undefined): object {
  try {
    const value = parseJson(text ?? "{}");
    return isJsonObject(value) ? value : {};
  } catch {
    return {};
  }
}
