import { isDeeperThan, isJsonObject, isSameJson, type Json, type JsonObject, own } from "../kernel/json.ts";
import { count } from "../kernel/text.ts";
import type { ServerName } from "../model/names.ts";
import type { Offers, RawPrompt, RawResource, RawTemplate } from "../model/offers.ts";
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
  const seen = new Map<string, RawTool[]>();
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
    const twins = seen.get(name) ?? [];
    const isRepeated = twins.some((twin) => isSameJson(twin, tool));
    if (isCut) problems.push({ server, tool: name, message: TOO_DEEP });
    if (twins.length > 0)
      problems.push({ server, tool: name, message: isRepeated ? LISTED_AGAIN : LISTED_OTHERWISE });
    if (!isRepeated) tools.push(tool);
    seen.set(name, [...twins, tool]);
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

/**
 * The parts of what a server offers besides tools, as the workspace keeps them. Elements without the texts that name them are dropped,
 * and so are repetitions and what nests too deep; sizes, times and pictures go, since they change with the content and would change the
 * tree with it.
 */
export function normalizeOffers(lists: {
  readonly resources: readonly Json[];
  readonly templates: readonly Json[];
  readonly prompts: readonly Json[];
}): Offers {
  return {
    resources: named<RawResource>(lists.resources, ["uri", "name"]).slice(0, MAX_RESOURCES),
    templates: named<RawTemplate>(lists.templates, ["uriTemplate", "name"]),
    prompts: named<RawPrompt>(lists.prompts, ["name"]),
  };
}

/** A server may list a whole disk; all that it lists can be read, and `listResources` gives all of it. */
const MAX_RESOURCES = 500;
const CHANGING_MEMBERS: ReadonlySet<string> = new Set(["_meta", "annotations", "icons", "size"]);

function named<Item extends JsonObject>(
  items: readonly Json[],
  keys: readonly [string, ...string[]],
): readonly Item[] {
  const seen = new Set<Json | undefined>();
  return items.flatMap((item) => {
    const id = own(item, keys[0]);
    if (!isJsonObject(item) || seen.has(id) || isDeeperThan(item, MAX_DEPTH)) return [];
    if (!keys.every((key) => typeof own(item, key) === "string")) return [];
    seen.add(id);
    return [Object.fromEntries(Object.entries(item).filter(([key]) => !CHANGING_MEMBERS.has(key))) as Item];
  });
}
