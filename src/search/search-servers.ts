import type { JsonObject } from "../kernel/json.ts";
import type { SearchedText } from "./index-document.ts";
import { findByWords } from "./keyword.ts";
import { buildIndex } from "./keyword-index.ts";

/** What a server is found by. */
export interface ServerText {
  readonly name: string;
  readonly purpose: string;
  readonly tools: readonly { readonly name: string; readonly description: string }[];
}

/** The servers that the words mean, best first, by name, purpose and tools; all of them, as given, for no words. */
export function searchServers<T extends ServerText>(servers: readonly T[], query: string): readonly T[] {
  if (query.trim() === "") return servers;
  const byName = new Map(servers.map((server) => [server.name, server]));
  const index = buildIndex(new Map(servers.map((server) => [server.name, asTool(server)])));
  const found = findByWords(index, query, servers.length, () => true);
  return found.flatMap(({ key }) => byName.get(key) ?? []);
}

/** A server as if it were one tool, whose parameters are its tools. */
function asTool({ name, purpose, tools }: ServerText): SearchedText {
  const properties: JsonObject = Object.fromEntries(
    tools.map((tool) => [tool.name, { description: tool.description }]),
  );
  return { server: "", purpose: "", name, title: purpose, description: "", inputSchema: { properties } };
}
