import { firstSentence } from "../kernel/text.ts";
import type { Tool } from "../model/tool.ts";

/** A tool on one line of an answer to a search: the file to read next, and what it is for. */
export function hitLine({ file, description, title }: Tool): string {
  return `${file}  ${firstSentence(description || title, MAX_SENTENCE)}`.trimEnd();
}

const MAX_SENTENCE = 90;
