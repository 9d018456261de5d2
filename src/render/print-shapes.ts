import type { Options } from "json-schema-to-typescript";
import { docComment } from "./comment-text.ts";
import { resolved } from "./definitions.ts";
import { librarySchema } from "./library-schema.ts";
import type { Definition } from "./shape.ts";
import { typeTexts } from "./type-text.ts";

/**
 * Prints declarations as TypeScript types, one text each: first the exported ones, then the local ones. Objects of `interfaces` (a tool's input)
 * become an interface; all else becomes a type alias, because TypeScript lets a value of an alias pass as
 * `Record<string, unknown>` and one of an interface not: what one tool answers is often handed to another.
 * @throws SyntaxError when the library's output is anything but types
 */
export async function printShapes(
  exported: readonly Definition[],
  local: readonly Definition[],
  interfaces: ReadonlySet<Definition>,
): Promise<readonly string[]> {
  const compile = await loadCompile();
  const declarations = [...exported, ...local];
  const printed = declarations.map((declaration) => ({ ...declaration, shape: resolved(declaration.shape) }));
  const { schema, heads, names } = librarySchema(printed);
  const output = await compile(schema as Parameters<typeof compile>[0], "Root", OPTIONS);
  const texts = typeTexts(output, { heads, names });
  return declarations.map((declaration, index) => {
    const type = texts[index];
    if (type === undefined) throw new SyntaxError("The schema library left out a declaration.");
    const comment = docComment(declaration.comment);
    const start = `${comment === "" ? "" : `${comment}\n`}${index < exported.length ? "export " : ""}`;
    return type.isObject && interfaces.has(declaration)
      ? `${start}interface ${declaration.name} ${type.text}`
      : `${start}type ${declaration.name} = ${type.text};`;
  });
}

/** Formatting is ours (eight times faster), and references never reach the library: resolving is off all the same. */
const OPTIONS: Partial<Options> = {
  bannerComment: "",
  format: false,
  additionalProperties: false,
  unknownAny: true,
  $refOptions: { resolve: { external: false, http: false, file: false } },
};

/**
 * Loads the library when the first type is printed (about half a second).
 * With `VERBOSE` set it would print every step to stdout, into our answers; no part of mcpfs reads that variable.
 */
async function loadCompile(): Promise<typeof import("json-schema-to-typescript").compile> {
  delete process.env.VERBOSE;
  const library = await import("json-schema-to-typescript");
  return library.compile;
}
