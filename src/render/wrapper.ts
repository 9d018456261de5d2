import type { Tool } from "../model/tool.ts";
import { commentText, docComment } from "./comment-text.ts";
import type { ToolTypes } from "./tool-types.ts";

/**
 * The text of a tool's wrapper file. A tool that can do without arguments has `= {}`; the risk that the server
 * claims stands at the end of the comment.
 */
export function wrapperText(tool: Tool, types: ToolTypes): string {
  // A tool may be called like our own function; its wrapper then calls that by another name.
  const isTaken = (tool.export as string) === DOOR;
  const door = isTaken ? "callTool" : DOOR;
  const argument = `input: ${types.input}${types.isInputOptional ? " = {}" : ""}`;
  const lines = [
    `import { ${DOOR}${isTaken ? ` as ${door}` : ""} } from "../../client.js";`,
    "",
    ...types.texts.flatMap((text) => [text, ""]),
    ...present(docComment(toolComment(tool))),
    `export function ${tool.export}(${argument}): Promise<${types.output}> {`,
    `  return ${door}(${JSON.stringify(tool.wire)}, input);`,
    "}",
  ];
  return `${lines.join("\n")}\n`;
}

const DOOR = "callMCPTool";

/** The whole description, once, and the risk: `Retrieves a document (read)`. Nothing for a risk that is not stated. */
export function toolComment(tool: Tool, description: string = tool.description): string {
  const text = commentText(cut(description));
  const risk = tool.risk === "unstated" ? "" : `(${tool.risk})`;
  return text === "" || risk === "" ? text + risk : `${text} ${risk}`;
}

/** Longer descriptions are manuals; one such would fill a model's context (the longest known has 34,527 characters). */
const MAX_DESCRIPTION = 16_000;

function cut(text: string): string {
  const characters = [...text];
  if (characters.length <= MAX_DESCRIPTION) return text;
  return `${characters.slice(0, MAX_DESCRIPTION).join("")}… (cut; the rest: mcpfs show … --format schema)`;
}

function present(text: string): readonly string[] {
  return text === "" ? [] : [text];
}
