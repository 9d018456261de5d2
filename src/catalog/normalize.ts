import { isDeeperThan, isJsonObject, type Json, type JsonObject, own, stableJson } from "../kernel/json.ts";
import { count } from "../kernel/text.ts";
import type { ServerName } from "../model/names.ts";
import type { Problem, RawTool } from "../model/tool.ts";

/**
 * Levels of objects and arrays that a definition may have. Published servers stay below 30; digesting walks by
 * recursion, and a schema that nests ten thousand levels must cost only itself.
 */
const MAX_DEPTH = 200;

/**
 * Turns the elements of `tools/list` into definitions that the catalog can use. Dropped with a problem: what is not an
 * object or has no name that is text, and what repeats a definition. What nests too deep is cut to its
 * flat parts. All else is kept exactly as received, so that one odd tool never costs another (specification: names *should* be 1–128 of
 * `[A-Za-z0-9_.-]`, and servers do otherwise).
 */
export function normalizeTools(
  server: ServerName,
  listed: readonly Json[],
): { readonly tools: readonly RawTool[]; readonly problems: readonly Problem[] } {
  const tools: RawTool[] = [];
  const seen = new Map<string, Set<string>>();
  const problems: Problem[] = [];
  for (const [index, item] of listed.entries()) {
    const name = own(item, "name");
    if (!isJsonObject(item) || typeof name !== "string") {
      const what = isJsonObject(item) ? "has no name that is text" : "is not an object";
      problems.push({ server, message: `Element ${index + 1} of the tool list ${what}; it is left out.` });
      continue;
    }
    const isCut = isDeeperThan(item, MAX_DEPTH);
    const tool = isCut ? flatParts(name, item) : (item as RawTool);
    const texts = seen.get(name) ?? new Set();
    const isRepeated = texts.has(stableJson(tool));
    if (isCut) problems.push({ server, tool: name, message: TOO_DEEP });
    if (texts.size > 0)
      problems.push({ server, tool: name, message: isRepeated ? LISTED_AGAIN : LISTED_OTHERWISE });
    if (!isRepeated) tools.push(tool);
    seen.set(name, texts.add(stableJson(tool)));
  }
  return { tools, problems };
}

const TOO_DEEP = `The definition nests deeper than ${count(MAX_DEPTH, "level")}; its schemas are taken as unknown.`;
const LISTED_AGAIN = "It is listed more than once.";
const LISTED_OTHERWISE = "The name is listed with different definitions; a call cannot tell them apart.";

/** The members of a definition that do not nest too deep: the tool stays callable. */
function flatParts(name: string, item: JsonObject): RawTool {
  const flat = Object.entries(item).filter(([, value]) => !isDeeperThan(value ?? null, MAX_DEPTH));
  return { ...Object.fromEntries(flat), name };
}
