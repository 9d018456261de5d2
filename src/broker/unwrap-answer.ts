import { isDeeperThan, isJsonObject, type Json, own, parseJson } from "../kernel/json.ts";
import { visibleText } from "../kernel/text.ts";
import type { CallOutcome, ContentBlock, ToolAnswer } from "../model/call.ts";
import type { Tool } from "../model/tool.ts";
import { retryOf } from "./call-error.ts";

/** As much of a tool's own error text as a model needs to mend its call. */
const MAX_ERROR_TEXT = 2_000;

/**
 * What a script gets for an answer: `structuredContent` when there is one; else, for one text block, the text, parsed
 * when the whole of it is a JSON object or array; else the blocks. No content at all is `undefined`. `isError`
 * becomes an error (MCP, server/tools, Error Handling).
 */
export function unwrapAnswer(tool: Tool, answer: ToolAnswer): CallOutcome {
  if (answer.isError) {
    const text = errorText(answer);
    const error = {
      code: "TOOL_ERROR" as const,
      message: text === "" ? `${tool.server}/${tool.raw} answered with an error.` : text,
      hint: `This is the tool's own answer; ${tool.file} says what it takes.`,
      server: tool.server,
      tool: tool.raw,
      retry: retryOf(tool, "failed"),
      content: answer.content,
    };
    return { kind: "error", error, warnings: [] };
  }
  return {
    kind: "ok",
    value: answer.structured === undefined ? contentValue(answer.content) : answer.structured,
    content: answer.content,
    warnings: [],
  };
}

function contentValue(content: readonly ContentBlock[]): Json | undefined {
  const [block] = content;
  if (block === undefined) return undefined;
  const text = content.length === 1 ? textOf(block) : undefined;
  return text === undefined ? content : parseDocument(text);
}

/** Only a whole object or array is data: `007` stays text, and so do two documents in one block. */
function parseDocument(text: string): Json {
  if (!/^\s*[[{]/.test(text)) return text;
  try {
    const value = parseJson(text);
    return isDeeperThan(value, MAX_DEPTH) ? text : value;
  } catch {
    return text;
  }
}

/** What nests deeper is no data that a script could use, and would overflow the stack of what prints it. */
const MAX_DEPTH = 500;

function textOf(block: ContentBlock): string | undefined {
  const text = own(block, "text");
  return own(block, "type") === "text" && typeof text === "string" ? text : undefined;
}

function errorText(answer: ToolAnswer): string {
  const texts = answer.content.map(textOf).filter((text) => text !== undefined);
  const structured = own(answer.structured, "message") ?? own(answer.structured, "error");
  if (texts.length === 0 && typeof structured === "string") texts.push(structured);
  if (texts.length === 0 && isJsonObject(answer.structured)) texts.push(JSON.stringify(answer.structured));
  const whole = visibleText(texts.join("\n")).trim();
  return whole.length <= MAX_ERROR_TEXT ? whole : `${whole.slice(0, MAX_ERROR_TEXT)}…`;
}
