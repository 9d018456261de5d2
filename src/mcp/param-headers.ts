import { isJsonObject, type Json, type JsonObject, own } from "../kernel/json.ts";

/** An argument of a tool that an HTTP server wants as a header too. */
export interface ParamMark {
  /** Property names from the root of the arguments. */
  readonly path: readonly string[];
  /** The header's name after `Mcp-Param-`. */
  readonly header: string;
}

const MARK = "x-mcp-header";
/** RFC 9110, token. */
const TOKEN = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;
const TYPES: ReadonlySet<unknown> = new Set(["string", "integer", "boolean"]);

/**
 * Finds the marks `x-mcp-header` of an input schema (2026-07-28, basic/transports/streamable-http, Custom Headers). They may stand
 * on text, integer and boolean properties only, reached through `properties` alone, with names that differ in more than case.
 * @returns the marks, or a sentence that says what is wrong: a client must then leave the tool out
 */
export function findParamMarks(
  schema: Json | undefined,
):
  | { readonly kind: "marks"; readonly marks: readonly ParamMark[] }
  | { readonly kind: "invalid"; readonly reason: string } {
  const marks: ParamMark[] = [];
  const names = new Set<string>();
  const open: {
    readonly node: Json | undefined;
    readonly path: readonly string[];
    readonly isReachable: boolean;
  }[] = [{ node: schema, path: [], isReachable: true }];
  const invalid = (reason: string): { kind: "invalid"; reason: string } => ({ kind: "invalid", reason });
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const { node, path, isReachable } = next;
    if (Array.isArray(node))
      for (const item of node as readonly Json[]) open.push({ node: item, path, isReachable: false });
    if (!isJsonObject(node)) continue;
    const header = own(node, MARK);
    if (header !== undefined) {
      const place = path.join(".") || "the root";
      if (!isReachable || path.length === 0)
        return invalid(`${MARK} at ${place} stands where no single argument is meant.`);
      if (typeof header !== "string" || !TOKEN.test(header))
        return invalid(`${MARK} at ${place} is not the name of a header.`);
      if (!TYPES.has(own(node, "type")))
        return invalid(`${MARK} at ${place} needs the type string, integer or boolean.`);
      if (names.has(header.toLowerCase())) return invalid(`${MARK} names the header ${header} twice.`);
      names.add(header.toLowerCase());
      marks.push({ path, header });
    }
    for (const [key, child] of Object.entries(node)) {
      if (VALUES.has(key)) continue;
      if (key !== "properties") {
        open.push({ node: child, path: [...path, key], isReachable: false });
        continue;
      }
      for (const [name, property] of Object.entries(isJsonObject(child) ? child : {}))
        open.push({ node: property, path: [...path, name], isReachable });
    }
  }
  return { kind: "marks", marks };
}

/** Keywords whose values are data, not schemas. */
const VALUES: ReadonlySet<string> = new Set(["default", "const", "enum", "examples", "example", MARK]);

/** The headers for one call. An argument that is absent, null or no scalar has none. */
export function paramHeaders(
  marks: readonly ParamMark[],
  args: JsonObject,
): Readonly<Record<string, string>> {
  const headers: Record<string, string> = {};
  for (const { path, header } of marks) {
    const value = path.reduce<Json | undefined>((node, key) => own(node, key), args);
    if (typeof value === "string") headers[`Mcp-Param-${header}`] = encoded(value);
    else if (typeof value === "boolean" || typeof value === "bigint" || Number.isFinite(value))
      headers[`Mcp-Param-${header}`] = String(value);
  }
  return headers;
}

/** Text that a header cannot hold as it is goes as Base64 between marks of its own. */
function encoded(value: string): string {
  const isPlain = /^[\x21-\x7e](?:[\t\x20-\x7e]*[\x21-\x7e])?$/.test(value);
  const isAmbiguous = value.startsWith("=?base64?") && value.endsWith("?=");
  return isPlain && !isAmbiguous ? value : `=?base64?${Buffer.from(value).toString("base64")}?=`;
}

/** Sorts listed tools by their marks: a client has to leave out those whose marks are wrong (2026-07-28, streamable HTTP). */
export function readMarks(
  items: readonly Json[],
  shown: (text: string) => string,
): {
  readonly tools: readonly Json[];
  readonly marks: ReadonlyMap<string, readonly ParamMark[]>;
  readonly warnings: readonly string[];
} {
  const marks = new Map<string, readonly ParamMark[]>();
  const warnings: string[] = [];
  const tools = items.filter((item) => {
    const found = findParamMarks(own(item, "inputSchema"));
    const name = own(item, "name");
    if (found.kind === "invalid") {
      warnings.push(`The tool ${shown(String(name))} is left out: ${shown(found.reason)}`);
      return false;
    }
    if (typeof name === "string") marks.set(name, found.marks);
    return true;
  });
  return { tools, marks, warnings };
}
