/**
 * mcpfs as a library: open a workspace, sync it, run scripts against it.
 *
 * ```ts
 * import { openWorkspace } from "mcpfs";
 * await using workspace = await openWorkspace("./my-workspace");
 * const report = await workspace.run({ path: undefined, name: "sum.ts", text: "export default 6 * 7" });
 * ```
 */

export type { Host as Workspace, RunOptions } from "./engine/host.ts";
export { type OpenOptions, openWorkspace } from "./engine/open-workspace.ts";
export type { Portable } from "./engine/search/portable.ts";
export type { ServerTokens, Stats, TotalTokens } from "./engine/search/stats.ts";
export type { SyncRequest } from "./engine/sync/sync.ts";
export { ERROR_CODES, type ErrorCode, McpfsError } from "./kernel/errors.ts";
export type { Json, JsonObject } from "./kernel/json.ts";
export type { ScriptSource } from "./model/bundle.ts";
export type { CallError, CallOutcome } from "./model/call.ts";
export type { ClientUsage, RunTokens } from "./model/ledger.ts";
export type { CallEffect, Limits, RunError, RunReport, Usage, WaitingCall } from "./model/run.ts";
export type { SyncedServer, SyncReport } from "./model/sync-report.ts";
export type { Catalog, CatalogServer, Risk, Tool } from "./model/tool.ts";
export type { ContextLimits, Mode, Recommendation } from "./tokens/recommend.ts";
export { type OfferedTools, type OfferRequest, offerTools } from "./vendors/offer-tools.ts";
export type { PortablePrompt } from "./vendors/portable-prompt.ts";
export type { PortableResource } from "./vendors/portable-resource.ts";
export type { PortableTool } from "./vendors/portable-tool.ts";
export type { Fitted, OfferOptions, Vendor } from "./vendors/vendor.ts";
