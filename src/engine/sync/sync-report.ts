import type { Acceptance } from "../../catalog/accept.ts";
import type { McpfsError } from "../../kernel/errors.ts";
import { stableJson } from "../../kernel/json.ts";
import type { Learned } from "../../learning/learned.ts";
import { EMPTY_LOCK } from "../../model/lock.ts";
import type { ServerName } from "../../model/names.ts";
import type { Offers } from "../../model/offers.ts";
import type { ServerEntry } from "../../model/server-entry.ts";
import type { SyncedServer, SyncReport } from "../../model/sync-report.ts";
import type { Problem, RawTool } from "../../model/tool.ts";
import { learnedText } from "../../tree/learned-file.ts";
import { lockText } from "../../tree/lock-file.ts";
import type { TreePlan } from "../../tree/write-tree.ts";
import type { WorkspaceState } from "../workspace/workspace-state.ts";
import type { WantedTree } from "./build-tree.ts";

/** What one server answered, or why it did not. */
export type Answer =
  | {
      readonly kind: "listed";
      /** When the server was asked for its lists. */
      readonly askedAtMs: number;
      readonly tools: readonly RawTool[];
      readonly offers: Partial<Offers>;
      readonly warnings: readonly string[];
    }
  | { readonly kind: "kept" }
  | { readonly kind: "failed"; readonly error: McpfsError };

/** The part of a request that a report depends on. */
interface ReportRequest {
  readonly servers?: readonly ServerName[];
  readonly isCheck?: boolean;
  readonly isAccepting?: boolean;
}

/** What a report is made from. */
export interface Found {
  readonly answers: ReadonlyMap<ServerName, Answer>;
  readonly accepted: ReadonlyMap<ServerName, Acceptance>;
  readonly before: WorkspaceState;
  readonly tree: WantedTree;
  readonly plan: TreePlan;
  /** What is left of the learned shapes. */
  readonly learned: Learned;
}

/** Puts together what a sync says; entries that were not asked for are left out. */
export function reportOf(entries: readonly ServerEntry[], request: ReportRequest, found: Found): SyncReport {
  const { plan, tree, before, accepted } = found;
  const lockChanges = lockText(tree.lock) === lockText(before.lock) ? 0 : 1;
  const learnedChanges = learnedText(found.learned) === learnedText(before.learned) ? 0 : 1;
  const ownChanges = lockChanges + learnedChanges;
  const isHeld = [...accepted.values()].some(({ held }) => held.length > 0);
  const isStale =
    plan.write.length + plan.delete.length + ownChanges > 0 || (request.isCheck === true && isHeld);
  const asked = entries.filter((entry) => request.servers?.includes(entry.name) ?? true);
  return {
    servers: asked.map((entry) => serverReport(entry, request, found)),
    isStale,
    isBlocked: plan.foreign.length > 0,
    learned: [],
    files: {
      written: plan.write.length + ownChanges,
      deleted: plan.delete.length,
      unchanged: plan.unchanged + tree.intact + 1 - lockChanges,
    },
    warnings: [
      ...(before.lock === EMPTY_LOCK && tree.known.size > 0
        ? ["mcpfs.lock.json was missing: every definition counts as new, and is accepted."]
        : []),
      ...plan.edited.map(
        (path) => `${path} was edited by hand${request.isCheck === true ? "" : " and has been replaced"}.`,
      ),
      ...plan.foreign.map(
        (path) =>
          `${path} was not written by mcpfs and is left alone; the generated one is missing. Move yours away, then sync again.`,
      ),
      ...(request.isCheck === true && isStale ? ['The tree is stale; run "mcpfs sync".'] : []),
    ],
  };
}

function serverReport(
  entry: ServerEntry,
  request: ReportRequest,
  { answers, accepted, before, tree, plan }: Found,
): SyncedServer {
  const answer = answers.get(entry.name) ?? { kind: "kept" as const };
  const after = tree.catalog.servers.find((server) => server.name === entry.name);
  const { tools: _tools, ...diff } = accepted.get(entry.name) ?? UNCHANGED;
  const problems = tree.problems.filter((problem) => problem.server === entry.name);
  const folder = `servers/${after?.folder ?? entry.name}/`;
  const isTouched =
    diff.held.length > 0 ||
    plan.write.some((file) => file.path.startsWith(folder)) ||
    plan.delete.some((path) => path.startsWith(folder));
  const error = answer.kind === "failed" ? answer.error : undefined;
  return {
    name: entry.name,
    status: !entry.isEnabled
      ? "disabled"
      : error !== undefined
        ? "failed"
        : request.isCheck === true && isTouched
          ? "stale"
          : "ok",
    tools: after?.tools.length ?? 0,
    ...diff,
    changedOffers:
      answer.kind === "listed" ? changedOffers(before.offers.get(entry.name), answer.offers) : [],
    warnings: [
      ...(answer.kind === "listed" ? answer.warnings : []),
      ...changeWarnings(entry, request, diff),
      ...problems.map(sentenceOf),
    ],
    error: error === undefined ? null : { code: error.code, message: error.message, hint: error.hint },
  };
}

const UNCHANGED: Acceptance = { tools: [], added: [], changed: [], removed: [], changes: [], held: [] };

function changeWarnings(
  { name, onChange }: ServerEntry,
  request: ReportRequest,
  { changed, held }: Pick<Acceptance, "changed" | "held">,
): readonly string[] {
  if (onChange === "accept" || request.isAccepting === true) return [];
  return changed.map((tool) =>
    held.includes(tool)
      ? `${tool}: its definition has changed and is held back; "mcpfs sync ${name} --accept" takes the change.`
      : `${tool}: its definition has changed since it was accepted.`,
  );
}

/** Of a server that was never synced, nothing is different. */
function changedOffers(before: Offers | undefined, listed: Partial<Offers>): readonly string[] {
  if (before === undefined) return [];
  const now = { ...before, ...listed };
  const differs = (...parts: readonly (keyof Offers)[]): boolean =>
    parts.some((part) => stableJson(sorted(before[part])) !== stableJson(sorted(now[part])));
  return [
    ...(differs("resources", "templates") ? ["resources"] : []),
    ...(differs("prompts") ? ["prompts"] : []),
  ];
}

function sorted(items: readonly unknown[]): readonly string[] {
  return items.map((item) => stableJson(item)).sort();
}

/** `get_contact: …`, or the sentence alone where it concerns no tool. */
export function sentenceOf({ tool, message }: Problem): string {
  return tool === undefined ? message : `${tool}: ${message}`;
}
