import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { buildCatalog } from "../../src/catalog/build.ts";
import type { Json } from "../../src/kernel/json.ts";
import { EMPTY_LOCK } from "../../src/model/lock.ts";
import type { Catalog, Tool } from "../../src/model/tool.ts";
import { findByWords } from "../../src/search/keyword.ts";
import { buildIndex } from "../../src/search/keyword-index.ts";
import { searchedTexts } from "../../src/search/searched-text.ts";
import { server } from "./definitions.ts";

interface Hit {
  readonly tool: Tool;
  readonly score: number;
}

/** Keyword search over a catalog. */
function createKeywordSearch(catalog: Catalog): { search: (query: string, limit: number) => readonly Hit[] } {
  const tools = new Map<string, Tool>(
    catalog.servers.flatMap((server) => server.tools.map((tool) => [tool.wire, tool] as const)),
  );
  const index = buildIndex(searchedTexts(catalog));
  return {
    search: (query, limit) =>
      findByWords(index, query, limit, () => true).map(({ key, score }) => ({
        tool: tools.get(key) as Tool,
        score,
      })),
  };
}

const { search } = createKeywordSearch(
  buildCatalog(
    [
      server("drive", [
        { name: "getDocument", description: "Reads one document." },
        { name: "list-files", title: "Overview of a folder" },
        {
          name: "HTTPUpload",
          inputSchema: { type: "object", properties: { mime_type: { description: "Media kind" } } },
        },
      ]),
      server("crm", [
        { name: "create_contact", description: "Adds a person to the address book." },
        { name: "delete_contacts", description: "Removes people." },
        { name: "who_is" },
        { name: "技能_検索", description: "社内の技能を検索します" },
        { name: "grep<a&b>" },
        { name: "constructor" },
      ]),
      server("mail", ["send"], { purpose: "Newsletters" }),
    ],
    EMPTY_LOCK,
  ),
);

// M4, M5
test.each([
  ["a word inside a camel-case name", "document", "getDocument"],
  ["a word after a dash", "files", "list-files"],
  ["a word after a run of capitals", "upload", "HTTPUpload"],
  ["a title", "overview", "list-files"],
  ["a description", "address book", "create_contact"],
  ["a parameter's name", "mime", "HTTPUpload"],
  ["a parameter's description", "media", "HTTPUpload"],
  ["a server's purpose", "newsletter", "send"],
  ["the name as it is written", "create_contact", "create_contact"],
  ["the export", "createContact", "create_contact"],
  ["a plural for a singular", "documents", "getDocument"],
  ["a singular for a plural", "delete contact", "delete_contacts"],
  ["a question", "how can I please delete a contact?", "delete_contacts"],
  ["common words that are a name", "who is", "who_is"],
  ["a script without spaces", "検索", "技能_検索"],
  ["the beginning of a word", "docum", "getDocument"],
  ["a name with markup", "grep<a&b>", "grep<a&b>"],
  ["a word that is special to JavaScript", "constructor", "constructor"],
])("%s finds the tool: %j", (_what, query, raw) => {
  expect(search(query, 5)[0]?.tool.raw).toBe(raw);
});

test("nothing is found for words that stand nowhere, and the limit holds", () => {
  expect(search("zebra", 5)).toEqual([]);
  expect(search("contact", 1)).toHaveLength(1);
  expect(search("contact", 0)).toEqual([]);
});

test("equal scores come in an order that does not depend on chance", () => {
  const twins = [server("b", ["ping"]), server("a", ["ping"])];
  const hits = createKeywordSearch(buildCatalog(twins, EMPTY_LOCK)).search("ping", 5);
  expect(hits.map(({ tool }) => tool.wire)).toEqual(["a__ping", "b__ping"]);
});

const labelled = new URL("../../../shared/corpus/search/", import.meta.url);

function lines(file: string): Record<string, Json>[] {
  try {
    const text = readFileSync(new URL(file, labelled), "utf8");
    return text
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line));
  } catch {
    console.log(`${file} is absent; its test is skipped.`);
    return [];
  }
}

test.each([
  ["livemcpbench", 0.58],
  ["apify", 0.93],
])(
  "on the labelled queries of %s a right tool is among the first five in a share of at least %f",
  (name, share) => {
    const tools = lines(`${name}.tools.jsonl`);
    if (tools.length === 0) return;
    const names = [...new Set(tools.map((tool) => String(tool.server)))];
    const servers = names.map((key) =>
      server(
        key,
        tools.filter((tool) => tool.server === key),
      ),
    );
    const keyword = createKeywordSearch(buildCatalog(servers, EMPTY_LOCK));
    const queries = lines(`${name}.queries.jsonl`).filter(({ goldInTools, gold }) => {
      return goldInTools !== false && Array.isArray(gold) && gold.length > 0;
    });
    const found = queries.filter(({ query, gold }) =>
      keyword.search(String(query), 5).some(({ tool }) => (gold as string[]).includes(tool.raw)),
    );
    expect(found.length / queries.length).toBeGreaterThanOrEqual(share);
  },
);
