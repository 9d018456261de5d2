import { findNodeAtLocation } from "jsonc-parser";
import { McpfsError } from "../../kernel/errors.ts";
import type { JsonObject } from "../../kernel/json.ts";
import { indentUnit, inserted, printed, removed, rootObject } from "../json-members.ts";
import { splitMark } from "../json-text.ts";

/** Edits of the configs of MCP clients. Every byte that is not concerned stays, comments too. */

/**
 * JSON with the entry `name` in the object `section`; an empty text becomes a file.
 * @throws McpfsError USAGE when the text is no JSON object
 */
export function setJsonEntry(text: string, section: string, name: string, entry: JsonObject): string {
  const { mark, source } = splitMark(text);
  if (source.trim() === "") return `${mark}${printed({ [section]: { [name]: entry } }, "  ", "\n")}\n`;
  const root = rootObject(source) ?? notAnObject();
  const servers = findNodeAtLocation(root, [section]);
  if (servers === undefined) return mark + inserted(source, root, section, { [name]: entry });
  if (servers.type !== "object") return notAnObject();
  const old = findNodeAtLocation(root, [section, name]);
  if (old === undefined) return mark + inserted(source, servers, name, entry);
  const eol = source.includes("\r\n") ? "\r\n" : "\n";
  const start = source.lastIndexOf("\n", old.offset) + 1;
  const indent = /^[ \t]*/.exec(source.slice(start))?.[0] ?? "";
  const value = printed(entry, indentUnit(source), eol).replaceAll(eol, eol + indent);
  return mark + source.slice(0, old.offset) + value + source.slice(old.offset + old.length);
}

/** The text without that entry; the same text where there is none. @throws McpfsError USAGE when the text is no JSON object */
export function removeJsonEntry(text: string, section: string, name: string): string {
  const { mark, source } = splitMark(text);
  if (source.trim() === "") return text;
  const entry = findNodeAtLocation(rootObject(source) ?? notAnObject(), [section, name]);
  return entry?.parent === undefined ? text : mark + removed(source, entry.parent);
}

/**
 * TOML with the table `[mcp_servers.<name>]`, in place of the one that is there, or at the end.
 * @throws McpfsError USAGE where the servers are written in another form of TOML
 */
export function setTomlEntry(text: string, name: string, entry: JsonObject): string {
  const eol = text.includes("\r\n") ? "\r\n" : "\n";
  const lines = Object.entries(entry).map(([key, value]) => `${key} = ${JSON.stringify(value)}`);
  const table = [`[mcp_servers.${tomlKey(name)}]`, ...lines, ""].join(eol);
  const rest = removeTomlEntry(text, name).trimEnd();
  return rest === "" ? table : `${rest}${eol}${eol}${table}`;
}

/** The text without that table and the tables in it; the same text where there is none. @throws McpfsError as {@link setTomlEntry} */
export function removeTomlEntry(text: string, name: string): string {
  const lines = text.split(/(?<=\n)/);
  if (lines.some((line) => /^\s*"?mcp_servers"?\s*[.=]/.test(line)))
    throw new McpfsError("USAGE", "The servers of this config are not written as tables.", {
      hint: `Add [mcp_servers.${name}] by hand: --print shows what belongs there.`,
    });
  const own = [name, `"${name}"`, `'${name}'`].map((key) => `mcp_servers.${key}`);
  let isInside = false;
  return lines
    .filter((line) => {
      const table = /^\s*\[{1,2}\s*([^\]]+?)\s*\]/.exec(line)?.[1]?.replace(/\s*\.\s*/g, ".");
      if (table !== undefined) isInside = own.some((key) => table === key || table.startsWith(`${key}.`));
      return !isInside;
    })
    .join("");
}

function tomlKey(name: string): string {
  return /^[A-Za-z0-9_-]+$/.test(name) ? name : JSON.stringify(name);
}

function notAnObject(): never {
  throw new McpfsError("USAGE", "The client's config is not a JSON object of the form that it should have.", {
    hint: "Mend it first, or add the server by hand: --print shows what belongs there.",
  });
}
