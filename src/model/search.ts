import type { TextModel } from "./text-model.ts";
import type { Tool } from "./tool.ts";

/** How tools are found. `hybrid` joins all that are configured. */
export const STRATEGIES = ["keyword", "regex", "semantic", "model", "hybrid"] as const;

/** One of {@link STRATEGIES}. */
export type StrategyName = (typeof STRATEGIES)[number];

/** What a workspace's config says of finding. */
export interface SearchSettings {
  readonly strategy: StrategyName;
  /** Hits where nobody says how many. */
  readonly limit: number;
  /** What a rank of `semantic` counts in `hybrid`, where one of `keyword` counts 1. */
  readonly semanticWeight: number;
}

/**
 * What holds where the config says nothing. With the local models that npm has, a larger weight of `semantic` lowered the share of
 * right tools found (`docs/search.md`).
 */
export const DEFAULT_SEARCH: SearchSettings = { strategy: "keyword", limit: 5, semanticWeight: 0.3 };

/** What is searched for. */
export interface SearchRequest {
  /** Words, or the pattern of `regex`. Empty: all tools, in the catalog's order. */
  readonly query: string;
  /** Hits at most; default: what the config says, else 5. */
  readonly limit?: number;
  /** Hits to pass over: the next page. Default 0. */
  readonly offset?: number;
  /** Only tools of this server. */
  readonly server?: string;
  /** Default: what the config says, else `keyword`. */
  readonly strategy?: StrategyName;
  /** True: only tools that can be called from outside of a script, so none of the built-in server. */
  readonly isCallable?: boolean;
  /** The model of whoever asks: for the strategy `model` where the config names none. */
  readonly model?: TextModel | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** A tool that a query found. */
export interface SearchHit {
  readonly tool: Tool;
  /** Larger is better; comparable within one answer only. 0 where the query was empty. */
  readonly score: number;
}

/** The answer to a {@link SearchRequest}. */
export interface SearchAnswer {
  /** Best first, after `offset` and `limit`. */
  readonly hits: readonly SearchHit[];
  /** True where a further page holds more. */
  readonly hasMore: boolean;
  /** What found them; another one than asked for where `notes` say so. */
  readonly strategy: StrategyName;
  /** Sentences: which strategy could not be used, and why. */
  readonly notes: readonly string[];
}

/** One way to find tools, over one catalog. */
export interface SearchStrategy {
  /**
   * At most `limit` tools, best first.
   * @param within true for the tools that may be found
   * @throws McpfsError SERVER_FAILED, SERVER_TIMEOUT, UNTRUSTED, AUTH_REQUIRED where an endpoint cannot be used; USAGE for a pattern
   */
  readonly find: (query: string, limit: number, options: FindOptions) => Promise<readonly SearchHit[]>;
}

export interface FindOptions {
  readonly within: (tool: Tool) => boolean;
  readonly signal: AbortSignal;
}

/** Turns texts into vectors of one length: an endpoint or a local model. */
export interface Embedder {
  /** What the vectors depend on, besides the text: another id, other vectors. Safe as part of a file's name. */
  readonly id: string;
  /** Vectors of length 1, one a text, in order. @throws McpfsError SERVER_FAILED, SERVER_TIMEOUT, AUTH_REQUIRED, FILE_FAILED */
  readonly embed: (texts: readonly string[], signal: AbortSignal) => Promise<readonly Float32Array[]>;
}
