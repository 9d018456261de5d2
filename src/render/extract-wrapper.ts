import { BUILTIN_SERVER } from "../model/names.ts";
import type { Tool } from "../model/tool.ts";
import { docComment } from "./comment-text.ts";
import { toolComment } from "./wrapper.ts";

/** True for the one tool whose function is no `tool(…)`: its result has the type that each call names. */
export function isExtract({ server, raw }: Tool): boolean {
  return server === BUILTIN_SERVER && (raw as string) === "extract";
}

const PARAMETERS = "<T = any>(value: unknown, schema?: object): Promise<T>";

/** The text of `servers/mcpfs/extract.ts`. The bundler makes the schema of the type that a call names (`bundle/typed-extracts.ts`). */
export function extractWrapperText(tool: Tool): string {
  const body = `callMCPTool(${JSON.stringify(tool.wire)}, { value, schema })`;
  return `${docComment(toolComment(tool))}\nexport const ${tool.export} = ${PARAMETERS} => ${body}\n`;
}

/** The same as a declaration. */
export function extractSignature(tool: Tool): string {
  const lines = [
    `// import { ${tool.export} } from "./servers/${tool.folder}"`,
    docComment(toolComment(tool)),
    `export function ${tool.export}${PARAMETERS}`,
  ];
  return `${lines.join("\n")}\n`;
}
