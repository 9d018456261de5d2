import { isJsonObject, type Json, own, stringifyJson } from "../kernel/json.ts";
import { oneLine } from "../kernel/text.ts";
import type { ListingKey } from "../model/names.ts";
import type { DefinitionChange } from "../model/sync-report.ts";
import type { RawTool } from "../model/tool.ts";
import { comparableDefinition, isSameDefinition } from "./definition-digest.ts";
import { listingKeys } from "./listing-keys.ts";
import { compare } from "./naming.ts";

/** Keys of tools (raw names, but for a name that is listed twice) by what became of them, each list sorted. */
export interface DefinitionsDiff {
  readonly added: readonly string[];
  readonly changed: readonly string[];
  readonly removed: readonly string[];
  /** What changed in the changed ones, in the same order. */
  readonly changes: readonly DefinitionChange[];
}

/** Compares two lists of definitions by their keys; the order of tools and of keys does not count, nor spacing in prose. */
export function diffDefinitions(before: readonly RawTool[], after: readonly RawTool[]): DefinitionsDiff {
  const old = listingKeys(before);
  const listed = listingKeys(after);
  const isChanged = (name: ListingKey): boolean => {
    const [accepted, now] = [old.get(name), listed.get(name)];
    return accepted !== undefined && now !== undefined && !isSameDefinition(accepted, now);
  };
  const changed = [...listed.keys()].filter(isChanged).sort(compare);
  return {
    added: [...listed.keys()].filter((name) => !old.has(name)).sort(compare),
    changed,
    removed: [...old.keys()].filter((name) => !listed.has(name)).sort(compare),
    changes: changed.flatMap((name) =>
      differences(old.get(name), listed.get(name)).map((difference) => ({ tool: name, ...difference })),
    ),
  };
}

type Difference = Omit<DefinitionChange, "tool">;

/** More places than a person reads: the definition as a whole is another one, and its file shows it. */
const MAX_CHANGES = 20;

function differences(before: Json | undefined, after: Json | undefined): readonly Difference[] {
  const found: Difference[] = [];
  const visit = (path: string, key: string, old: Json | undefined, now: Json | undefined): void => {
    if (found.length > MAX_CHANGES || comparable(key, old) === comparable(key, now)) return;
    if (isJsonObject(old) && isJsonObject(now)) {
      const keys = [...new Set([...Object.keys(old), ...Object.keys(now)])].sort(compare);
      for (const part of keys)
        visit(path === "" ? part : `${path}.${part}`, part, own(old, part), own(now, part));
    } else if (Array.isArray(old) && Array.isArray(now) && old.length === now.length) {
      for (const [index, item] of old.entries()) visit(`${path}[${index}]`, key, item, now[index]);
    } else found.push({ path: oneLine(path, MAX_PATH), ...around(old, now) });
  };
  visit("", "", before, after);
  if (found.length <= MAX_CHANGES) return found;
  return [...found.slice(0, MAX_CHANGES), { path: "…", before: null, after: "and more" }];
}

const MAX_PATH = 200;

/** As the member of a definition that it is: so that spacing in prose is no difference here either. */
function comparable(key: string, value: Json | undefined): string {
  return comparableDefinition({ name: "", ...Object.fromEntries([[key, value]]) });
}

/** Both texts from shortly before the first difference on: an addition at the end of a long description is what counts. */
function around(old: Json | undefined, now: Json | undefined): Pick<Difference, "before" | "after"> {
  const [before, after] = [textOf(old), textOf(now)];
  let start = 0;
  while (start < Math.min(before.length, after.length) && before[start] === after[start]) start += 1;
  const from = start > LEAD + 10 ? start - LEAD : 0;
  const cut = (text: string): string => oneLine((from > 0 ? "…" : "") + text.slice(from), MAX_TEXT);
  return { before: old === undefined ? null : cut(before), after: now === undefined ? null : cut(after) };
}

const LEAD = 30;
const MAX_TEXT = 200;

function textOf(value: Json | undefined): string {
  return value === undefined ? "" : stringifyJson(value);
}
