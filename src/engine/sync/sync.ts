import { readFile } from "node:fs/promises";
import { join } from "node:path";
import pLimit, { type LimitFunction } from "p-limit";
import { type Acceptance, acceptListing } from "../../catalog/accept.ts";
import { normalizeOffers, normalizeTools } from "../../catalog/normalize.ts";
import { toMcpfsError } from "../../kernel/errors.ts";
import { withFileLock, withFileLockToRead } from "../../kernel/file-lock.ts";
import { readIfExists, writeAtomic } from "../../kernel/fsx.ts";
import { packageFile } from "../../kernel/paths.ts";
import type { OfferLists } from "../../mcp/list-offers.ts";
import type { ServerName } from "../../model/names.ts";
import { NO_OFFERS, type Offers } from "../../model/offers.ts";
import type { ServerEntry } from "../../model/server-entry.ts";
import type { SyncReport } from "../../model/sync-report.ts";
import type { Catalog, Tool } from "../../model/tool.ts";
import { writeLearned } from "../../tree/learned-file.ts";
import { writeLock } from "../../tree/lock-file.ts";
import { lockPath } from "../../tree/lock-path.ts";
import { applyTree, planTree, type TreePlan } from "../../tree/write-tree.ts";
import type { StartedServers } from "../servers/started-servers.ts";
import { pruneLearned } from "../workspace/learner.ts";
import { readWorkspaceState, type WorkspaceState } from "../workspace/workspace-state.ts";
import { buildTree, type WantedTree } from "./build-tree.ts";
import { newestAnswers, noteAnswers } from "./newest-answers.ts";
import { createServerRenderer } from "./server-renderer.ts";
import { type Answer, reportOf, sentenceOf } from "./sync-report.ts";

export interface SyncParts {
  readonly root: string;
  /** The config's servers as they are when this is asked: approving one may have changed its names. */
  readonly entries: () => readonly ServerEntry[];
  /** Takes what the config's file says now, so that `entries` knows the servers that another command has added or removed. */
  readonly catchUp: () => Promise<void>;
  /** True for a tool that policy denies to the workspace's agent, by the config as it is when this is asked. */
  readonly isHidden: (tool: Tool) => boolean;
  readonly links: Pick<StartedServers, "use" | "release" | "isConnected">;
  /** Lets so many servers of a host start at a time, whatever syncs run at once. */
  readonly startLimit: StartLimit;
  /** Gets the catalog of the tree that was written, as soon as all of it is on the disk. */
  readonly onWritten?: (catalog: Catalog) => void;
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

/**
 * Brings the tree in line with the servers: ask them at the same time, then, under the workspace's lock, read config and tree
 * again, name, render and write. A server that fails keeps what it has.
 * @throws McpfsError CONFIG_INVALID, WORKSPACE_BUSY
 */
export async function syncWorkspace(parts: SyncParts, request: SyncRequest): Promise<SyncReport> {
  const asked = await askServers(parts, request);
  const locked = request.isCheck === true ? withFileLockToRead : withFileLock;
  return await locked(lockPath(parts.root), async () => {
    await parts.catchUp();
    const entries = parts.entries();
    const before = await readWorkspaceState(parts.root);
    const answers = await newestAnswers(parts.root, asked);
    const accepted = acceptAnswers(entries, request, before, answers);
    const definitions = new Map(before.definitions);
    for (const [name, { tools }] of accepted) definitions.set(name, tools);
    const offers = new Map(before.offers);
    for (const [name, answer] of answers) {
      if (answer.kind === "listed")
        offers.set(name, { ...(before.offers.get(name) ?? NO_OFFERS), ...answer.offers });
    }
    const learned = pruneLearned(before.learned, entries, definitions);
    const renderer = await createServerRenderer(parts.root);
    const concerned = request.isNarrow === true ? request.servers : undefined;
    const build = async (foreign: ReadonlySet<string>): Promise<{ tree: WantedTree; plan: TreePlan }> => {
      const tree = await buildTree(
        { root: parts.root, entries, renderer, isHidden: parts.isHidden, concerned, foreign },
        { ...before, definitions, offers, learned },
      );
      return { tree, plan: await planTree(parts.root, tree.files, tree.known) };
    };
    const first = await build(new Set());
    // Once more where something is in the way: what was not written must not be recorded as ours, or the next sync replaces it.
    const { tree, plan } = first.plan.foreign.length === 0 ? first : await build(new Set(first.plan.foreign));
    if (request.isCheck !== true) {
      await applyTree(parts.root, plan);
      await writeLock(parts.root, tree.lock);
      await writeLearned(parts.root, learned);
      parts.onWritten?.(tree.catalog);
      await noteAnswers(parts.root, answers);
      await renderer.save(tree.files, plan.foreign);
      await provideConfigSchema(parts.root);
    }
    return reportOf(entries, request, { answers, accepted, before, tree, plan, learned });
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
  const askOne = async ({ name }: ServerEntry): Promise<readonly [ServerName, Answer]> => {
    const answer = await ask(parts.links, name);
    // Not waited for: closing the host does, and a server that is slow to end must not keep others from starting.
    if (request.isLast === true) void parts.links.release(name).catch(() => {});
    done += 1;
    request.onProgress?.({ server: name, done, total: wanted.length });
    return [name, answer];
  };
  const answers = await Promise.all(
    wanted.map(async (entry) => {
      // One that runs already must not wait for others to start: its change is to show at once.
      if (await parts.links.isConnected(entry.name)) return await askOne(entry);
      return await parts.startLimit(() => askOne(entry));
    }),
  );
  return new Map(answers);
}

/** Lets work go on that starts a server, or makes it wait. */
export type StartLimit = LimitFunction;

/** Creates the limit of one host. */
export function createStartLimit(): StartLimit {
  return pLimit(MAX_STARTS_AT_ONCE);
}

/** A server that starts takes a core for a while: more at once only make each of them slower, into its time-out. */
const MAX_STARTS_AT_ONCE = 16;

async function ask(links: Pick<StartedServers, "use">, server: ServerName): Promise<Answer> {
  try {
    let askedAtMs = 0;
    const [list, others] = await links.use(server, async (link) => {
      askedAtMs = Date.now();
      return await Promise.all([link.listTools(), link.listOffers()]);
    });
    const { tools, problems } = normalizeTools(server, list.tools);
    return {
      kind: "listed",
      askedAtMs,
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
