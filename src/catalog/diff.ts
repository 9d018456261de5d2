import { isSameJson } from "../kernel/json.ts";
import type { ListingKey } from "../model/names.ts";
import type { RawTool } from "../model/tool.ts";
import { listingKeys } from "./listing-keys.ts";
import { compare } from "./naming.ts";

/** Keys of tools (raw names, but for a name that is listed twice) by what became of them, each list sorted. */
export interface DefinitionsDiff {
  readonly added: readonly string[];
  readonly changed: readonly string[];
  readonly removed: readonly string[];
}

/** Compares two lists of definitions by their keys; the order of tools and of keys does not count. */
export function diffDefinitions(before: readonly RawTool[], after: readonly RawTool[]): DefinitionsDiff {
  const old = listingKeys(before);
  const listed = listingKeys(after);
  const isChanged = (name: ListingKey): boolean =>
    old.has(name) && !isSameJson(old.get(name), listed.get(name));
  return {
    added: [...listed.keys()].filter((name) => !old.has(name)).sort(compare),
    changed: [...listed.keys()].filter(isChanged).sort(compare),
    removed: [...old.keys()].filter((name) => !listed.has(name)).sort(compare),
  };
}
