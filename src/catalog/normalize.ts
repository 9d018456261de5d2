import { isDeeperThan, isJsonObject, type Json, type JsonObject, own, stableJson } from "../kernel/json.ts";
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
  const seen = new Map<string, Definitions>();
  const told = new Set<string>();
  const problems: Problem[] = [];
  let unnamed = 0;
  /** Each thing is said once of a name, however often a server lists it. */
  const tell = (tool: string, message: string): void => {
    if (told.has(`${message} ${tool}`)) return;
    told.add(`${message} ${tool}`);
    problems.push({ server, tool, message });
  };
  for (const [index, item] of listed.entries()) {
    const name = own(item, "name");
    if (!isJsonObject(item) || typeof name !== "string") {
      const what = isJsonObject(item) ? "has no name that is text" : "is not an object";
      unnamed += 1;
      if (unnamed <= MAX_TOLD)
        problems.push({ server, message: `Element ${index + 1} of the tool list ${what}; it is left out.` });
      continue;
    }
    const isCut = isDeeperThan(item, MAX_DEPTH);
    const tool = isCut ? flatParts(name, item) : (item as RawTool);
    if (isCut) tell(name, TOO_DEEP);
    const twins = seen.get(name);
    if (twins === undefined) seen.set(name, { first: tool, texts: undefined });
    else if (twins.texts?.size === MAX_DEFINITIONS || !isNew(twins, tool)) {
      tell(name, LISTED_AGAIN);
      continue;
    } else tell(name, LISTED_OTHERWISE);
    tools.push(tool);
  }
  if (unnamed > MAX_TOLD)
    problems.push({
      server,
      message: `${count(unnamed - MAX_TOLD, "more element")} of the tool list cannot be tools; they are left out.`,
    });
  return { tools, problems };
}

/** More sentences than that about odd elements nobody reads. */
const MAX_TOLD = 20;

/** Two are known of published servers. A call cannot tell them apart, so nothing is lost with the rest. */
const MAX_DEFINITIONS = 10;

/** The definitions of one name. Their texts are made when the name comes again, which is rare; comparing each with each is slow. */
interface Definitions {
  readonly first: RawTool;
  texts: Set<string> | undefined;
}

function isNew(definitions: Definitions, tool: RawTool): boolean {
  definitions.texts ??= new Set([stableJson(definitions.first)]);
  const { size } = definitions.texts;
  return definitions.texts.add(stableJson(tool)).size > size;
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
export function normalizeOffers(
  lists: {
    readonly resources: readonly Json[];
    readonly templates: readonly Json[];
    readonly prompts: readonly Json[];
  },
  maxResources: number = MAX_RESOURCES,
): Offers {
  return {
    resources: named<RawResource>(lists.resources, ["uri", "name"]).slice(0, maxResources),
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
