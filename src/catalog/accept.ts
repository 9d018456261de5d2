import type { LockedTool } from "../model/lock.ts";
import type { ListingKey } from "../model/names.ts";
import type { RawTool } from "../model/tool.ts";
import { definitionDigest, isSameDefinition } from "./definition-digest.ts";
import { type DefinitionsDiff, diffDefinitions } from "./diff.ts";
import { listingKeys } from "./listing-keys.ts";
import { compare } from "./naming.ts";

/** What a workspace knows of one server's definitions. */
export interface Pinned {
  /** The accepted definitions. */
  readonly definitions: readonly RawTool[];
  /** What the lock says of them, by key. */
  readonly locked: ReadonlyMap<ListingKey, LockedTool>;
}

/** What a server lists, set against what was accepted. */
export interface Acceptance extends DefinitionsDiff {
  /** The definitions that the workspace has from now on. */
  readonly tools: readonly RawTool[];
  /** Keys of changed tools whose change is not taken, sorted; those whose accepted text is lost are not in `tools`. */
  readonly held: readonly string[];
}

/**
 * Takes what a server lists, as far as it may be taken. A definition that differs from the accepted one in the order of its keys
 * or in spacing only is the accepted one. With `isHolding` a changed one stays as it was accepted. Where the accepted text is lost
 * (its file was deleted) the lock's digest still says whether a definition is another one.
 */
export function acceptListing(pinned: Pinned, listed: readonly RawTool[], isHolding: boolean): Acceptance {
  const accepted = listingKeys(pinned.definitions);
  const held: string[] = [];
  const lost: string[] = [];
  const tools: RawTool[] = [];
  const known: RawTool[] = [];
  for (const [key, tool] of listingKeys(listed)) {
    const before = accepted.get(key);
    const digest = pinned.locked.get(key)?.digest;
    const isLost = before === undefined && digest !== undefined && digest !== definitionDigest(tool);
    const isSame = before !== undefined && isSameDefinition(before, tool);
    if (isLost) lost.push(key);
    else known.push(isSame ? before : tool);
    if (isSame) tools.push(before);
    else if (isHolding && (before !== undefined || isLost)) {
      held.push(key);
      if (before !== undefined) tools.push(before);
    } else tools.push(tool);
  }
  const diff = diffDefinitions(pinned.definitions, known);
  return {
    ...diff,
    changed: [...diff.changed, ...lost].sort(compare),
    changes: [...diff.changes, ...lost.map(lostChange)],
    tools,
    held: held.sort(compare),
  };
}

function lostChange(tool: string): DefinitionsDiff["changes"][number] {
  return { tool, path: "", before: "an accepted definition whose text is lost", after: "another one" };
}
