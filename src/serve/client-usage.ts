import { type Json, own } from "../kernel/json.ts";
import type { ClientUsage } from "../model/ledger.ts";
import type { Exchange } from "../protocol/served.ts";

/** Member of a call's `_meta` in which a client reports what only it can measure. */
const USAGE_KEY = "mcpfs/usage";
/** Requests to the model between two calls; more are no report. */
const MAX_REPORTS = 100;

/**
 * What the client of a call measured of its requests to the model since its last call: one object, or a list of them. All of it is
 * untrusted and optional.
 */
export function reportedUsage({ meta, state }: Pick<Exchange, "meta" | "state">): readonly ClientUsage[] {
  const report = own(meta, USAGE_KEY);
  // A call that comes again with answers was counted when it began.
  if (report === undefined || state !== undefined) return [];
  const reports = Array.isArray(report) ? (report as readonly Json[]).slice(0, MAX_REPORTS) : [report];
  return reports.map(readUsage).filter((usage) => Object.keys(usage).length > 0);
}

function readUsage(report: Json): ClientUsage {
  const given = AMOUNTS.map((name) => [name, own(report, name)] as const);
  return Object.fromEntries(given.filter(([, value]) => typeof value === "number" && value >= 0));
}

const AMOUNTS = ["firstTokenMs", "inputTokens", "cachedTokens", "outputTokens"] as const;
