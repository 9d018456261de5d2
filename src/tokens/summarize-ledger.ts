import type {
  ClientRecord,
  LedgerRecord,
  ListRecord,
  RunRecord,
  RunTokens,
  SearchRecord,
} from "../model/ledger.ts";

/** What the ledger says when it is read as a whole. */
export interface LedgerSummary {
  readonly runs: number;
  readonly calls: number;
  /** Of all runs; `discovery` is what searches and shown definitions took. */
  readonly tokens: RunTokens & { readonly discovery: number };
  /** The latest runs, oldest first. */
  readonly latest: readonly RunRecord[];
  readonly search: SearchSummary;
  /** Names that were called and are no tool's, the most frequent first. */
  readonly unknown: readonly { readonly name: string; readonly times: number }[];
  readonly lists: ListSummary;
  readonly client: ClientSummary;
}

export interface SearchSummary {
  readonly searches: number;
  /** Those that found nothing. */
  readonly empty: number;
  /** `null` where there was no search. */
  readonly medianMs: number | null;
  readonly p95Ms: number | null;
  /** Tools that were called after a search, counted once a run. */
  readonly calledAfter: number;
  /** Those of them that a search before had shown. */
  readonly shownBefore: number;
}

/** How often a tool list changed after a server's first listing, and by how many tools. */
export interface ListSummary {
  readonly changes: number;
  readonly added: number;
  readonly changed: number;
  readonly removed: number;
}

/** What clients reported; `null` where none did. */
export interface ClientSummary {
  readonly requests: number;
  readonly firstTokenMs: number | null;
  /** Of the reported input, what the vendor's prompt cache had. */
  readonly cachedPercent: number | null;
}

const MAX_LATEST = 30;
const MAX_NAMES = 10;

/** Reads the ledger as a whole. Pure: records in, figures out. */
export function summarizeLedger(records: readonly LedgerRecord[]): LedgerSummary {
  const runs = records.filter((record) => record.kind === "run");
  const searches = records.filter((record) => record.kind === "search");
  const discovery = records.map((record) =>
    record.kind === "search" || record.kind === "show" ? record.tokens : 0,
  );
  const total = (part: keyof RunTokens): number =>
    // Records of before know fewer kinds.
    sum(runs.map(({ tokens }) => tokens[part] ?? 0));
  return {
    runs: runs.length,
    calls: sum(runs.map(({ calls }) => calls)),
    tokens: {
      arguments: total("arguments"),
      results: total("results"),
      script: total("script"),
      answer: total("answer"),
      models: total("models") + sum(records.map(tokensForServer)),
      discovery: sum(discovery),
    },
    latest: runs.slice(-MAX_LATEST),
    search: { ...timesOf(searches), ...hitsOf(records) },
    unknown: unknownNames(records),
    lists: listChanges(records.filter((record) => record.kind === "list")),
    client: clientFigures(records.filter((record) => record.kind === "client")),
  };
}

function tokensForServer(record: LedgerRecord): number {
  return record.kind === "model" ? record.tokens.input + record.tokens.output : 0;
}

function timesOf(
  searches: readonly SearchRecord[],
): Pick<SearchSummary, "searches" | "empty" | "medianMs" | "p95Ms"> {
  const times = searches.map(({ tookMs }) => tookMs);
  return {
    searches: searches.length,
    empty: searches.filter(({ shown }) => shown.length === 0).length,
    medianMs: quantile(times, 0.5),
    p95Ms: quantile(times, 0.95),
  };
}

/** Use without a pause of half an hour is one piece of work: a search of yesterday is not what led to a call of today. */
const PAUSE_MS = 30 * 60_000;

function hitsOf(records: readonly LedgerRecord[]): Pick<SearchSummary, "calledAfter" | "shownBefore"> {
  let shown = new Set<string>();
  let hasSearched = false;
  let lastMs = 0;
  let calledAfter = 0;
  let shownBefore = 0;
  for (const record of records) {
    if (record.atMs - lastMs > PAUSE_MS) {
      shown = new Set();
      hasSearched = false;
    }
    lastMs = record.atMs;
    if (record.kind === "search") {
      hasSearched = true;
      for (const wire of record.shown) shown.add(wire);
    }
    if (record.kind !== "run" || !hasSearched) continue;
    calledAfter += record.called.length;
    shownBefore += record.called.filter((wire) => shown.has(wire)).length;
  }
  return { calledAfter, shownBefore };
}

function unknownNames(records: readonly LedgerRecord[]): LedgerSummary["unknown"] {
  const times = new Map<string, number>();
  for (const record of records) {
    const names = record.kind === "unknown" ? [record.name] : record.kind === "run" ? record.unknown : [];
    for (const name of names) times.set(name, (times.get(name) ?? 0) + 1);
  }
  return [...times]
    .map(([name, count]) => ({ name, times: count }))
    .sort((a, b) => b.times - a.times)
    .slice(0, MAX_NAMES);
}

function listChanges(lists: readonly ListRecord[]): ListSummary {
  // All tools of a server at once are its first listing.
  const later = lists.filter(({ tools, added, changed, removed }) => added < tools || changed + removed > 0);
  return {
    changes: later.length,
    added: sum(later.map(({ added }) => added)),
    changed: sum(later.map(({ changed }) => changed)),
    removed: sum(later.map(({ removed }) => removed)),
  };
}

function clientFigures(reports: readonly ClientRecord[]): ClientSummary {
  const firsts = reports.flatMap(({ firstTokenMs }) => firstTokenMs ?? []);
  const cached = reports.filter((report) => report.cachedTokens !== undefined);
  const input = sum(cached.map(({ inputTokens }) => inputTokens ?? 0));
  const hits = sum(cached.map(({ cachedTokens }) => cachedTokens ?? 0));
  return {
    requests: reports.length,
    firstTokenMs: quantile(firsts, 0.5),
    cachedPercent: input === 0 ? null : (hits / input) * 100,
  };
}

/** The value that the share `part` of the values does not exceed; `null` of none. */
export function quantile(values: readonly number[], part: number): number | null {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.max(0, Math.ceil(sorted.length * part) - 1)] ?? null;
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
