import type { ServedChange } from "../protocol/served.ts";
import { resourceUri } from "./resources.ts";
import type { TreeFiles } from "./tree-files.ts";

/** Notices what becomes of the tree and the skills, whoever writes them. */
export interface TreeChanges {
  /** Looks now instead of at the next glance. */
  readonly look: () => Promise<void>;
  readonly close: () => void;
}

/** A glance at a tree of 500 tools takes 10 ms; events of the file system are missing on too many disks. */
const GLANCE_MS = 2_000;

/** Begins to look. `isNeeded` is false while nobody would hear of a change. */
export async function watchTree(
  files: TreeFiles,
  onChange: (change: ServedChange) => void,
  isNeeded: () => boolean,
): Promise<TreeChanges> {
  let before = await files.fingerprints();
  let looking: Promise<void> | undefined;

  const compare = async (): Promise<void> => {
    const now = await files.fingerprints();
    const old = before;
    before = now;
    const changed = [...now].filter(([path, stamp]) => old.get(path) !== stamp).map(([path]) => path);
    const gone = [...old.keys()].filter((path) => !now.has(path));
    const isListOther = gone.length > 0 || changed.some((path) => !old.has(path));
    if (isListOther) onChange({ kind: "resources" });
    for (const path of [...changed, ...gone]) onChange({ kind: "resource", uri: resourceUri(path) });
    if ([...changed, ...gone].some((path) => path.startsWith("skills/"))) onChange({ kind: "prompts" });
  };
  const look = async (): Promise<void> => {
    // One that began before the change may have missed it.
    await looking;
    looking ??= compare().finally(() => {
      looking = undefined;
    });
    await looking;
  };
  const glance = setInterval(() => {
    if (isNeeded()) void look();
  }, GLANCE_MS).unref();
  return { look, close: () => clearInterval(glance) };
}
