import { isJsonObject, type Json, own } from "../../kernel/json.ts";
import { configError, fieldName, type JsonPath, type JsonText, readJsonText } from "../json-text.ts";
import { serverNameFault } from "../server-name.ts";
import type { ClientFile } from "./find-client-files.ts";
import { readTomlText } from "./toml-text.ts";

/** What a client's config says of servers. */
export interface ClientServers {
  readonly document: JsonText;
  readonly servers: readonly ClientServer[];
  readonly inputs: ReadonlyMap<string, ClientInput>;
  /** Sentences with their places. */
  readonly warnings: readonly string[];
}

/** One server as its client wrote it. */
export interface ClientServer {
  readonly name: string;
  readonly value: Json;
  readonly at: JsonPath;
  readonly folder: string | undefined;
}

/** What VS Code asks its user for. */
export interface ClientInput {
  readonly description: string;
  /** What the user gets who only presses Enter; never of a password. */
  readonly fallback: string | undefined;
}

/**
 * Reads the servers of a client's config. A file without text, or without servers, has none.
 * @throws McpfsError CONFIG_INVALID with line, column and what was expected
 */
export async function readClientFile(file: ClientFile): Promise<ClientServers> {
  const { path, text, format, sections } = file;
  const document = format === "toml" ? await readTomlText(text, path) : readJsonText(text, path);
  assertObject(document, path, []);
  const servers: ClientServer[] = [];
  const warnings: string[] = [];
  for (const { at, folder } of sections) {
    const section = assertObject(document, path, at);
    for (const [name, value] of Object.entries(section ?? {})) {
      const fault = serverNameFault(name);
      if (fault !== undefined)
        warnings.push(`${path}: ${fieldName([...at, name])} ${fault}, and is left out.`);
      else if (servers.every((known) => known.name !== name))
        servers.push({ name, value: value ?? null, at: [...at, name], folder });
    }
    for (const { path: key, lines } of document.duplicates)
      if (at.every((part, index) => part === key[index]))
        warnings.push(
          `${path}:${lines.at(-1)}: ${fieldName(key)} stands on line ${lines.join(" and again on line ")}; the last one counts.`,
        );
  }
  const inputs = own(document.value, "inputs") ?? own(own(document.value, "mcp"), "inputs");
  return { document, servers, inputs: readInputs(inputs), warnings };
}

function assertObject(document: JsonText, file: string, at: JsonPath): object | undefined {
  const value = at.reduce<Json | undefined>((outer, part) => own(outer, String(part)), document.value);
  if (value === undefined || isJsonObject(value)) return value;
  throw configError({
    file,
    position: document.positionOf(at),
    sentence: `${fieldName(at) || "The file"} must be an object of servers, not ${kindOf(value)}.`,
    hint: 'The smallest one is {"mcpServers": {}}.',
  });
}

function kindOf(value: Json): string {
  if (value === null) return "null";
  if (Array.isArray(value)) return "a list";
  return typeof value === "string" ? "a text" : `a ${typeof value}`;
}

function readInputs(inputs: Json | undefined): ReadonlyMap<string, ClientInput> {
  const found = new Map<string, ClientInput>();
  for (const input of Array.isArray(inputs) ? inputs : []) {
    const id = own(input, "id");
    if (typeof id !== "string") continue;
    const fallback = own(input, "default");
    const isText = typeof fallback === "string" && !/[{}]/.test(fallback);
    const hasFallback = isText && own(input, "password") !== true;
    found.set(id, {
      description: String(own(input, "description") ?? ""),
      fallback: hasFallback ? fallback : undefined,
    });
  }
  return found;
}
