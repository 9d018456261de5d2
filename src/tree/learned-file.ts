import { join } from "node:path";
import { McpfsError } from "../kernel/errors.ts";
import { readIfExists, writeAtomic } from "../kernel/fsx.ts";
import { isJsonObject, type Json, own, parseJson, stringifyJson } from "../kernel/json.ts";
import { oneLine } from "../kernel/text.ts";
import { type Learned, NOTHING_LEARNED } from "../learning/learned.ts";
import type { Shape } from "../learning/shape.ts";
import { shapeFromJson, shapeToJson } from "../learning/shape-json.ts";
import type { ListingKey, ServerName } from "../model/names.ts";
import { printable } from "./printable-json.ts";

/** The name of the file below the root. */
export const LEARNED_FILE = "mcpfs.learned.json";
const VERSION = 1;

/**
 * Reads `mcpfs.learned.json`. A missing file is a workspace where nothing was learned. Whatever else cannot be understood stops
 * the command, as for the lock: types that the workspace shows must not go because of a merge conflict.
 * @throws McpfsError CONFIG_INVALID
 */
export async function readLearned(root: string): Promise<Learned> {
  const text = await readIfExists(join(root, LEARNED_FILE)).catch((error: unknown) => {
    throw invalid("cannot be read", error);
  });
  return text === undefined ? NOTHING_LEARNED : parseLearned(text);
}

/** Writes `mcpfs.learned.json`, unless it has this text already. Where nothing was ever learned there is no file. */
export async function writeLearned(root: string, learned: Learned): Promise<void> {
  const path = join(root, LEARNED_FILE);
  const text = learnedText(learned);
  const existing = await readIfExists(path);
  if (existing === text || (existing === undefined && learned.size === 0)) return;
  await writeAtomic(path, text);
}

/** The text of `mcpfs.learned.json`: sorted, one fact a line, so that a change is a small diff. Ends with a newline. */
export function learnedText(learned: Learned): string {
  const servers = sorted(learned).map(([name, tools]): [string, Json] => [
    name,
    Object.fromEntries(sorted(tools).map(([key, shape]): [string, Json] => [key, shapeToJson(shape)])),
  ]);
  const file = { version: VERSION, servers: Object.fromEntries(servers) };
  return `${printable(JSON.stringify(file, null, 2))}\n`;
}

function sorted<Name extends string, Value>(map: ReadonlyMap<Name, Value>): readonly [Name, Value][] {
  return [...map].sort(([a], [b]) => (a < b ? -1 : 1));
}

function parseLearned(text: string): Learned {
  let value: Json;
  try {
    value = parseJson(text);
  } catch (error) {
    throw invalid("is not JSON", error);
  }
  if (own(value, "version") !== VERSION) {
    const version = oneLine(stringifyJson(own(value, "version")), 40);
    throw invalid(`has version ${version}; this mcpfs reads version ${VERSION}`);
  }
  const learned = new Map<ServerName, ReadonlyMap<ListingKey, Shape>>();
  for (const [name, tools] of entries(own(value, "servers"), '"servers"')) {
    const shapes = new Map<ListingKey, Shape>();
    for (const [key, json] of entries(tools, shown(name))) {
      const shape = shapeFromJson(json);
      if (shape === undefined) throw invalid(`holds no shape for the tool ${shown(`${name}/${key}`)}`);
      shapes.set(key as ListingKey, shape);
    }
    learned.set(name as ServerName, shapes);
  }
  return learned;
}

function entries(value: Json | undefined, what: string): readonly [string, Json][] {
  if (!isJsonObject(value)) throw invalid(`holds no object at ${what}`);
  return Object.entries(value).map(([name, member]) => [name, member ?? null]);
}

function shown(text: string): string {
  return `"${oneLine(text, 80)}"`;
}

function invalid(what: string, cause?: unknown): McpfsError {
  return new McpfsError("CONFIG_INVALID", `${LEARNED_FILE} ${what}.`, {
    hint: "Restore it from version control, or delete it: shapes are learned again from the next calls.",
    ...(cause === undefined ? {} : { cause }),
  });
}
