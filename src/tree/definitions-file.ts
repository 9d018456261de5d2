import { join } from "node:path";
import { isFolderName } from "../catalog/identifiers.ts";
import { compare } from "../catalog/naming.ts";
import { McpfsError } from "../kernel/errors.ts";
import { listIfExists, readIfExists } from "../kernel/fsx.ts";
import { isJsonObject, type Json, own, parseJson } from "../kernel/json.ts";
import type { Lock } from "../model/lock.ts";
import { NO_OFFERS, type Offers, type RawResource, type RawTemplate } from "../model/offers.ts";
import type { RawTool } from "../model/tool.ts";
import { printableJson } from "./printable-json.ts";
import { fileDigest, isTreePath } from "./tree-path.ts";

/** What stands in `servers/<server>/.definitions.json`. */
export interface StoredDefinitions {
  /** The accepted definitions as received. */
  readonly tools: readonly RawTool[];
  /** What the server has besides tools; absent: nothing. */
  readonly offers?: Offers;
  /** Digest of the text that we wrote, for each generated file of the folder by its name. */
  readonly files: ReadonlyMap<string, string>;
}

/** The same as read from disk. */
export interface ReadDefinitions extends StoredDefinitions {
  /** Digest of the file's own text. */
  readonly digest: string;
}

/** The file's name in a server's folder. */
export const DEFINITIONS_FILE = ".definitions.json";
const VERSION = 1;

/**
 * Reads the accepted definitions of the server in `folder`, or `undefined` where it has none.
 * @throws McpfsError CONFIG_INVALID when the file cannot be read or understood: a definition that was accepted must never be
 * accepted anew because its record is damaged
 */
export async function readDefinitions(root: string, folder: string): Promise<ReadDefinitions | undefined> {
  const text = await readText(root, folder);
  return text === undefined ? undefined : { ...parse(text, folder), digest: fileDigest(text) };
}

/** The text of `.definitions.json`: sorted by raw name, one tool a line, each as received. Ends with a newline. */
export function definitionsText(stored: StoredDefinitions): string {
  const files = [...stored.files]
    .sort(([a], [b]) => compare(a, b))
    .map(([name, digest]) => `    ${printableJson(name)}: ${printableJson(digest)}`);
  const tools = inFileOrder(stored.tools).map((tool) => `    ${printableJson(tool)}`);
  const { resources, templates, prompts } = stored.offers ?? NO_OFFERS;
  const offers = [
    listText("resources", resources, (resource) => resource.uri),
    listText("resourceTemplates", templates, (template) => template.uriTemplate),
    listText("prompts", prompts, (prompt) => prompt.name),
  ].join("");
  return `{\n  "version": ${VERSION},\n  "files": {${block(files)}},\n  "tools": [${block(tools)}]${offers}\n}\n`;
}

/** Tools as they stand in the file. */
export function inFileOrder(tools: readonly RawTool[]): readonly RawTool[] {
  return tools.toSorted((a, b) => compare(a.name, b.name));
}

/** Nothing for an empty list, so that the file of a server with tools only is as it always was. */
function listText<Item>(key: string, items: readonly Item[], nameOf: (item: Item) => string): string {
  if (items.length === 0) return "";
  const sorted = items.toSorted((a, b) => compare(nameOf(a), nameOf(b)));
  return `,\n  "${key}": [${block(sorted.map((item) => `    ${printableJson(item)}`))}]`;
}

/**
 * Digests of all generated files that the workspace records, by slashed path: those of the lock, those of each server's
 * definitions, and the definitions themselves. What `planTree` may replace or delete.
 * @param alreadyRead definitions by folder that need not be read again
 * @throws McpfsError CONFIG_INVALID as {@link readDefinitions} does; the system's error where `servers/` cannot be read
 */
export async function readKnownFiles(
  root: string,
  lock: Lock,
  alreadyRead: ReadonlyMap<string, ReadDefinitions>,
): Promise<ReadonlyMap<string, string>> {
  const known = new Map(lock.files);
  for (const entry of await listIfExists(join(root, "servers"))) {
    // A link is somebody else's folder.
    if (!entry.isDirectory() || !isFolderName(entry.name)) continue;
    const stored = alreadyRead.get(entry.name) ?? (await readDefinitions(root, entry.name));
    if (stored === undefined) continue;
    const folder = `servers/${entry.name}`;
    for (const [name, digest] of stored.files) known.set(`${folder}/${name}`, digest);
    known.set(`${folder}/${DEFINITIONS_FILE}`, stored.digest);
  }
  return known;
}

function block(lines: readonly string[]): string {
  return lines.length === 0 ? "" : `\n${lines.join(",\n")}\n  `;
}

async function readText(root: string, folder: string): Promise<string | undefined> {
  return await readIfExists(join(root, "servers", folder, DEFINITIONS_FILE)).catch((error: unknown) => {
    throw invalid(folder, "cannot be read", error);
  });
}

function parse(text: string, folder: string): StoredDefinitions {
  let value: Json;
  try {
    value = parseJson(text);
  } catch (error) {
    throw invalid(folder, "is not JSON", error);
  }
  if (own(value, "version") !== VERSION) throw invalid(folder, `is not of version ${VERSION}`);
  const [tools, files] = [own(value, "tools"), own(value, "files")];
  if (!Array.isArray(tools) || !tools.every(isRawTool))
    throw invalid(folder, "holds something that is not a tool");
  const offers: Offers = {
    resources: parseList(value, "resources", folder, isRawResource),
    templates: parseList(value, "resourceTemplates", folder, isRawTemplate),
    prompts: parseList(value, "prompts", folder, isRawTool),
  };
  if (!isJsonObject(files)) throw invalid(folder, 'has no object "files"');
  const digests = new Map<string, string>();
  for (const [name, digest] of Object.entries(files)) {
    if (name.includes("/") || !isTreePath(name) || typeof digest !== "string")
      throw invalid(folder, "names a file that cannot be ours");
    digests.set(name, digest);
  }
  return { tools, offers, files: digests };
}

/** An absent list is an empty one: earlier versions did not write it. */
function parseList<Item extends Json>(
  value: Json,
  key: string,
  folder: string,
  isItem: (item: Json) => item is Item,
): readonly Item[] {
  const list = own(value, key) ?? [];
  if (!Array.isArray(list) || !list.every(isItem)) throw invalid(folder, `has an odd entry in "${key}"`);
  return list;
}

function isRawResource(value: Json): value is RawResource {
  return typeof own(value, "uri") === "string" && typeof own(value, "name") === "string";
}

function isRawTemplate(value: Json): value is RawTemplate {
  return typeof own(value, "uriTemplate") === "string" && typeof own(value, "name") === "string";
}

function isRawTool(value: Json): value is RawTool {
  return typeof own(value, "name") === "string";
}

function invalid(folder: string, what: string, cause?: unknown): McpfsError {
  return new McpfsError("CONFIG_INVALID", `servers/${folder}/${DEFINITIONS_FILE} ${what}.`, {
    hint: "Restore it from version control. Without the file, the next sync accepts the definitions of this server as new.",
    ...(cause === undefined ? {} : { cause }),
  });
}
