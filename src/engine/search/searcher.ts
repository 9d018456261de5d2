import { McpfsError, toMcpfsError } from "../../kernel/errors.ts";
import { nearestOf } from "../../kernel/nearest.ts";
import { listServers } from "../../kernel/next-steps.ts";
import { oneLine } from "../../kernel/text.ts";
import type { ModelEntry, ModelPlace } from "../../model/model-entry.ts";
import { BUILTIN_SERVER } from "../../model/names.ts";
import type {
  Embedder,
  FindOptions,
  SearchAnswer,
  SearchHit,
  SearchRequest,
  SearchSettings,
  SearchStrategy,
  StrategyName,
} from "../../model/search.ts";
import type { TextModel } from "../../model/text-model.ts";
import type { Catalog, Tool } from "../../model/tool.ts";
import { explainHit, type HitExplanation } from "../../search/explain.ts";
import { findByWords } from "../../search/keyword.ts";
import { buildIndex, type KeywordIndex, restoreIndex } from "../../search/keyword-index.ts";
import { searchedTexts } from "../../search/searched-text.ts";
import type { IndexFile } from "./index-file.ts";

/** Finds the tools of a workspace. */
export interface Searcher {
  /**
   * @param visible what of the catalog may be found
   * @throws McpfsError USAGE for a pattern that is none; what a model cannot do is in the answer's notes
   */
  readonly search: (request: SearchRequest, visible: Catalog) => Promise<SearchAnswer>;
  /** Why words find a tool, or do not. */
  readonly explain: (query: string, tool: Tool) => Promise<HitExplanation>;
  /** The catalog is another one: tools that are the same keep their place in the index. */
  readonly update: (catalog: Catalog) => void;
}

export interface SearcherParts {
  readonly catalog: Catalog;
  /** What the config says of finding; read at each search. */
  readonly settings: () => SearchSettings;
  /** The models that may be used, or why one may not. @throws McpfsError UNTRUSTED */
  readonly place: (role: ModelEntry["role"]) => Promise<ModelPlace | undefined>;
  readonly root: string;
  readonly file: IndexFile;
  /** Says whether the index on disk is of this catalog. */
  readonly stamp: (catalog: Catalog) => Promise<string>;
}

/** A smaller index is built sooner than it is read. */
const MIN_TOOLS_ON_DISK = 1_000;
/** With so many changed tools the index is built anew. */
const MAX_REMOVED_SHARE = 0.05;

/** Creates the searcher of a workspace; the index is made at the first search. */
export function createSearcher(parts: SearcherParts): Searcher {
  let catalog = parts.catalog;
  let tools = toolsByWire(catalog);
  let index: Promise<KeywordIndex> | undefined;
  /** Digests of what the index holds, once something has changed. */
  let indexed: Map<string, string> | undefined;
  const embedders = new Map<string, Promise<SearchStrategy>>();
  /** What each caller's catalog holds; one that is replaced is forgotten. */
  const wiresIn = new WeakMap<Catalog, ReadonlySet<string>>();

  const build = async (): Promise<KeywordIndex> => {
    const current = catalog;
    const texts = searchedTexts(current);
    if (tools.size < MIN_TOOLS_ON_DISK) return buildIndex(texts);
    const stamp = await parts.stamp(current);
    const kept = await parts.file.read(stamp);
    if (kept !== undefined) return restoreIndex(kept);
    const built = buildIndex(texts);
    await parts.file.write(stamp, built.parts());
    return built;
  };

  const keyword: SearchStrategy = {
    find: async (query, limit, { within }) => {
      index ??= build();
      const isIn = (key: string): boolean => {
        const tool = tools.get(key);
        return tool !== undefined && within(tool);
      };
      return findByWords(await index, query, limit, isIn).flatMap(({ key, score }): SearchHit[] => {
        const tool = tools.get(key);
        return tool === undefined ? [] : [{ tool, score }];
      });
    },
  };

  const semantic = async (): Promise<SearchStrategy> => {
    const place = await parts.place("embeddings");
    if (place === undefined) throw notConfigured("embeddings");
    const key = JSON.stringify(place);
    const known = embedders.get(key);
    if (known !== undefined) return await known;
    const opening = openSemantic(place, () => [...tools.values()], parts.root);
    embedders.set(key, opening);
    // What failed may be there the next time.
    opening.catch(() => embedders.delete(key));
    return await opening;
  };

  const small = async (asker?: TextModel): Promise<TextModel> => {
    const place = await parts.place("small");
    if (place?.kind === "endpoint") return (await import("../../models/open-model.ts")).openTextModel(place);
    if (asker !== undefined) return asker;
    throw notConfigured("small");
  };

  const strategyOf = async (name: StrategyName, asker: TextModel | undefined): Promise<SearchStrategy> => {
    switch (name) {
      case "keyword":
        return keyword;
      case "regex":
        return (await import("../../search/regex.ts")).createRegexSearch(() => [...tools.values()]);
      case "semantic":
        return await semantic();
      case "model": {
        const { createModelChoice } = await import("../../search/model-choice.ts");
        return createModelChoice(keyword, await small(asker));
      }
      case "hybrid":
        return await hybrid();
    }
  };

  /** Joins what is configured; `keyword` always is. */
  const hybrid = async (): Promise<SearchStrategy> => {
    const { createHybrid } = await import("../../search/hybrid.ts");
    const { createModelChoice } = await import("../../search/model-choice.ts");
    const joined = [{ strategy: keyword, weight: 1 }];
    if ((await parts.place("embeddings")) !== undefined)
      joined.push({ strategy: await semantic(), weight: parts.settings().semanticWeight });
    if ((await parts.place("small")) !== undefined)
      joined.push({ strategy: createModelChoice(keyword, await small()), weight: 1 });
    if (joined.length === 1) throw notConfigured("embeddings");
    return createHybrid(joined);
  };

  const listAll = (request: Wanted): readonly SearchHit[] =>
    [...tools.values()].filter(request.within).map((tool) => ({ tool, score: 0 }));

  const findWith = async (name: StrategyName, wanted: Wanted): Promise<readonly SearchHit[]> =>
    wanted.query.trim() === ""
      ? listAll(wanted)
      : await (await strategyOf(name, wanted.model)).find(
          wanted.query,
          wanted.offset + wanted.limit + 1,
          wanted,
        );

  return {
    search: async (request, visible) => {
      const settings = parts.settings();
      const shown = wiresIn.get(visible) ?? new Set(toolsByWire(visible).keys());
      wiresIn.set(visible, shown);
      const wanted = readRequest(request, settings, { catalog: visible, wires: shown });
      const strategy = request.strategy ?? settings.strategy;
      try {
        return page(await findWith(strategy, wanted), wanted, strategy, []);
      } catch (thrown) {
        const error = toMcpfsError(thrown);
        if (strategy === "keyword" || !FALLS_BACK.has(error.code) || wanted.signal.aborted) throw error;
        const note = `The strategy ${strategy} cannot be used, so keyword was: ${error.message} ${error.hint}`;
        return page(await findWith("keyword", wanted), wanted, "keyword", [note.trim()]);
      }
    },
    explain: async (query, tool) => {
      index ??= build();
      const searched = searchedTexts(catalog).get(tool.wire);
      if (searched === undefined) throw new TypeError("the tool is of another catalog");
      return explainHit(await index, query, { key: tool.wire, searched });
    },
    update: (next) => {
      if (index !== undefined) {
        indexed ??= digestsOf(tools);
        const before = index;
        const known = indexed;
        index = before.then((old) => updated(old, known, next));
      }
      catalog = next;
      tools = toolsByWire(next);
    },
  };
}

/** Failures of a model; the search itself goes on without it. */
const FALLS_BACK: ReadonlySet<McpfsError["code"]> = new Set([
  "SERVER_FAILED",
  "SERVER_TIMEOUT",
  "AUTH_REQUIRED",
  "UNTRUSTED",
  "FILE_FAILED",
  "CONFIG_INVALID",
]);

interface Wanted extends FindOptions {
  readonly query: string;
  readonly limit: number;
  readonly offset: number;
  readonly model: TextModel | undefined;
}

function readRequest(
  request: SearchRequest,
  settings: SearchSettings,
  { catalog, wires }: { readonly catalog: Catalog; readonly wires: ReadonlySet<string> },
): Wanted {
  const { query, limit = settings.limit, offset = 0, server, model, isCallable = false } = request;
  const isNamed = (name: string, folder: string): boolean => name === server || folder === server;
  if (server !== undefined && !catalog.servers.some(({ name, folder }) => isNamed(name, folder)))
    throw unknownServer(server, catalog);
  return {
    query,
    limit,
    offset,
    model,
    within: (tool) =>
      wires.has(tool.wire) &&
      (server === undefined || isNamed(tool.server, tool.folder)) &&
      !(isCallable && tool.server === BUILTIN_SERVER),
    signal: request.signal ?? new AbortController().signal,
  };
}

function unknownServer(server: string, catalog: Catalog): McpfsError {
  const names = catalog.servers.map(({ name }) => name);
  const near = nearestOf(server, names, 3);
  return new McpfsError("USAGE", `No server is called ${JSON.stringify(oneLine(server))}.`, {
    hint: near.length > 0 ? `Did you mean ${near.join(" or ")}?` : listServers(),
  });
}

function page(
  found: readonly SearchHit[],
  { offset, limit }: Wanted,
  strategy: StrategyName,
  notes: readonly string[],
): SearchAnswer {
  return {
    hits: found.slice(offset, offset + limit),
    hasMore: found.length > offset + limit,
    strategy,
    notes,
  };
}

async function openSemantic(
  place: ModelPlace,
  tools: () => readonly Tool[],
  root: string,
): Promise<SearchStrategy> {
  const { openEmbedder } = await import("../../models/open-model.ts");
  const { createVectorStore } = await import("../../models/vector-store.ts");
  const { createSemanticSearch } = await import("../../search/semantic.ts");
  const embedder: Embedder = await openEmbedder(place);
  return createSemanticSearch(tools, embedder, createVectorStore(root));
}

function notConfigured(role: ModelEntry["role"]): McpfsError {
  return new McpfsError("CONFIG_INVALID", `mcpfs.json has no "models": {"${role}": …}.`, {
    hint: "See docs/search.md for models that it may name.",
  });
}

function toolsByWire(catalog: Catalog): ReadonlyMap<string, Tool> {
  return new Map(catalog.servers.flatMap((server) => server.tools.map((tool) => [tool.wire, tool])));
}

function digestsOf(tools: ReadonlyMap<string, Tool>): Map<string, string> {
  return new Map(Array.from(tools, ([wire, tool]) => [wire, tool.digest]));
}

/** The index with what has changed; built anew where much has. */
function updated(index: KeywordIndex, known: Map<string, string>, catalog: Catalog): KeywordIndex {
  const tools = toolsByWire(catalog);
  const texts = searchedTexts(catalog);
  const gone = [...known.keys()].filter((wire) => !tools.has(wire));
  const changed = [...tools.values()].filter(({ wire, digest }) => known.get(wire) !== digest);
  for (const wire of gone) known.delete(wire);
  for (const { wire, digest } of changed) known.set(wire, digest);
  const stale = index.removed() + gone.length + changed.length;
  if (stale > index.size() * MAX_REMOVED_SHARE) return buildIndex(texts);
  for (const wire of gone) index.remove(wire);
  for (const { wire } of changed) {
    const text = texts.get(wire);
    if (text !== undefined) index.put(wire, text);
  }
  return index;
}
