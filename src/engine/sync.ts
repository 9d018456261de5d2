import { readFile } from "node:fs/promises";
import { join } from "node:path";
import pLimit from "p-limit";
import { type Acceptance, acceptListing } from "../catalog/accept.ts";
import type { DefinitionChange } from "../catalog/diff.ts";
import { normalizeOffers, normalizeTools } from "../catalog/normalize.ts";
import { type McpfsError, toMcpfsError } from "../kernel/errors.ts";
import { withFileLock, withFileLockToRead } from "../kernel/file-lock.ts";
import { readIfExists, writeAtomic } from "../kernel/fsx.ts";
import { stableJson } from "../kernel/json.ts";
import { packageFile } from "../kernel/paths.ts";
import type { Learned } from "../learning/learned.ts";
import type { OfferLists } from "../mcp/list-offers.ts";
import { useLink } from "../mcp/use-link.ts";
import { EMPTY_LOCK } from "../model/lock.ts";
import type { ServerName } from "../model/names.ts";
import { NO_OFFERS, type Offers } from "../model/offers.ts";
import type { ServerEntry } from "../model/server-entry.ts";
import type { Catalog, Problem, RawTool } from "../model/tool.ts";
import { learnedText, writeLearned } from "../tree/learned-file.ts";
import { lockText, writeLock } from "../tree/lock-file.ts";
import { applyTree, lockPath, planTree, type TreePlan } from "../tree/write-tree.ts";
import { buildTree, type WantedTree } from "./build-tree.ts";
import { pruneLearned } from "./learner.ts";
import { createServerRenderer } from "./server-renderer.ts";
import type { StartedServers } from "./started-servers.ts";
import { readWorkspaceState, type WorkspaceState } from "./workspace-state.ts";

export interface SyncParts {
  readonly root: string;
  /** The config's servers as they are when this is asked: approving one may have changed its names. */
  readonly entries: () => readonly ServerEntry[];
  readonly links: Pick<StartedServers, "link" | "release">;
}

export interface SyncRequest {
  /** Only these servers are asked; the others keep what the workspace says of them. Absent: all enabled ones. */
  readonly servers?: readonly ServerName[];
  /** Compare only, write nothing. */
  readonly isCheck?: boolean;
  /** Take changed definitions of the asked servers that `onChange` holds back. */
  readonly isAccepting?: boolean;
  /** Look only at the files of the asked servers: a watch has looked at the others, and a change of one is to show at once. */
  readonly isNarrow?: boolean;
  /** Close each connection once its server has answered: for a command that ends after the sync. */
  readonly isLast?: boolean;
  /** Ask no server; bring the tree in line with the accepted definitions. */
  readonly isOffline?: boolean;
  /** After the sync, call the tools that only read and need no arguments, and learn the types of their answers. */
  readonly isLearn?: boolean;
  /** Ends the calls of `isLearn`. */
  readonly signal?: AbortSignal;
  /** One step for each server that was asked, as its answer comes in. */
  readonly onProgress?: (step: {
    readonly server: ServerName;
    readonly done: number;
    readonly total: number;
  }) => void;
}

/** What a sync found and did. */
export interface SyncReport {
  readonly servers: readonly SyncedServer[];
  readonly files: { readonly written: number; readonly deleted: number; readonly unchanged: number };
  /** True when files had to be written or deleted, or would have to be in a check. */
  readonly isStale: boolean;
  /** What concerns no single server: a hand-edited file that was replaced, a foreign file in the way. */
  readonly warnings: readonly string[];
  /** Tools whose observed type is new or wider, in a sync that was asked to learn. */
  readonly learned: readonly { readonly server: string; readonly tool: string }[];
}

export interface SyncedServer {
  readonly name: ServerName;
  readonly status: "ok" | "stale" | "failed" | "disabled";
  /** Number of tools in the workspace. */
  readonly tools: number;
  /** Raw names, as of the workspace's last state. */
  readonly added: readonly string[];
  readonly changed: readonly string[];
  readonly removed: readonly string[];
  /** What changed in the changed ones. */
  readonly changes: readonly DefinitionChange[];
  /** Those of the changed ones that are held back: the workspace keeps what was accepted. */
  readonly held: readonly string[];
  /** What else is different: `resources`, `prompts`. */
  readonly changedOffers: readonly string[];
  readonly warnings: readonly string[];
  readonly error: { readonly code: string; readonly message: string; readonly hint: string } | null;
}

/** What one server answered, or why it did not. */
type Answer =
  | {
      readonly kind: "listed";
      readonly tools: readonly RawTool[];
      readonly offers: Partial<Offers>;
      readonly warnings: readonly string[];
    }
  | { readonly kind: "kept" }
  | { readonly kind: "failed"; readonly error: McpfsError };

/**
 * Brings the tree in line with the servers: ask them at the same time, then, under the workspace's lock, read what
 * is there again, name, render and write. A server that fails keeps what it has.
 * @throws McpfsError CONFIG_INVALID, WORKSPACE_BUSY
 */
export async function syncWorkspace(
  parts: SyncParts,
  request: SyncRequest,
): Promise<{ readonly report: SyncReport; readonly catalog: Catalog }> {
  const answers = await askServers(parts, request);
  const entries = parts.entries();
  const locked = request.isCheck === true ? withFileLockToRead : withFileLock;
  return await locked(lockPath(parts.root), async () => {
    const before = await readWorkspaceState(parts.root);
    const accepted = acceptAnswers(entries, request, before, answers);
    const definitions = new Map(before.definitions);
    const offers = new Map(before.offers);
    for (const [name, answer] of answers)
      if (answer.kind === "listed")
        offers.set(name, { ...(before.offers.get(name) ?? NO_OFFERS), ...answer.offers });
    for (const [name, { tools }] of accepted) definitions.set(name, tools);
    const learned = pruneLearned(before.learned, entries, definitions);
    const renderer = await createServerRenderer(parts.root);
    const tree = await buildTree(
      {
        root: parts.root,
        entries,
        renderer,
        concerned: request.isNarrow === true ? request.servers : undefined,
      },
      { ...before, definitions, offers, learned },
    );
    const plan = await planTree(parts.root, tree.files, tree.known);
    if (request.isCheck !== true) {
      await applyTree(parts.root, plan);
      await writeLock(parts.root, tree.lock);
      await writeLearned(parts.root, learned);
      await renderer.save();
      await provideConfigSchema(parts.root);
    }
    const report = reportOf(entries, request, { answers, accepted, before, tree, plan, learned });
    return { report, catalog: tree.catalog };
  });
}

function acceptAnswers(
  entries: readonly ServerEntry[],
  request: SyncRequest,
  before: WorkspaceState,
  answers: ReadonlyMap<ServerName, Answer>,
): ReadonlyMap<ServerName, Acceptance> {
  const accepted = new Map<ServerName, Acceptance>();
  for (const { name, onChange } of entries) {
    const answer = answers.get(name);
    if (answer?.kind !== "listed") continue;
    const pinned = {
      definitions: before.definitions.get(name) ?? [],
      locked: before.lock.servers.get(name)?.tools ?? new Map(),
    };
    const isHolding = onChange === "hold" && request.isAccepting !== true;
    accepted.set(name, acceptListing(pinned, answer.tools, isHolding));
  }
  return accepted;
}

async function askServers(parts: SyncParts, request: SyncRequest): Promise<ReadonlyMap<ServerName, Answer>> {
  const wanted = parts
    .entries()
    .filter(
      (entry) =>
        entry.isEnabled && request.isOffline !== true && (request.servers?.includes(entry.name) ?? true),
    );
  let done = 0;
  const atOnce = pLimit(MAX_STARTS_AT_ONCE);
  const askOne = async ({ name }: ServerEntry): Promise<readonly [ServerName, Answer]> => {
    const answer = await ask(parts.links, name);
    // Not waited for: closing the host does, and a server that is slow to end must not keep others from starting.
    if (request.isLast === true) void parts.links.release(name).catch(() => {});
    done += 1;
    request.onProgress?.({ server: name, done, total: wanted.length });
    return [name, answer];
  };
  const answers = await Promise.all(wanted.map((entry) => atOnce(() => askOne(entry))));
  return new Map(answers);
}

/** A server that starts takes a core for a while: more at once only make each of them slower, into its time-out. */
const MAX_STARTS_AT_ONCE = 16;

async function ask(links: Pick<StartedServers, "link">, server: ServerName): Promise<Answer> {
  try {
    const [list, others] = await useLink(
      links,
      server,
      async (link) => await Promise.all([link.listTools(), link.listOffers()]),
    );
    const { tools, problems } = normalizeTools(server, list.tools);
    return {
      kind: "listed",
      tools,
      offers: listedOffers(others),
      warnings: [...list.warnings, ...problems.map(sentenceOf), ...others.warnings],
    };
  } catch (error) {
    return { kind: "failed", error: toMcpfsError(error) };
  }
}

/** The parts that a server did list; of the others the workspace keeps what it knows. */
function listedOffers(lists: OfferLists): Partial<Offers> {
  const { resources, templates, prompts } = lists;
  const normal = normalizeOffers({
    resources: resources ?? [],
    templates: templates ?? [],
    prompts: prompts ?? [],
  });
  return {
    ...(resources === undefined ? {} : { resources: normal.resources }),
    ...(templates === undefined ? {} : { templates: normal.templates }),
    ...(prompts === undefined ? {} : { prompts: normal.prompts }),
  };
}

/** The schema of `mcpfs.json` lies in the workspace, so that any editor finds it by a path that every clone has. */
async function provideConfigSchema(root: string): Promise<void> {
  const path = join(root, ".mcpfs", "mcpfs.schema.json");
  const text = await readFile(packageFile("dist/schemas/mcpfs.schema.json"), "utf8");
  if ((await readIfExists(path)) !== text) await writeAtomic(path, text);
}

interface Found {
  readonly answers: ReadonlyMap<ServerName, Answer>;
  readonly accepted: ReadonlyMap<ServerName, Acceptance>;
  readonly before: WorkspaceState;
  readonly tree: WantedTree;
  readonly plan: TreePlan;
  /** What is left of the learned shapes. */
  readonly learned: Learned;
}

function reportOf(entries: readonly ServerEntry[], request: SyncRequest, found: Found): SyncReport {
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
        (path) => `${path} was not written by mcpfs and is left alone; the generated one is missing.`,
      ),
      ...(request.isCheck === true && isStale ? ['The tree is stale; run "mcpfs sync".'] : []),
    ],
  };
}

function serverReport(
  entry: ServerEntry,
  request: SyncRequest,
  { answers, accepted, before, tree, plan }: Found,
): SyncedServer {
  const answer = answers.get(entry.name);
  const after = tree.catalog.servers.find((server) => server.name === entry.name);
  const { added, changed, removed, changes, held } = accepted.get(entry.name) ?? UNCHANGED;
  const problems = tree.problems.filter((problem) => problem.server === entry.name);
  const folder = `servers/${after?.folder ?? entry.name}/`;
  const isTouched =
    held.length > 0 ||
    plan.write.some((file) => file.path.startsWith(folder)) ||
    plan.delete.some((path) => path.startsWith(folder));
  const error = answer?.kind === "failed" ? answer.error : undefined;
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
    added,
    changed,
    removed,
    changes,
    held,
    changedOffers:
      answer?.kind === "listed" ? changedOffers(before.offers.get(entry.name), answer.offers) : [],
    warnings: [
      ...(answer?.kind === "listed" ? answer.warnings : []),
      ...changeWarnings(entry, request, changed, held),
      ...problems.map(sentenceOf),
    ],
    error: error === undefined ? null : { code: error.code, message: error.message, hint: error.hint },
  };
}

const UNCHANGED: Omit<Acceptance, "tools"> = { added: [], changed: [], removed: [], changes: [], held: [] };

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

function changeWarnings(
  { name, onChange }: ServerEntry,
  request: SyncRequest,
  changed: readonly string[],
  held: readonly string[],
): readonly string[] {
  if (onChange === "accept" || request.isAccepting === true) return [];
  return changed.map((tool) =>
    held.includes(tool)
      ? `${tool}: its definition has changed and is held back; "mcpfs sync ${name} --accept" takes the change.`
      : `${tool}: its definition has changed since it was accepted.`,
  );
}

function sentenceOf({ tool, message }: Problem): string {
  return tool === undefined ? message : `${tool}: ${message}`;
}
