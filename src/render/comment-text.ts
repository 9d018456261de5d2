import { visibleText } from "../kernel/text.ts";

/**
 * Text of a server, safe inside a block comment: it cannot end the comment, hide, move a cursor, or steer the
 * type checker (`@ts-expect-error` above a correct line would be an error itself).
 */
export function commentText(text: string): string {
  return visibleText(text)
    .replaceAll("*/", "*\\/")
    .replace(/@(?=ts-)/g, "@ ")
    .replace(/[ \t]+$/gm, "")
    .replace(/\n{3,}/g, "\n\n")
    .trim();
}

/** `// text`, or an empty string for a text that is empty or has several lines. */
export function lineComment(text: string): string {
  const safe = commentText(text);
  return safe === "" || safe.includes("\n") ? "" : `// ${safe}`;
}

/**
 * A doc comment; lines after the first stand one column further in than `indent`. Without the usual stars: they
 * cost a model tokens and say nothing. Empty text gives an empty string.
 */
export function docComment(text: string, indent = ""): string {
  const safe = commentText(text);
  if (safe === "") return "";
  const [first = "", ...others] = safe.split("\n");
  const rest = others.map((line) => (line === "" ? "\n" : `\n${indent} ${line}`)).join("");
  return `/** ${first}${rest} */`;
}
