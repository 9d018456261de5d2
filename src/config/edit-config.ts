import { findNodeAtLocation, type Node } from "jsonc-parser";
import { McpfsError } from "../kernel/errors.ts";
import { isJsonObject, type JsonObject, own, stableJson } from "../kernel/json.ts";
import { nearestOf } from "../kernel/nearest.ts";
import { oneLine } from "../kernel/text.ts";
import { BUILTIN_SERVER } from "../model/names.ts";
import { readDocument } from "./document.ts";
import { CONFIG_FILE } from "./find-workspace.ts";
import { inserted, printed, removed, rootObject } from "./json-members.ts";
import { splitMark } from "./json-text.ts";
import { serverNameFault } from "./server-name.ts";

/** Edits of `mcpfs.json` that leave every other byte as it is. */

/**
 * The text with one more server, as the last entry of `mcpServers` (or VS Code's `servers` where only that exists).
 * The same entry again changes nothing.
 * @throws McpfsError USAGE when the name is taken by another entry or cannot be used; CONFIG_INVALID when the text
 * is not a config
 */
export function addServer(text: string, name: string, entry: JsonObject): string {
  if (name === "" || name.toLowerCase() === BUILTIN_SERVER) {
    throw new McpfsError("USAGE", `A server cannot have the name ${JSON.stringify(name)}.`, {
      hint: name === "" ? "Give it a name." : "That is the built-in server; choose another name.",
    });
  }
  const fault = serverNameFault(name);
  if (fault !== undefined)
    throw new McpfsError("USAGE", `${JSON.stringify(oneLine(name, 60))} ${fault}.`, {
      hint: "Give it one short word.",
    });
  const { value } = readDocument(text, CONFIG_FILE).json;
  const key =
    own(value, "mcpServers") === undefined && isJsonObject(own(value, "servers")) ? "servers" : "mcpServers";
  const existing = own(own(value, key), name);
  if (existing !== undefined) {
    if (stableJson(existing) === stableJson(entry)) return text;
    throw new McpfsError("USAGE", `There is a server ${JSON.stringify(name)} already, and it differs.`, {
      hint: `Remove it first (mcpfs rm ${name}), or choose another name.`,
    });
  }
  const { mark, source } = splitMark(text);
  const root = rootObject(source);
  if (root === undefined)
    return `${mark}${source}${printed({ mcpServers: { [name]: entry } }, "  ", "\n")}\n`;
  const servers = findNodeAtLocation(root, [key]);
  return (
    mark +
    (servers?.type === "object"
      ? inserted(source, servers, name, entry)
      : inserted(source, root, key, { [name]: entry }))
  );
}

/**
 * The text without the server, comments kept.
 * @throws McpfsError USAGE when there is no such server; CONFIG_INVALID when the text is not a config
 */
export function removeServer(text: string, name: string): string {
  assertServer(text, name);
  const { mark, source: whole } = splitMark(text);
  let source = whole;
  // A name may stand twice, and in both objects.
  for (;;) {
    const property = findProperty(source, name);
    if (property === undefined) return mark + source;
    source = removed(source, property);
  }
}

/**
 * The text with the server switched on or off, all else as it is: its `enabled` (or `disabled`) gets the other value, or
 * `"enabled": false` is added.
 * @throws McpfsError USAGE when there is no such server; CONFIG_INVALID when the text is not a config
 */
export function setServerEnabled(text: string, name: string, isEnabled: boolean): string {
  const { mark, source } = splitMark(text);
  assertServer(text, name);
  const entry = findProperty(source, name)?.children?.[1];
  if (entry?.type !== "object") return text;
  const states = (entry.children ?? []).flatMap(({ children: [key, value] = [] }) =>
    value !== undefined && (key?.value === "enabled" || key?.value === "disabled")
      ? [{ value, wanted: key.value === "enabled" ? isEnabled : !isEnabled }]
      : [],
  );
  // From the end, so that the offsets before stay right.
  const switched = states.reduceRight(
    (before, { value, wanted }) =>
      before.slice(0, value.offset) + String(wanted) + before.slice(value.offset + value.length),
    source,
  );
  return mark + (states.length > 0 || isEnabled ? switched : inserted(source, entry, "enabled", false));
}

/** The names of the servers in a config's text. @throws McpfsError CONFIG_INVALID when the text is not a config */
export function serverNames(text: string): readonly string[] {
  const { value } = readDocument(text, CONFIG_FILE).json;
  return ["mcpServers", "servers"].flatMap((key) => Object.keys(own(value, key) ?? {}));
}

/** @throws McpfsError USAGE with the nearest name */
function assertServer(text: string, name: string): void {
  const names = serverNames(text);
  if (names.includes(name)) return;
  const [near] = nearestOf(name, names, 1);
  throw new McpfsError("USAGE", `There is no server ${JSON.stringify(name)} in the config.`, {
    hint: near === undefined ? "List the servers with: mcpfs ls" : `Did you mean ${near}?`,
  });
}

function findProperty(source: string, name: string): Node | undefined {
  const root = rootObject(source);
  for (const property of root?.children ?? []) {
    const [key, value] = property.children ?? [];
    if ((key?.value !== "mcpServers" && key?.value !== "servers") || value?.type !== "object") continue;
    const found = value.children?.find((child) => child.children?.[0]?.value === name);
    if (found !== undefined) return found;
  }
  return undefined;
}
