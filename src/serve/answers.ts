import type { JsonObject } from "../kernel/json.ts";
import type { ToolResult } from "../protocol/served.ts";
import type { MetaAnswer } from "./meta-tool.ts";

/**
 * An answer as it goes out. Clients show their model either the text or the structured value, never both, and some show both: so an
 * answer has one of them, by the config. An answer that says no is always text, since clients drop the other.
 */
export function toolResult(answer: MetaAnswer, form: "text" | "structured"): ToolResult {
  const blocks = answer.blocks ?? [];
  if (answer.isError === true) return { content: [textBlock(answer.text), ...blocks], isError: true };
  if (form === "structured") return { content: blocks, structuredContent: answer.value };
  if (answer.asGiven !== undefined) return { content: answer.asGiven };
  return { content: answer.text === "" && blocks.length > 0 ? blocks : [textBlock(answer.text), ...blocks] };
}

export function textBlock(text: string): JsonObject {
  return { type: "text", text };
}

/** An error as text: code, sentence, what a client can do. */
export function errorText(error: {
  readonly code: string;
  readonly message: string;
  readonly hint: string;
  readonly clientHint?: string;
}): string {
  const { code, message, clientHint: hint = error.hint } = error;
  return `${code}: ${message}${hint === "" ? "" : `\n${hint}`}`;
}

/** The beginning of a text that takes at most so many bytes, up to the end of a line where one is near. */
export function headOf(text: string, maxBytes: number): string {
  const bytes = Buffer.from(text);
  if (bytes.length <= maxBytes) return text;
  // A character that was cut in two is dropped.
  const head = new TextDecoder().decode(bytes.subarray(0, maxBytes)).replace(/\ufffd+$/, "");
  const line = head.lastIndexOf("\n");
  return line > maxBytes / 2 ? head.slice(0, line) : head;
}
