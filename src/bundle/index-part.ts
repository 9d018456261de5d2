/**
 * A server's index with only those lines that export one of `names`; the others become empty, so that places stay. An index
 * with a line that mcpfs does not write (somebody edited it) stays whole. Wrappers export by the name of their file.
 */
export function indexPart(index: string, names: ReadonlySet<string>): string {
  const kept: string[] = [];
  for (const line of index.split("\n")) {
    const file = line === "" ? "" : WRITTEN.exec(line)?.[1];
    if (file === undefined) return index;
    kept.push(names.has(file) ? line : "");
  }
  return kept.join("\n");
}

/** `export * from "./getContact.js";`, or with names in braces; a remark may follow. */
const WRITTEN = /^export (?:\*|\{[^{}]*\}) from "\.\/([^"/]+)\.[jt]s";(?: \/\/.*)?$/;
