import { readdir } from "node:fs/promises";
import { dirname } from "node:path/posix";
import { compare } from "../catalog/naming.ts";
import { statIfExists, unslashed } from "../kernel/fsx.ts";
import { forEachAtOnce } from "./at-once.ts";

/** Says of a slashed folder whether it and all above it, below the root, are folders and not links, or missing. */
export type FolderCheck = (folder: string) => Promise<"folder" | "missing" | "foreign">;

/** Creates a folder check that looks at each folder once. */
export function createFolderCheck(root: string): FolderCheck {
  const known = new Map<string, ReturnType<FolderCheck>>([[".", Promise.resolve("folder" as const)]]);
  const check: FolderCheck = (folder) => {
    const answer = known.get(folder) ?? look(folder);
    known.set(folder, answer);
    return answer;
  };
  const look: FolderCheck = async (folder) => {
    const above = await check(dirname(folder));
    if (above !== "folder") return above;
    const stat = await statIfExists(unslashed(root, folder));
    if (stat === undefined) return "missing";
    return stat.isDirectory() ? "folder" : "foreign";
  };
  return check;
}

/** The atomic writer's temporary files: the target's name, a dot, and digits. */
const TEMPORARY = /^(.+)\.\d+$/;

/** Temporary files that a crashed writer left beside `ours`, as slashed paths, sorted. */
export async function findStale(
  root: string,
  ours: ReadonlySet<string>,
  check: FolderCheck,
): Promise<string[]> {
  const stale: string[] = [];
  await forEachAtOnce([...new Set(Array.from(ours, (path) => dirname(path)))], async (folder) => {
    if ((await check(folder)) !== "folder") return;
    const prefix = folder === "." ? "" : `${folder}/`;
    for (const entry of await readdir(unslashed(root, folder), { withFileTypes: true })) {
      const target = TEMPORARY.exec(entry.name)?.[1];
      if (target !== undefined && entry.isFile() && ours.has(prefix + target))
        stale.push(prefix + entry.name);
    }
  });
  return stale.sort(compare);
}
