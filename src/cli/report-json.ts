import type { Json } from "../kernel/json.ts";
import type { RunReport } from "../model/run.ts";

/** A report as `exec --json` and `demo --json` give it; relied on by others. A run without a value has `null`. */
export function reportJson(report: RunReport): RunReport & { readonly value: Json } {
  return { ...report, value: report.value ?? null };
}
