import type { Tool } from "../model/tool.ts";
import { commentText, docComment } from "./comment-text.ts";
import type { ToolTypes } from "./tool-types.ts";

/**
 * The text of a tool's wrapper file: the types, the comment, and `export const get = tool<GetInput>("s__get")`, where `tool` is
 * the global of the sandbox that makes a function of a wire name. A type that says nothing is left out: no arguments, an
 * output of which nothing is known.
 */
export function wrapperText(tool: Tool, types: ToolTypes): string {
  // A tool may be called like our own function; its wrapper then calls that by another name.
  const isTaken = (tool.export as string) === MAKER;
  const maker = isTaken ? "toolOf" : MAKER;
  const lines = [
    isTaken ? `import { ${MAKER} as ${maker} } from "../../client.js"` : "",
    ...types.texts,
    docComment(toolComment(tool)),
    `export const ${tool.export} = ${maker}${typeArguments(types)}(${JSON.stringify(tool.wire)})`,
  ];
  return `${lines.filter((line) => line !== "").join("\n")}\n`;
}

const MAKER = "tool";

/** What stands in the defaults of `tool` is left out. */
function typeArguments({ input, output }: ToolTypes): string {
  if (output !== "any") return `<${input ?? NO_INPUT}, ${output}>`;
  return input === undefined ? "" : `<${input}>`;
}

/** The input of a tool without arguments. */
export const NO_INPUT = "Record<string, never>";

/** The whole description, once, and before it the risk: `read: Retrieves a document.` Nothing for a risk that is not stated. */
export function toolComment(tool: Tool, description: string = tool.description): string {
  const text = commentText(cut(description));
  if (tool.risk === "unstated") return text;
  return text === "" ? tool.risk : `${tool.risk}: ${text}`;
}

/** Longer descriptions are manuals; one such would fill a model's context (the longest known has 34,527 characters). */
const MAX_DESCRIPTION = 16_000;

function cut(text: string): string {
  const characters = [...text];
  if (characters.length <= MAX_DESCRIPTION) return text;
  return `${characters.slice(0, MAX_DESCRIPTION).join("")}… (cut; the rest: mcpfs show … --format schema)`;
}
