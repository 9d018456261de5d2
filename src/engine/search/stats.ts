import { join } from "node:path";
import { readIfExists } from "../../kernel/fsx.ts";
import type { Ledger } from "../../ledger/ledger.ts";
import { BUILTIN_SERVER } from "../../model/names.ts";
import type { SearchHit } from "../../model/search.ts";
import type { Catalog, CatalogServer, Tool } from "../../model/tool.ts";
import { hitLine } from "../../render/hit-line.ts";
import { definitionText } from "../../tokens/definition-text.ts";
import { ENCODING } from "../../tokens/encoding.ts";
import { type ContextLimits, type Recommendation, recommend } from "../../tokens/recommend.ts";
import { type LedgerSummary, quantile, summarizeLedger } from "../../tokens/summarize-ledger.ts";
import { openTokenCounts, type TokenCounts } from "./token-counts.ts";

/** What the workspace costs a language model, and how it was used. The shape of `stats --json`; relied on by others. */
export interface Stats {
  readonly encoding: string;
  readonly context: ContextLimits;
  readonly recommendation: Recommendation;
  /** Servers that are on, the built-in one left out. */
  readonly servers: readonly ServerTokens[];
  readonly total: TotalTokens;
  readonly usage: LedgerSummary;
}

export interface ServerTokens {
  readonly name: string;
  readonly tools: number;
  /** All definitions, as requests to a model carry them. */
  readonly definitions: number;
  /** The server's `index.ts`. */
  readonly listing: number;
}

export interface TotalTokens {
  readonly tools: number;
  readonly definitions: number;
  /** All `index.ts`, and `servers/README.md`. */
  readonly listing: number;
  /** `AGENTS.md`: what an agent begins with. */
  readonly guide: number;
  /** Median of the answers to searches for some of the tools, five hits each. */
  readonly search: number;
  /** Median time of these searches, without the first, which builds the index. */
  readonly searchMs: number;
}

export interface StatsParts {
  readonly root: string;
  readonly catalog: Catalog;
  readonly context: ContextLimits;
  readonly ledger: Ledger;
  readonly search: (query: string, limit: number) => Promise<readonly SearchHit[]>;
}

/** Counts what the workspace costs, with a real tokenizer and without a connection; what was counted before is not counted again. */
export async function collectStats(parts: StatsParts): Promise<Stats> {
  const { root, context } = parts;
  const counts = await openTokenCounts(root);
  const enabled = enabledServers(parts.catalog);
  const servers: ServerTokens[] = [];
  for (const server of enabled) servers.push(await serverTokens(root, server, counts));
  const search = await typicalSearch(parts, enabled, counts);
  const [readme = 0, guide = 0] = await counts.of([
    await treeText(root, "servers/README.md"),
    await treeText(root, "AGENTS.md"),
  ]);
  await counts.save("whole");
  const definitions = sumOf(servers, "definitions");
  return {
    encoding: ENCODING,
    context,
    recommendation: recommend(definitions, context),
    servers,
    total: {
      tools: sumOf(servers, "tools"),
      definitions,
      listing: sumOf(servers, "listing") + readme,
      guide,
      ...search,
    },
    usage: summarizeLedger(await parts.ledger.read()),
  };
}

/** Tokens of each definition that direct calls would put in front of a model, by wire name. */
export async function definitionTokens(root: string, catalog: Catalog): Promise<ReadonlyMap<string, number>> {
  const counts = await openTokenCounts(root);
  const tools = enabledServers(catalog).flatMap((server) => server.tools);
  const all = await counts.of(tools.map(definitionText));
  await counts.save("part");
  return new Map(tools.map(({ wire }, at) => [wire, all[at] ?? 0]));
}

function enabledServers({ servers }: Catalog): readonly CatalogServer[] {
  return servers.filter((server) => server.isEnabled && server.name !== BUILTIN_SERVER);
}

async function serverTokens(root: string, server: CatalogServer, counts: TokenCounts): Promise<ServerTokens> {
  const { name, folder, tools } = server;
  const definitions = await counts.of(tools.map(definitionText));
  const [listing = 0] = await counts.of([await treeText(root, `servers/${folder}/index.ts`)]);
  const total = definitions.reduce((sum, tokens) => sum + tokens, 0);
  return { name, tools: tools.length, definitions: total, listing };
}

/** So many tools, spread over the whole catalog, are searched for by their titles. */
const SAMPLES = 20;
const HITS = 5;

async function typicalSearch(
  { search }: StatsParts,
  servers: readonly CatalogServer[],
  counts: TokenCounts,
): Promise<Pick<TotalTokens, "search" | "searchMs">> {
  const tools = servers.flatMap((server) => server.tools);
  const step = Math.max(1, Math.floor(tools.length / SAMPLES));
  const sampled = tools.filter((_tool, at) => at % step === 0).slice(0, SAMPLES);
  const times: number[] = [];
  const answers: string[] = [];
  for (const tool of sampled) {
    const start = performance.now();
    const hits = await search(queryFor(tool), HITS);
    times.push(performance.now() - start);
    answers.push(hits.map((hit) => hitLine(hit.tool)).join("\n"));
  }
  const warm = times.length > 1 ? times.slice(1) : times;
  return {
    search: quantile(await counts.of(answers), 0.5) ?? 0,
    searchMs: Math.round((quantile(warm, 0.5) ?? 0) * 100) / 100,
  };
}

/** `getContactById` is asked for as `get Contact By Id`. */
function queryFor({ title, export: name }: Tool): string {
  return title !== "" ? title : name.replaceAll(/(?<=[a-z0-9])(?=[A-Z])/g, " ");
}

/** A file of the tree; empty before the first sync. */
async function treeText(root: string, path: string): Promise<string> {
  return (await readIfExists(join(root, path))) ?? "";
}

function sumOf(servers: readonly ServerTokens[], part: "tools" | "definitions" | "listing"): number {
  return servers.reduce((sum, server) => sum + server[part], 0);
}
