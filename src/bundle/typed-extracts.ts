import { readFile } from "node:fs/promises";
import type { PartialMessage } from "esbuild";
import { McpfsError } from "../kernel/errors.ts";
import { type JsonObject, own, stringifyJson } from "../kernel/json.ts";
import { BUILTIN_SERVER } from "../model/names.ts";
import { type ExtractCall, mayExtract } from "../syntax/extract-calls.ts";
import type { TypeModule } from "../syntax/module-types.ts";
import { folderOf, serverFolderOf, workspacePath } from "../syntax/specifier.ts";
import { applyEdits, linesOf, placeOf, type TextEdit } from "../syntax/text-edits.ts";
import type { TypeReader } from "../syntax/type-schema.ts";
import { isTooDeep } from "./depth.ts";
import type { Detail } from "./plan.ts";
import type { Resolver } from "./resolve.ts";
import type { BundleWorld } from "./world.ts";

/** The specifier under which a module imports the functions that stand for its calls of `extract`. No resolver accepts a colon. */
export const TYPES = "mcpfs:types";

/** Turns the types that calls of `extract` name into JSON Schema, which the sandbox could not do. */
export interface TypedExtracts {
  /**
   * The text of a module in which each call of `extract` that names a type calls a function that knows the schema. Places stay: what
   * is replaced keeps its length.
   * @param module as esbuild names it @param folder from which its imports lead
   */
  readonly bind: (module: string, text: string, folder: string | undefined) => Promise<Bound>;
  /** The text behind {@link TYPES} for a module that was bound. */
  readonly functionsOf: (module: string) => string;
}

export type Bound =
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "error"; readonly error: PartialMessage };

/** Creates the binder of one build. */
export function createTypedExtracts(world: Pick<BundleWorld, "maxBytes">, resolver: Resolver): TypedExtracts {
  const functions = new Map<string, string>();
  const folders = new Map<string, string | undefined>();
  const modules = new Map<string, Promise<TypeModule | undefined>>();
  let reader: Promise<TypeReader> | undefined;

  const load = async (specifier: string, from: TypeModule): Promise<TypeModule | undefined> => {
    const resolved = await resolver.resolve(specifier, folders.get(from.name));
    if (resolved.kind !== "file" || resolved.bytes > world.maxBytes) return undefined;
    const { path, realPath } = resolved;
    const known =
      modules.get(path) ?? read(`workspace:${path}`, folderOf(path), () => readFile(realPath, "utf8"));
    modules.set(path, known);
    return await known;
  };

  const read = async (
    name: string,
    folder: string | undefined,
    text: () => Promise<string>,
  ): Promise<TypeModule | undefined> => {
    const { parseScript } = await import("../syntax/parse.ts");
    const whole = await text();
    const parsed = isTooDeep(whole) ? undefined : parseScript(whole);
    folders.set(name, folder);
    return parsed && { name, text: whole, parsed };
  };

  const bindAll = async (module: TypeModule, folder: string | undefined): Promise<string> => {
    const [{ extractCalls }, { createTypeReader }] = await Promise.all([
      import("../syntax/extract-calls.ts"),
      import("../syntax/type-schema.ts"),
    ]);
    reader ??= Promise.resolve(createTypeReader(load));
    const types = await reader;
    const isBuiltin = (specifier: string): boolean =>
      serverFolderOf(workspacePath(specifier, folder) ?? "") === BUILTIN_SERVER;
    const schemas: JsonObject[] = [];
    const edits: TextEdit[] = [];
    const prefix = freePrefix(module.text);
    for (const call of extractCalls(module.parsed, isBuiltin)) {
      const schema = await schemaOf(call, module, types);
      if (schema === undefined) continue;
      schemas.push(schema);
      edits.push(...editsOf(call, module.text, `${prefix}${schemas.length}`));
    }
    if (schemas.length === 0) return module.text;
    functions.set(module.name, functionsText(schemas));
    const names = schemas.map((_, at) => `f${at + 1} as ${prefix}${at + 1}`).join(", ");
    return `${applyEdits(module.text, edits)}\nimport { ${names} } from "${TYPES}";`;
  };

  return {
    bind: async (name, text, folder) => {
      const module = mayExtract(text) ? await read(name, folder, async () => text) : undefined;
      if (module === undefined) return { kind: "text", text };
      try {
        return { kind: "text", text: await bindAll(module, folder) };
      } catch (error) {
        if (!(error instanceof McpfsError)) throw error;
        const others = await Promise.all(modules.values());
        return { kind: "error", error: messageOf(error, [module, ...others]) };
      }
    },
    functionsOf: (module) => functions.get(module) ?? "",
  };
}

async function schemaOf(
  { start, wanted }: ExtractCall,
  module: TypeModule,
  types: TypeReader,
): Promise<JsonObject | undefined> {
  return wanted.kind === "type"
    ? await types.schemaOf(wanted.type, module)
    : await types.schemaOfName(wanted.name, module, start);
}

/** `extract<Invoice>(text)` becomes `$x1            (text)`. */
function editsOf({ start, end, wanted }: ExtractCall, text: string, name: string): readonly TextEdit[] {
  const callee = { start, end, insert: filled(name, text.slice(start, end)) };
  if (wanted.kind === "type") return [callee];
  const { start: from, end: to } = wanted;
  return [callee, { start: from, end: to, insert: filled("0", text.slice(from, to)) }];
}

/** As long as what it replaces, with the same ends of lines. */
function filled(insert: string, replaced: string): string {
  return insert + replaced.slice(insert.length).replaceAll(/[^\r\n\u2028\u2029]/g, " ");
}

function freePrefix(text: string): string {
  let prefix = "$x";
  while (text.includes(prefix)) prefix += "x";
  return prefix;
}

function functionsText(schemas: readonly JsonObject[]): string {
  return schemas
    .map(
      (schema, at) =>
        `export const f${at + 1} = (value) => callMCPTool("${BUILTIN_SERVER}__extract", { value, schema: ${stringifyJson(schema)} });`,
    )
    .join("\n");
}

/** The error at the place of the type, which may be in another file than the call. */
function messageOf(error: McpfsError, modules: readonly (TypeModule | undefined)[]): PartialMessage {
  const detail: Detail = { kind: "type", message: error.message, hint: error.hint };
  const module = modules.find((known) => known?.name === own(error.data, "module"));
  const offset = own(error.data, "offset");
  if (module === undefined || typeof offset !== "number") return { text: detail.kind, detail };
  const { line, column } = placeOf(module.text, offset);
  const lineText = linesOf(module.text)[line - 1] ?? "";
  const bytes = Buffer.byteLength(lineText.slice(0, column - 1));
  return { text: detail.kind, detail, location: { file: module.name, line, column: bytes, lineText } };
}
