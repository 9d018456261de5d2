import { firstSentence } from "../kernel/text.ts";
import type { CatalogServer, Tool } from "../model/tool.ts";
import { commentText } from "./comment-text.ts";
import { toolTypeNames } from "./type-names.ts";

/** A tool with the names of the types that its file exports. */
export interface IndexEntry {
  readonly tool: Tool;
  readonly typeNames: readonly string[];
}

/**
 * The text of a server's `index.ts`: one line a tool and one each for resources and prompts, with the first sentence of its description, so that an agent
 * can choose from the listing. A type name that several files export belongs to the tool it is named after, or to none.
 */
export function serverIndexText(
  entries: readonly IndexEntry[],
  offers: Pick<CatalogServer, "resources" | "prompts">,
): string {
  const functions = new Set<string>(entries.map(({ tool }) => tool.export));
  const holders = new Map<string, number>();
  for (const { typeNames } of entries)
    for (const name of typeNames) holders.set(name, (holders.get(name) ?? 0) + 1);
  const lines = entries.map(({ tool, typeNames }) => {
    const { input, output } = toolTypeNames(tool.export);
    const isFree = (name: string): boolean =>
      !functions.has(name) && (holders.get(name) === 1 || name === input || name === output);
    const own = typeNames.filter(isFree);
    const names =
      own.length === typeNames.length
        ? "*"
        : `{ ${[tool.export, ...own.map((name) => `type ${name}`)].join(", ")} }`;
    const sentence = commentText(firstSentence(tool.description, MAX_SENTENCE));
    return `export ${names} from "./${fileName(tool)}.js";${sentence === "" ? "" : ` // ${sentence}`}`;
  });
  const all = [...lines, ...offerLines(offers)];
  return all.length === 0 ? "export {};\n" : `${all.join("\n")}\n`;
}

/** Names of prompts and of tools may be alike, so each kind stays in a namespace of its own. */
function offerLines({ resources, prompts }: Pick<CatalogServer, "resources" | "prompts">): readonly string[] {
  const names = prompts.slice(0, MAX_PROMPT_NAMES).map((prompt) => prompt.export);
  const more = prompts.length > names.length ? ", …" : "";
  return [
    ...(resources === undefined
      ? []
      : ['export * as resources from "./resources.js"; // Data to read: resources.readResource(uri)']),
    ...(prompts.length === 0
      ? []
      : [`export * as prompts from "./prompts.js"; // Prepared messages: ${names.join(", ")}${more}`]),
  ];
}

const MAX_PROMPT_NAMES = 8;

/** Characters of a description that a listing shows. */
const MAX_SENTENCE = 100;

function fileName(tool: Tool): string {
  return (tool.file.split("/").at(-1) ?? "").replace(/\.ts$/, "");
}
