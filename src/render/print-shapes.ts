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
  // About half a second, at the first type that is printed.
  const { compile } = await import("json-schema-to-typescript");
  const declarations = groups.flatMap(({ exported, local }) => [...exported, ...local]);
  const printed = declarations.map((declaration) => ({ ...declaration, shape: resolved(declaration.shape) }));
  const { schema, ...placeholders } = librarySchema(printed);
  const output = await withoutVerbose(() =>
    compile(schema as Parameters<typeof compile>[0], "Root", OPTIONS),
  );
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
 * With `VERBOSE` set the library prints every step to stdout, into our answers. So the variable is away while it works; afterwards it is as it
 * was, since a config may name it.
 */
async function withoutVerbose<T>(work: () => Promise<T>): Promise<T> {
  if (hidden.works === 0) hidden.value = process.env.VERBOSE;
  hidden.works += 1;
  delete process.env.VERBOSE;
  try {
    return await work();
  } finally {
    hidden.works -= 1;
    if (hidden.works === 0 && hidden.value !== undefined) process.env.VERBOSE = hidden.value;
  }
}

/** Of the module, since the environment is of the process: of several works at once only the last one may set it back. */
const hidden: { works: number; value: string | undefined } = { works: 0, value: undefined };
