import { foldedName } from "../kernel/nearest.ts";
import type { Catalog, Tool } from "../model/tool.ts";
import type { SearchedText } from "./index-document.ts";

/** What is searched of each tool of a catalog, by wire name. */
export function searchedTexts(catalog: Catalog): ReadonlyMap<string, SearchedText> {
  return new Map(
    catalog.servers.flatMap(({ purpose, tools }) =>
      tools.map((tool) => [tool.wire, searchedText(tool, purpose)] as const),
    ),
  );
}

/** What is searched of a tool: its raw name, and the one it has in the workspace where that is another. */
function searchedText(tool: Tool, purpose: string): SearchedText {
  const { server, raw, title, description, inputSchema } = tool;
  const names = isRenamed(tool) ? `${title} ${tool.export}` : title;
  return { server, purpose, name: raw, title: names, description, inputSchema };
}

function isRenamed({ raw, export: name }: Tool): boolean {
  return foldedName(raw) !== foldedName(name);
}
