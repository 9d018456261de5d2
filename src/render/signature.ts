import { firstSentence } from "../kernel/text.ts";
import type { Tool } from "../model/tool.ts";
import { docComment } from "./comment-text.ts";
import { extractSignature, isExtract } from "./extract-wrapper.ts";
import { toolTypes } from "./tool-types.ts";
import { NO_INPUT, toolComment } from "./wrapper.ts";

/** Characters of the description that a signature shows; the wrapper file holds all of it. */
const MAX_DESCRIPTION = 300;

/**
 * A tool on one screen: what to import, the first sentence of the description, the function without its body, and
 * its types. Legal TypeScript as a declaration file. What `show --format ts` prints and search shows at full detail.
 */
export async function renderSignature(tool: Tool): Promise<string> {
  if (isExtract(tool)) return extractSignature(tool);
  const [types] = await toolTypes([tool]);
  if (types === undefined) return "";
  const comment = docComment(toolComment(tool, firstSentence(tool.description, MAX_DESCRIPTION)));
  const mark = types.isInputOptional ? "?" : "";
  const lines = [
    `// import { ${tool.export} } from "./servers/${tool.folder}"`,
    comment,
    `export function ${tool.export}(input${mark}: ${types.input ?? NO_INPUT}): Promise<${types.output}>`,
    ...types.texts,
  ];
  return `${lines.filter((line) => line !== "").join("\n")}\n`;
}
