import type { Options } from "json-schema-to-typescript";
import { docComment } from "./comment-text.ts";
import { resolved } from "./definitions.ts";
import { librarySchema } from "./library-schema.ts";
import type { Definition } from "./shape.ts";
import { typeTexts } from "./type-text.ts";

/** The declarations of one tool. */
export interface DeclarationGroup {
  readonly exported: readonly Definition[];
  readonly local: readonly Definition[];
  /**
   * A tool's input becomes an interface where it is an object; all else becomes a type alias, because TypeScript lets a
   * value of an alias pass as `Record<string, unknown>` and one of an interface not: what one tool answers is often
   * handed to another.
   */
  readonly input: Definition;
}

/**
 * Prints the declarations of several tools as TypeScript types, one text each: first the exported ones, then the local
 * ones. One call of the library for many tools costs a third less than one for each (measured on 16.0.0).
 * @throws SyntaxError when the library's output is anything but types
 */
export async function printShapes(
  groups: readonly DeclarationGroup[],
): Promise<readonly (readonly string[])[]> {
  const compile = await loadCompile();
  const declarations = groups.flatMap(({ exported, local }) => [...exported, ...local]);
  const printed = declarations.map((declaration) => ({ ...declaration, shape: resolved(declaration.shape) }));
  const { schema, ...placeholders } = librarySchema(printed);
  const output = await compile(schema as Parameters<typeof compile>[0], "Root", OPTIONS);
  const texts = typeTexts(output, placeholders);
  if (texts.length !== declarations.length)
    throw new SyntaxError("The schema library left out a declaration.");
  let next = 0;
  return groups.map(({ exported, local, input }) =>
    [...exported, ...local].map((declaration, index) => {
      const { text, isObject } = texts[next++] ?? { text: "unknown", isObject: false };
      const comment = docComment(declaration.comment);
      const start = `${comment === "" ? "" : `${comment}\n`}${index < exported.length ? "export " : ""}`;
      return isObject && declaration === input
        ? `${start}interface ${declaration.name} ${text}`
        : `${start}type ${declaration.name} = ${text}`;
    }),
  );
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
