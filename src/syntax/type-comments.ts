import type { Parsed } from "./parse.ts";

/** What a comment may say for a model; more is a manual. */
const MAX_LENGTH = 500;

/**
 * The comment of a member of a type: a block right above it, or what stands behind it on its line, as generated wrappers write it.
 * Empty where there is none.
 */
export function commentOf(
  node: { readonly start?: number | null; readonly end?: number | null },
  text: string,
  comments: Parsed["comments"],
): string {
  const [start, end] = [node.start ?? 0, node.end ?? 0];
  const behind = comments?.find(
    (comment) => (comment.start ?? 0) >= end && /^[;, \t]*$/.test(text.slice(end, comment.start ?? 0)),
  );
  const above = comments?.findLast(
    (comment) =>
      comment.type === "CommentBlock" &&
      (comment.end ?? 0) <= start &&
      /^\s*$/.test(text.slice(comment.end ?? 0, start)) &&
      isFirstOnLine(text, comment.start ?? 0),
  );
  const words = [above, behind].map((comment) => plain(comment?.value ?? "")).filter((said) => said !== "");
  return words.join(" ").slice(0, MAX_LENGTH);
}

function isFirstOnLine(text: string, offset: number): boolean {
  const lineStart = text.lastIndexOf("\n", offset - 1) + 1;
  return /^[\s{]*$/.test(text.slice(lineStart, offset));
}

function plain(comment: string): string {
  return comment
    .replaceAll(/^\s*\*+ ?/gm, "")
    .replaceAll(/\s+/g, " ")
    .trim();
}
