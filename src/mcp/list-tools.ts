import { isDeeperThan, type Json, own, stableJson } from "../kernel/json.ts";
import { oneLine } from "../kernel/text.ts";
import type { RequestOptions, RequestOutcome, Requests } from "./requests.ts";

/** What a server lists: untrusted elements as received, also the odd ones. */
export interface ToolList {
  readonly tools: readonly Json[];
  /** Sentences about how it was listed, not about single tools. */
  readonly warnings: readonly string[];
}

/** How listing ended: a list, or the outcome of the request that failed. */
export type ListOutcome =
  | { readonly kind: "listed"; readonly list: ToolList }
  | Exclude<RequestOutcome, { kind: "result" }>
  /** The server answered with something that holds no list. */
  | { readonly kind: "no-list" };

/** The largest captured server has 13 pages; a cursor that changes for ever has to end somewhere. */
const MAX_PAGES = 1_000;
/** So many pages in a row may bring nothing new, each with a new cursor. */
const MAX_IDLE_PAGES = 3;
/** JSON-RPC: method not found. A server with prompts only does not know `tools/list`. */
const METHOD_NOT_FOUND = -32601;

/**
 * Lists all tools of a server, page by page. Any cursor that is not null is followed, also an empty one: it is
 * opaque (`server/utilities/pagination.mdx`). A cursor that comes back ends the walk with a warning, and so do three
 * pages in a row that only repeat tools; such a page is dropped, so that a server that ignores cursors lists its tools
 * once. Nothing else is judged here. `limit.timeoutMs` holds for all pages together.
 */
export async function listAllTools(requests: Requests, limit: RequestOptions): Promise<ListOutcome> {
  const stopBy = Date.now() + limit.timeoutMs;
  const tools: Json[] = [];
  const warnings: string[] = [];
  const seen = new Set<string>();
  const followed = new Set<string>();
  let idlePages = 0;
  let cursor: Json | undefined;
  for (let page = 1; ; page += 1) {
    const outcome = await requests.request("tools/list", cursor === undefined ? {} : { cursor }, {
      ...limit,
      timeoutMs: Math.max(1, stopBy - Date.now()),
    });
    if (outcome.kind === "refused" && outcome.code === METHOD_NOT_FOUND && page === 1)
      return { kind: "listed", list: { tools: [], warnings } };
    if (outcome.kind === "timeout") return { kind: "timeout", timeoutMs: limit.timeoutMs };
    if (outcome.kind !== "result") return outcome;
    const listed = own(outcome.result, "tools");
    if (!Array.isArray(listed)) return { kind: "no-list" };
    const keys = (listed as readonly Json[]).map(keyOf);
    const isRepeat = keys.length > 0 && keys.every((key) => seen.has(key));
    idlePages = isRepeat ? idlePages + 1 : 0;
    if (!isRepeat) for (const tool of listed as readonly Json[]) tools.push(tool);
    for (const key of keys) seen.add(key);
    const next = own(outcome.result, "nextCursor");
    if (next === undefined || next === null) break;
    if (followed.has(JSON.stringify(next))) {
      warnings.push(`The list of tools was cut at page ${page}: the cursor ${shown(next)} came again.`);
      break;
    }
    if (idlePages === MAX_IDLE_PAGES) {
      warnings.push(
        `The list of tools was cut at page ${page}: ${MAX_IDLE_PAGES} pages brought nothing new.`,
      );
      break;
    }
    if (page === MAX_PAGES) {
      warnings.push(
        `The list of tools was cut after ${MAX_PAGES} pages; the last cursor was ${shown(next)}.`,
      );
      break;
    }
    followed.add(JSON.stringify(next));
    cursor = next;
  }
  return { kind: "listed", list: { tools, warnings } };
}

/** What tells a repeated tool: its text; of one that nests too deep for that, its name. */
function keyOf(tool: Json): string {
  return isDeeperThan(tool, MAX_DEPTH) ? `deep ${String(own(tool, "name"))}` : stableJson(tool);
}

/** Far above published definitions, and far below what overflows the stack. */
const MAX_DEPTH = 400;

function shown(cursor: Json): string {
  return JSON.stringify(oneLine(String(cursor), 60));
}
