import type { ModelTokens } from "./text-model.ts";

/**
 * What the workspace remembers of its use, one record a line of `.mcpfs/ledger.jsonl`: what things cost a language model in tokens, and
 * whether searches found what was then called. Tokens are estimates (`tokens/estimate-tokens.ts`).
 */
export type LedgerRecord =
  | SearchRecord
  | ShowRecord
  | RunRecord
  | UnknownNameRecord
  | ListRecord
  | ModelRecord
  | ClientRecord;

/** Tools that a query found, as they were shown. */
export interface SearchRecord {
  readonly kind: "search";
  readonly atMs: number;
  /** `script`: the answer went to a script, and cost the model nothing. */
  readonly caller: "host" | "script";
  readonly query: string;
  /** Wire names, best first. */
  readonly shown: readonly string[];
  readonly tookMs: number;
  /** Of the answer, a line a hit. */
  readonly tokens: number;
}

/** A tool whose signature or definition was shown. */
export interface ShowRecord {
  readonly kind: "show";
  readonly atMs: number;
  readonly tool: string;
  readonly tokens: number;
}

/** A run, or one call outside of a script. */
export interface RunRecord {
  readonly kind: "run";
  readonly atMs: number;
  readonly runId: string;
  /** As the user named it. */
  readonly script: string;
  readonly ended: string;
  readonly calls: number;
  /** Wire names of the tools that were called, each once. */
  readonly called: readonly string[];
  /** Names that were called and are no tool's. */
  readonly unknown: readonly string[];
  readonly tokens: RunTokens;
}

/** What a run cost a language model in tokens, and what the same calls would have cost in the conversation. */
export interface RunTokens {
  /** Names and arguments of all calls. */
  readonly arguments: number;
  /** Their results and errors. */
  readonly results: number;
  /** The script that the model wrote. */
  readonly script: number;
  /** What the script printed and returned. */
  readonly answer: number;
  /** What other language models read and wrote for it: those that `extract` asks. In a sum also for servers. */
  readonly models: number;
}

/** A name outside of a run that is no tool's: of `call` or `show`. */
export interface UnknownNameRecord {
  readonly kind: "unknown";
  readonly atMs: number;
  readonly name: string;
}

/** A server's tool list that was not as before. Numbers of tools. */
export interface ListRecord {
  readonly kind: "list";
  readonly atMs: number;
  readonly server: string;
  readonly tools: number;
  readonly added: number;
  readonly changed: number;
  readonly removed: number;
}

/** A request of a server that the config's small model answered. */
export interface ModelRecord {
  readonly kind: "model";
  readonly atMs: number;
  readonly server: string;
  readonly tokens: ModelTokens;
}

/** What only the client of a model can measure, as far as it reports it: one record a request to the model. */
export interface ClientRecord extends ClientUsage {
  readonly kind: "client";
  readonly atMs: number;
}

/** A request to a language model, as its client measured it. */
export interface ClientUsage {
  /** From sending the request to the first token of the answer. */
  readonly firstTokenMs?: number;
  readonly inputTokens?: number;
  /** Of the input, what the vendor's prompt cache had. */
  readonly cachedTokens?: number;
  readonly outputTokens?: number;
}
