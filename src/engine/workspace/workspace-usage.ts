import type { Clock } from "../../kernel/clock.ts";
import { McpfsError } from "../../kernel/errors.ts";
import type { Ledger } from "../../ledger/ledger.ts";
import type { ClientUsage, SearchRecord } from "../../model/ledger.ts";
import type { SearchAnswer, SearchRequest } from "../../model/search.ts";
import type { SyncReport } from "../../model/sync-report.ts";
import type { Tool } from "../../model/tool.ts";
import type { Caller } from "../../policy/decision.ts";
import { hitLine } from "../../render/hit-line.ts";
import { estimateTokens } from "../../tokens/estimate-tokens.ts";

/** Writes down how the workspace is used, besides its runs: what `mcpfs stats` tells later. */
export interface WorkspaceUsage {
  /** Makes a search for a caller and remembers what it showed; `by` says whether the answer went to a script. */
  readonly search: (
    by: SearchRecord["caller"],
    request: SearchRequest,
    caller: Caller,
  ) => Promise<SearchAnswer>;
  /** A tool's signature or definition goes to the model. */
  readonly shown: (tool: Tool, text: string) => Promise<void>;
  /** Runs `work`, and remembers the name where it is no tool's. */
  readonly noticing: <T>(name: string, work: () => Promise<T>) => Promise<T>;
  /** A sync has found tool lists that are not as before. */
  readonly listed: (report: SyncReport) => Promise<void>;
  /** What a client measured of a request to its model. */
  readonly reported: (usage: ClientUsage) => Promise<void>;
}

export interface UsageParts {
  readonly ledger: Ledger;
  readonly clock: Clock;
  readonly search: (request: SearchRequest, caller: Caller) => Promise<SearchAnswer>;
}

/** What is remembered of a query. */
const MAX_QUERY = 300;

/** Creates what writes a workspace's use into its ledger. */
export function createWorkspaceUsage({ ledger, clock, search }: UsageParts): WorkspaceUsage {
  return {
    search: async (by, request, caller) => {
      const start = performance.now();
      const answer = await search(request, caller);
      const { hits } = answer;
      const lines = hits.map(({ tool }) => hitLine(tool)).join("\n");
      await ledger.add({
        kind: "search",
        atMs: clock.now(),
        caller: by,
        query: request.query.slice(0, MAX_QUERY),
        shown: hits.map(({ tool }) => tool.wire),
        tookMs: Math.round((performance.now() - start) * 10) / 10,
        tokens: by === "script" ? 0 : estimateTokens(lines),
      });
      return answer;
    },
    shown: async (tool, text) => {
      await ledger.add({ kind: "show", atMs: clock.now(), tool: tool.wire, tokens: estimateTokens(text) });
    },
    noticing: async (name, work) => {
      try {
        return await work();
      } catch (error) {
        if (error instanceof McpfsError && error.code === "TOOL_UNKNOWN")
          await ledger.add({ kind: "unknown", atMs: clock.now(), name: name.slice(0, MAX_QUERY) });
        throw error;
      }
    },
    listed: async ({ servers }) => {
      for (const { name, tools, added, changed, removed } of servers) {
        if (added.length + changed.length + removed.length === 0) continue;
        await ledger.add({
          kind: "list",
          atMs: clock.now(),
          server: name,
          tools,
          added: added.length,
          changed: changed.length,
          removed: removed.length,
        });
      }
    },
    reported: async (usage) => {
      await ledger.add({ kind: "client", atMs: clock.now(), ...usage });
    },
  };
}
