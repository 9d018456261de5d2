import { listingKeys } from "../../catalog/listing-keys.ts";
import { toMcpfsError } from "../../kernel/errors.ts";
import { withFileLock } from "../../kernel/file-lock.ts";
import type { Json } from "../../kernel/json.ts";
import { shapeDifferences } from "../../learning/differences.ts";
import { keepTexts } from "../../learning/keep-texts.ts";
import type { Learned } from "../../learning/learned.ts";
import { mergeShapes } from "../../learning/merge-shapes.ts";
import { settleShape } from "../../learning/settle-shape.ts";
import { NOTHING, type Shape } from "../../learning/shape.ts";
import { isSameShape } from "../../learning/shape-json.ts";
import { shapeOf } from "../../learning/shape-of.ts";
import type { ListingKey, ServerName } from "../../model/names.ts";
import type { ServerEntry } from "../../model/server-entry.ts";
import type { RawTool, Tool } from "../../model/tool.ts";
import { readLearned, writeLearned } from "../../tree/learned-file.ts";
import { lockPath } from "../../tree/lock-path.ts";

/** Collects the shapes of one run's answers. */
export interface Learner {
  /** Takes the shape of an answer; the answer itself is not kept. */
  readonly observe: (tool: Tool, value: Json) => void;
  /**
   * Merges what was seen into `mcpfs.learned.json`; the file is written only when a shape changes.
   * @returns sentences for the run's report: what contradicts what was known. A file that cannot be read or written is one too,
   * since it must not cost the run its report
   */
  readonly save: () => Promise<LearnedNow>;
}

export interface LearnedNow {
  /** Tools whose shape is new or wider now. */
  readonly changed: readonly Tool[];
  readonly warnings: readonly string[];
}

/** Creates the learner of one run. */
export function createLearner(root: string, entries: readonly ServerEntry[]): Learner {
  const seen = new Map<Tool, Shape>();

  const save = async (): Promise<LearnedNow> => {
    // Most runs tell nothing new, and then nobody has to wait for the lock.
    if (seen.size === 0 || widen(await readLearned(root), seen).changed.length === 0) return NO_NEWS;
    return await withFileLock(lockPath(root), async () => {
      const { learned, changed, warnings } = widen(await readLearned(root), seen);
      await writeLearned(root, learned);
      return { changed, warnings };
    });
  };

  return {
    observe: (tool, value) => {
      // The answers of prompts and resources have the shapes that the specification gives them.
      if (tool.method !== "tools/call") return;
      const learning = entries.find(({ name }) => name === tool.server)?.outputs.learning(tool.raw);
      if (learning?.isOn !== true) return;
      const shape = shapeOf(value, learning.enums);
      seen.set(tool, mergeShapes(seen.get(tool) ?? NOTHING, shape));
    },
    save: async () => {
      try {
        return await save();
      } catch (error) {
        const { message } = toMcpfsError(error);
        return { changed: [], warnings: [`Nothing was learned from this run's answers: ${message}`] };
      }
    },
  };
}

const NO_NEWS: LearnedNow = { changed: [], warnings: [] };

function widen(before: Learned, seen: ReadonlyMap<Tool, Shape>): LearnedNow & { readonly learned: Learned } {
  const learned = new Map<ServerName, Map<ListingKey, Shape>>();
  for (const [server, shapes] of before) learned.set(server, new Map(shapes));
  const changed: Tool[] = [];
  const warnings: string[] = [];
  for (const [tool, shape] of seen) {
    const known = before.get(tool.server)?.get(tool.key);
    const widened = settleShape(mergeShapes(known ?? NOTHING, shape));
    if (known !== undefined && isSameShape(known, widened)) continue;
    changed.push(tool);
    const shapes = learned.get(tool.server) ?? new Map<ListingKey, Shape>();
    learned.set(tool.server, shapes.set(tool.key, widened));
    const differences = known === undefined ? [] : shapeDifferences(known, widened);
    if (differences.length > 0) warnings.push(contradiction(tool, differences));
  }
  return { learned, changed, warnings };
}

function contradiction({ server, raw }: Tool, differences: readonly string[]): string {
  return `${server}/${raw} answered otherwise than before: ${differences.join(", ")}. Its observed type is wider after the next sync.`;
}

/** Without the shapes of servers and tools that are gone, and of those of which the config wants nothing (or less) learned. */
export function pruneLearned(
  learned: Learned,
  entries: readonly ServerEntry[],
  definitions: ReadonlyMap<ServerName, readonly RawTool[]>,
): Learned {
  const kept = new Map<ServerName, ReadonlyMap<ListingKey, Shape>>();
  for (const { name, outputs } of entries) {
    const shapes = learned.get(name);
    if (shapes === undefined) continue;
    const listed = definitions.get(name);
    if (listed === undefined) {
      kept.set(name, shapes);
      continue;
    }
    const tools = new Map<ListingKey, Shape>();
    for (const [key, { name: raw }] of listingKeys(listed)) {
      const shape = shapes.get(key);
      const { isOn, enums } = outputs.learning(raw);
      if (isOn && shape !== undefined) tools.set(key, keepTexts(shape, enums));
    }
    if (tools.size > 0) kept.set(name, tools);
  }
  return kept;
}
