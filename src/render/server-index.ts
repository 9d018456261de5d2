import { firstSentence } from "../kernel/text.ts";
import type { Tool } from "../model/tool.ts";
import { commentText } from "./comment-text.ts";
import { outputSchemaOf } from "./tool-types.ts";

/** A tool with the names of the types that its file exports. */
export interface IndexEntry {
  readonly tool: Tool;
  readonly typeNames: readonly string[];
}

/**
 * The text of a server's `index.ts`: one line a tool, with the first sentence of its description, so that an agent
 * can choose from the listing. A type name that several files export belongs to the tool it is named after, or to none.
 */
export function serverIndexText(entries: readonly IndexEntry[]): string {
  const functions = new Set<string>(entries.map(({ tool }) => tool.export));
  const holders = new Map<string, number>();
  for (const { typeNames } of entries)
    for (const name of typeNames) holders.set(name, (holders.get(name) ?? 0) + 1);
  const lines = entries.map(({ tool, typeNames }) => {
    const isFree = (name: string, index: number): boolean =>
      !functions.has(name) && (holders.get(name) === 1 || index < ownCount(tool));
    const own = typeNames.filter(isFree);
    const names =
      own.length === typeNames.length
        ? "*"
        : `{ ${[tool.export, ...own.map((name) => `type ${name}`)].join(", ")} }`;
    const sentence = commentText(firstSentence(tool.description, MAX_SENTENCE));
    return `export ${names} from "./${fileName(tool)}.js";${sentence === "" ? "" : ` // ${sentence}`}`;
  });
  return lines.length === 0 ? "export {};\n" : `${lines.join("\n")}\n`;
}

/** Characters of a description that a listing shows. */
const MAX_SENTENCE = 100;

/** The input and output types stand first in a file and are named after the tool. */
function ownCount(tool: Tool): number {
  return outputSchemaOf(tool) === undefined ? 1 : 2;
}

function fileName(tool: Tool): string {
  return (tool.file.split("/").at(-1) ?? "").replace(/\.ts$/, "");
}
