import { isDeeperThan, type Json, own, stableJson } from "../kernel/json.ts";
import { oneLine } from "../kernel/text.ts";
import { METHOD_NOT_FOUND } from "./client-answer.ts";
import type { RequestOptions, RequestOutcome, Requests } from "./requests.ts";

/** What a server lists: untrusted elements as received, also the odd ones. */
export interface ToolList {
  readonly tools: readonly Json[];
  /** Sentences about how it was listed, not about single tools. */
  readonly warnings: readonly string[];
  /** How long the server says that the list stays fresh. */
  readonly ttlMs?: number | undefined;
}

/** A kind of thing that servers list: how it is asked for, where it stands in the answer, and its name for a sentence. */
export interface ListKind {
  readonly method: string;
  readonly key: string;
  readonly noun: string;
}

export const TOOLS: ListKind = { method: "tools/list", key: "tools", noun: "tools" };
export const PROMPTS: ListKind = { method: "prompts/list", key: "prompts", noun: "prompts" };
export const RESOURCES: ListKind = { method: "resources/list", key: "resources", noun: "resources" };
export const TEMPLATES: ListKind = {
  method: "resources/templates/list",
  key: "resourceTemplates",
  noun: "resource templates",
};

/** How listing ended: a list, or the outcome of the request that failed. */
export type ListOutcome =
  | {
      readonly kind: "listed";
      /** Untrusted elements as received, also the odd ones. */
      readonly items: readonly Json[];
      /** Sentences about how it was listed, not about single elements. */
      readonly warnings: readonly string[];
      /** Milliseconds that the server says its list stays fresh: the least of all pages; `undefined` where it does not say. */
      readonly ttlMs: number | undefined;
    }
  | Exclude<RequestOutcome, { kind: "result" }>
  /** The server answered with something that holds no list. */
  | { readonly kind: "no-list" };

/** The largest captured server has 13 pages; a cursor that changes for ever has to end somewhere. */
const MAX_PAGES = 1_000;
/** So many pages in a row may bring nothing new, each with a new cursor. */
const MAX_IDLE_PAGES = 3;

/**
 * Lists all that a server has of one kind, page by page. Any cursor that is not null is followed, also an empty one: it is
 * opaque (`server/utilities/pagination.mdx`). A cursor that comes back ends the walk with a warning, and so do three
 * pages in a row that only repeat elements; such a page is dropped, so that a server that ignores cursors lists its tools
 * once. Nothing else is judged here. `limit.timeoutMs` holds for all pages together.
 */
export async function listAll(
  requests: Requests,
  { method, key, noun }: ListKind,
  limit: RequestOptions,
): Promise<ListOutcome> {
  const stopBy = Date.now() + limit.timeoutMs;
  const items: Json[] = [];
  const warnings: string[] = [];
  const seen = new Set<string>();
  const followed = new Set<string>();
  let idlePages = 0;
  let ttlMs: number | undefined = Number.MAX_SAFE_INTEGER;
  let cursor: Json | undefined;
  for (let page = 1; ; page += 1) {
    const outcome = await requests.request(method, cursor === undefined ? {} : { cursor }, {
      ...limit,
      timeoutMs: Math.max(1, stopBy - Date.now()),
    });
    // A server with prompts only does not know `tools/list`.
    if (outcome.kind === "refused" && outcome.code === METHOD_NOT_FOUND && page === 1)
      return { kind: "listed", items: [], warnings, ttlMs: undefined };
    if (outcome.kind === "timeout") return { kind: "timeout", timeoutMs: limit.timeoutMs };
    if (outcome.kind !== "result") return outcome;
    const listed = own(outcome.result, key);
    if (!Array.isArray(listed)) return { kind: "no-list" };
    const pageTtlMs = own(outcome.result, "ttlMs");
    ttlMs = typeof pageTtlMs === "number" && ttlMs !== undefined ? Math.min(ttlMs, pageTtlMs) : undefined;
    const next = own(outcome.result, "nextCursor");
    const isLast = next === undefined || next === null;
    // Most servers have one page, which repeats nothing.
    const keys = isLast && page === 1 ? [] : (listed as readonly Json[]).map(keyOf);
    const isRepeat = keys.length > 0 && keys.every((text) => seen.has(text));
    idlePages = isRepeat ? idlePages + 1 : 0;
    if (!isRepeat) for (const item of listed as readonly Json[]) items.push(item);
    for (const text of keys) seen.add(text);
    if (isLast) break;
    if (followed.has(JSON.stringify(next))) {
      warnings.push(`The list of ${noun} was cut at page ${page}: the cursor ${shown(next)} came again.`);
      break;
    }
    if (idlePages === MAX_IDLE_PAGES) {
      warnings.push(
        `The list of ${noun} was cut at page ${page}: ${MAX_IDLE_PAGES} pages brought nothing new.`,
      );
      break;
    }
    if (page === MAX_PAGES) {
      warnings.push(
        `The list of ${noun} was cut after ${MAX_PAGES} pages; the last cursor was ${shown(next)}.`,
      );
      break;
    }
    followed.add(JSON.stringify(next));
    cursor = next;
  }
  return { kind: "listed", items, warnings, ttlMs };
}

/** What tells a repeated element: its text; of one that nests too deep for that, its name. */
function keyOf(item: Json): string {
  return isDeeperThan(item, MAX_DEPTH) ? `deep ${String(own(item, "name"))}` : stableJson(item);
}

/** Far above published definitions, and far below what overflows the stack. */
const MAX_DEPTH = 400;

function shown(cursor: Json): string {
  return JSON.stringify(oneLine(String(cursor), 60));
}
