import { join } from "node:path";
import { nameCatalog } from "../../catalog/build.ts";
import { visibleCatalog } from "../../catalog/visible.ts";
import { readIfExists } from "../../kernel/fsx.ts";
import type { Lock, LockedServer } from "../../model/lock.ts";
import { BUILTIN_SERVER, type ServerName } from "../../model/names.ts";
import { NO_OFFERS, type Offers } from "../../model/offers.ts";
import type { ServerEntry } from "../../model/server-entry.ts";
import type { Catalog, CatalogServer, Problem, RawTool, Tool } from "../../model/tool.ts";
import { renderWorkspace } from "../../render/workspace-files.ts";
import { listSkills } from "../../skills/list-skills.ts";
import {
  DEFINITIONS_FILE,
  definitionsText,
  inFileOrder,
  readKnownFiles,
} from "../../tree/definitions-file.ts";
import { fileDigest } from "../../tree/tree-path.ts";
import { skillImportLine } from "../workspace/skills.ts";
import { serverDefinitions, type WorkspaceState } from "../workspace/workspace-state.ts";
import { mergeOwnBlock } from "./own-block.ts";
import type { ServerRenderer } from "./server-renderer.ts";

/** The generated part of a workspace as it should be. */
export interface WantedTree {
  readonly catalog: Catalog;
  readonly lock: Lock;
  /** Slashed path below the root → text. */
  readonly files: ReadonlyMap<string, string>;
  /** Slashed path → digest of what mcpfs wrote there last: only such files are replaced or deleted. */
  readonly known: ReadonlyMap<string, string>;
  /** Files that are as they should be without being rendered again; in neither of the maps above. */
  readonly intact: number;
  readonly problems: readonly Problem[];
}

export interface BuildTreeParts {
  readonly root: string;
  readonly entries: readonly ServerEntry[];
  readonly renderer: ServerRenderer;
  /** True for a tool that policy denies to the workspace's agent: it has no wrapper and no line in an index. */
  readonly isHidden: (tool: Tool) => boolean;
  /** Only files of these servers are looked at; absent: all. What others are made from counts in any case. */
  readonly concerned?: readonly ServerName[] | undefined;
  /** Paths at which something of somebody else's stands: no record may say that mcpfs wrote it. */
  readonly foreign?: ReadonlySet<string>;
}

/** Renders the whole tree from definitions, lock, learned shapes and config: the same in, the same bytes out (law 5). */
export async function buildTree(
  { root, entries, renderer, isHidden, concerned, foreign = new Set() }: BuildTreeParts,
  { lock: before, definitions, offers, learned, stored }: WorkspaceState,
): Promise<WantedTree> {
  const servers = serverDefinitions(entries, { lock: before, definitions, offers }).map((server) => {
    const folder = before.servers.get(server.entry.name)?.folder ?? "";
    const read = stored.get(folder);
    return read === undefined ? server : { ...server, digests: renderer.digestsOf(folder, read) };
  });
  const { catalog, lock } = nameCatalog(servers, before, learned);
  const names = withoutRemoved(lock, entries);
  const toolsOf = new Map(servers.map((server) => [server.entry.name, server.tools] as const));
  const files = new Map<string, string>();
  const known = new Map(await readKnownFiles(root, before, stored));
  const problems: Problem[] = [];
  let intact = 0;
  const byFolder = filesByFolder(known);
  const visible = visibleCatalog(catalog, isHidden);
  for (const server of visible.servers) {
    const tools = toolsOf.get(server.name);
    // A server that only the lock knows has nothing here any more; what it had is in `known`, and goes.
    if (tools === undefined) continue;
    const folder = `servers/${server.folder}/`;
    const own = byFolder.get(folder) ?? new Map<string, string>();
    const isConcerned = concerned?.includes(server.name) ?? true;
    const rendered = await renderer.render(server, own, isConcerned);
    problems.push(...rendered.problems);
    if (rendered.kind === "intact") {
      for (const path of own.keys()) known.delete(path);
      intact += own.size;
      continue;
    }
    for (const [path, text] of rendered.files) files.set(path, text);
    const ours = new Map([...rendered.files].filter(([path]) => !foreign.has(path)));
    const text = storedText(server, tools, offers.get(server.name) ?? NO_OFFERS, ours);
    files.set(`${folder}${DEFINITIONS_FILE}`, text);
    const named = new Map(server.tools.map((tool) => [tool.definition, tool]));
    const inOrder = inFileOrder(tools).flatMap((tool) => named.get(tool) ?? []);
    // A tool that the config leaves out stands in the file and has no digest here.
    if (inOrder.length === tools.length) renderer.noteDigests(server.folder, text, inOrder);
  }
  const workspaceFiles = await renderWorkspaceFiles(root, visible, known);
  for (const [path, text] of workspaceFiles) files.set(path, text);
  const digests = new Map(
    [...workspaceFiles]
      .filter(([path]) => !foreign.has(path))
      .map(([path, text]) => [path, fileDigest(text)] as const),
  );
  return { catalog, lock: { ...names, files: digests }, files, known, intact, problems };
}

/** `servers/crm/` → what is known below it. */
function filesByFolder(known: ReadonlyMap<string, string>): ReadonlyMap<string, ReadonlyMap<string, string>> {
  const folders = new Map<string, Map<string, string>>();
  for (const [path, digest] of known) {
    const folder = /^servers\/[^/]+\//.exec(path)?.[0];
    if (folder === undefined) continue;
    const files = folders.get(folder) ?? new Map<string, string>();
    folders.set(folder, files.set(path, digest));
  }
  return folders;
}

/** A server that is no longer configured keeps its names only: whatever comes back under its name is new. */
function withoutRemoved(lock: Lock, entries: readonly ServerEntry[]): Lock {
  const configured = new Set<ServerName>([BUILTIN_SERVER, ...entries.map((entry) => entry.name)]);
  const servers = [...lock.servers].map(([name, server]): [ServerName, LockedServer] => {
    if (configured.has(name)) return [name, server];
    const tools = [...server.tools].map(([key, { digest: _digest, ...names }]) => [key, names] as const);
    return [name, { ...server, tools: new Map(tools) }];
  });
  return { ...lock, servers: new Map(servers) };
}

function storedText(
  server: CatalogServer,
  tools: readonly RawTool[],
  offers: Offers,
  rendered: ReadonlyMap<string, string>,
): string {
  const prefix = `servers/${server.folder}/`;
  const files = [...rendered].map(([path, text]) => [path.slice(prefix.length), fileDigest(text)] as const);
  return definitionsText({ tools, offers, files: new Map(files) });
}

/** Files of the user in which mcpfs keeps a part of its own: what stands around it is theirs and stays. */
const SHARED_FILES = ["AGENTS.md", ".gitignore"];

async function renderWorkspaceFiles(
  root: string,
  catalog: Catalog,
  known: Map<string, string>,
): Promise<ReadonlyMap<string, string>> {
  const skills = await listSkills(root);
  // Of two spellings of one name the shadowed one has a problem: its import would lead to the other.
  const importable = skills.filter((skill) => skill.exports.length > 0 && skill.problems.length === 0);
  const folders = skills
    .filter((skill) => !skill.isDraft)
    .map((skill) => skill.folder.slice("skills/".length));
  const rendered = new Map(
    renderWorkspace({
      catalog,
      skills: importable.map((skill) => ({ ...skill, importLine: skillImportLine(skill) })),
      skillFolders: folders,
    }),
  );
  for (const path of SHARED_FILES) {
    const own = rendered.get(path);
    const existing = await readIfExists(join(root, path));
    if (own === undefined || existing === undefined) continue;
    rendered.set(path, mergeOwnBlock(path, existing, own));
    known.set(path, fileDigest(existing));
  }
  return rendered;
}
