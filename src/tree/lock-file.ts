import { join } from "node:path";
import { isExportName, isFolderName, isWireName } from "../catalog/identifiers.ts";
import { compare } from "../catalog/naming.ts";
import { createTakenNames, createTakenWires, type TakenNames } from "../catalog/taken-names.ts";
import { McpfsError } from "../kernel/errors.ts";
import { readIfExists, writeAtomic } from "../kernel/fsx.ts";
import { isJsonObject, type Json, own, parseJson, stringifyJson } from "../kernel/json.ts";
import { oneLine } from "../kernel/text.ts";
import { EMPTY_LOCK, type Lock, type LockedServer, type LockedTool } from "../model/lock.ts";
import {
  BUILTIN_SERVER,
  type ExportName,
  type FolderName,
  type ListingKey,
  type ServerName,
  type WireName,
} from "../model/names.ts";
import { printableJson } from "./printable-json.ts";
import { isTreePath } from "./tree-path.ts";

/** The lock's name below the root. */
export const LOCK_FILE = "mcpfs.lock.json";
const VERSION = 1;

/**
 * Reads `mcpfs.lock.json`. A missing file is a workspace that was never synced. Whatever else cannot be understood stops the
 * command: a lock that is skipped would accept every changed definition anew. The file comes with a repository, so its names
 * are checked before they become paths.
 * @throws McpfsError CONFIG_INVALID
 */
export async function readLock(root: string): Promise<Lock> {
  const text = await readIfExists(join(root, LOCK_FILE)).catch((error: unknown) => {
    throw invalid("cannot be read", error);
  });
  return text === undefined ? EMPTY_LOCK : parseLock(text);
}

/** Writes `mcpfs.lock.json`, unless it has this text already. */
export async function writeLock(root: string, lock: Lock): Promise<void> {
  const path = join(root, LOCK_FILE);
  const text = lockText(lock);
  // Git turns line ends on Windows; that is no change.
  if ((await readIfExists(path))?.replaceAll("\r\n", "\n") !== text) await writeAtomic(path, text);
}

/** The text of `mcpfs.lock.json`: sorted, one tool or file a line, so that a change is a small diff. Ends with a newline. */
export function lockText(lock: Lock): string {
  const servers = members(lock.servers, 4, (server) => {
    const print = ({ wire, export: name, renamed, digest }: LockedTool): string =>
      printableJson({ wire, export: name, renamed, digest });
    const tools = members(server.tools, 8, print);
    const offers = server.offers?.size ? `,\n      "offers": ${members(server.offers, 8, print)}` : "";
    return `{\n      "folder": ${printableJson(server.folder)},\n      "tools": ${tools}${offers}\n    }`;
  });
  const files = members(lock.files, 4, printableJson);
  return `{\n  "version": ${VERSION},\n  "servers": ${servers},\n  "files": ${files}\n}\n`;
}

function members<Name extends string, Value>(
  map: ReadonlyMap<Name, Value>,
  indent: number,
  print: (value: Value) => string,
): string {
  if (map.size === 0) return "{}";
  const lines = [...map]
    .sort(([a], [b]) => compare(a, b))
    .map(([name, value]) => `${" ".repeat(indent)}${printableJson(name)}: ${print(value)}`);
  return `{\n${lines.join(",\n")}\n${" ".repeat(indent - 2)}}`;
}

function parseLock(text: string): Lock {
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
  const servers = new Map<ServerName, LockedServer>();
  const folders = createTakenNames();
  const wires = createTakenWires();
  for (const [name, server] of entries(value, "servers")) {
    servers.set(name as ServerName, parseServer(name, server, folders, wires));
  }
  const files = new Map<string, string>();
  for (const [path, digest] of entries(value, "files")) {
    if (!isTreePath(path) || typeof digest !== "string") throw invalid(`has no usable file ${shown(path)}`);
    files.set(path, digest);
  }
  return { servers, files };
}

function parseServer(name: string, value: Json, folders: TakenNames, wires: TakenNames): LockedServer {
  const folder = own(value, "folder");
  const isOurs = (folder === BUILTIN_SERVER) === (name === BUILTIN_SERVER);
  if (typeof folder !== "string" || !isFolderName(folder) || !isOurs)
    throw invalid(`gives the server ${shown(name)} no usable folder`);
  take(folders, folder, "folder");
  const exports = createTakenNames();
  const tools = new Map<ListingKey, LockedTool>();
  for (const [key, tool] of entries(value, "tools")) {
    const locked = parseTool(tool);
    if (locked === undefined) throw invalid(`has no usable names for the tool ${shown(`${name}/${key}`)}`);
    take(wires, locked.wire, "wire name");
    take(exports, locked.export, `export of ${shown(name)}`);
    tools.set(key as ListingKey, locked);
  }
  if (own(value, "offers") === undefined) return { folder: folder as FolderName, tools };
  const offers = new Map<string, LockedTool>();
  for (const [key, offer] of entries(value, "offers")) {
    const locked = parseTool(offer);
    if (locked === undefined) throw invalid(`has no usable names for ${shown(key)} of ${shown(name)}`);
    take(wires, locked.wire, "wire name");
    offers.set(key, locked);
  }
  return { folder: folder as FolderName, tools, offers };
}

function parseTool(value: Json): LockedTool | undefined {
  const [wire, name, renamed, digest] = ["wire", "export", "renamed", "digest"].map((key) => own(value, key));
  if (typeof wire !== "string" || !isWireName(wire)) return undefined;
  if (typeof name !== "string" || !isExportName(name)) return undefined;
  if (!isTextOrAbsent(renamed) || !isTextOrAbsent(digest)) return undefined;
  return {
    wire: wire as WireName,
    export: name as ExportName,
    ...(renamed === undefined ? {} : { renamed }),
    ...(digest === undefined ? {} : { digest }),
  };
}

function isTextOrAbsent(value: Json | undefined): value is string | undefined {
  return value === undefined || typeof value === "string";
}

/**
 * Two branches may each have given a name; after a merge only a person can say which of the two keeps it. Names are told apart as
 * `assignNames` does: case counts in wire names alone.
 */
function take(taken: TakenNames, name: string, what: string): void {
  if (taken.has(name)) throw invalid(`gives the ${what} ${shown(name)} twice`);
  taken.add(name);
}

function entries(value: Json, key: string): [string, Json][] {
  const object = own(value, key);
  if (!isJsonObject(object)) throw invalid(`has no object "${key}" where one is expected`);
  return Object.entries(object).map(([name, member]) => [name, member ?? null]);
}

function shown(text: string): string {
  return `"${oneLine(text, 80)}"`;
}

function invalid(what: string, cause?: unknown): McpfsError {
  return new McpfsError("CONFIG_INVALID", `${LOCK_FILE} ${what}.`, {
    hint: "Restore it from version control, or resolve the merge conflict in it (of two lines for one name delete one). Without the file, the next sync accepts every definition as new.",
    ...(cause === undefined ? {} : { cause }),
  });
}
