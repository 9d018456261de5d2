import type { Tool } from "../model/tool.ts";
import type { SearchedText } from "./index-document.ts";

/** What is searched of a tool: its raw name, and the one it has in the workspace where that is another. */
export function searchedText(tool: Tool): SearchedText {
  const { server, raw, title, description, inputSchema } = tool;
  return { server, name: raw, title: `${title} ${isRenamed(tool) ? tool.export : ""}`, description, inputSchema };
}

function isRenamed({ raw, export: name }: Tool): boolean {
  return plain(raw) !== plain(name);
}

function plain(name: string): string {
  return name.toLowerCase().replace(/[^\p{L}\p{N}]/gu, "");
}
