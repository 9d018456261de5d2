import type { Tool } from "../model/tool.ts";
import { docComment } from "./comment-text.ts";
import type { ToolTypes } from "./tool-types.ts";
import { NO_INPUT } from "./wrapper.ts";

/**
 * The text of a server's `prompts.ts`: one function a prompt, with its arguments typed.
 * @param types of the prompts, in the same order
 */
export function promptsText(prompts: readonly Tool[], types: readonly ToolTypes[]): string {
  const functions = prompts.flatMap((prompt, index) => {
    const own = types[index];
    if (own === undefined) return [];
    const argument = `input: ${own.input ?? NO_INPUT}${own.isInputOptional ? " = {}" : ""}`;
    const comment = docComment(prompt.description);
    return [
      ...own.texts.flatMap((text) => [text, ""]),
      ...(comment === "" ? [] : [comment]),
      `export function ${prompt.export}(${argument}): Promise<PromptMessages> {`,
      `  return callMCPTool(${JSON.stringify(prompt.wire)}, input);`,
      "}",
      "",
    ];
  });
  return `import { callMCPTool } from "../../client.js";\n\n${TYPES}\n${functions.join("\n")}`;
}

/** The shape of a prompt's answer (MCP, server/prompts); a block may be of a type that is not known here. */
const TYPES = `export interface PromptMessages {
  description?: string;
  messages: { role: "user" | "assistant"; content: { type: string; text?: string; [key: string]: any } }[];
}
`;
