import { join } from "node:path";
import { assignNames, type NamingRequest } from "../catalog/naming.ts";
import { digestJson } from "../kernel/digest.ts";
import { readIfExists } from "../kernel/fsx.ts";
import type { Lock } from "../model/lock.ts";
import type { RawToolName, ServerName } from "../model/names.ts";
import type { ServerEntry } from "../model/server-entry.ts";
import type { Catalog, CatalogServer, Problem, RawTool } from "../model/tool.ts";
import { renderServer } from "../render/server-files.ts";
import { renderWorkspace } from "../render/workspace-files.ts";
import { listSkills } from "../skills/list-skills.ts";
import { definitionsText, fileDigest } from "../tree/definitions-file.ts";
import { lockText } from "../tree/lock-file.ts";
import { mergeOwnBlock } from "./own-block.ts";
import { catalogOf, folderOf, type WorkspaceState } from "./workspace-state.ts";

/** The generated part of a workspace as it should be. */
export interface WantedTree {
  readonly catalog: Catalog;
  /** Slashed path below the root → text, lock and definitions included. */
  readonly files: ReadonlyMap<string, string>;
  /** Slashed path → digest of what mcpfs wrote there last: only such files are replaced or deleted. */
  readonly known: ReadonlyMap<string, string>;
  readonly problems: readonly Problem[];
}

/**
 * Renders the whole tree from definitions, lock and config: the same in, the same bytes out (law 5). A server whose
 * definitions, names and renderer are as they were is not rendered again; its files are known by their digests.
 */
export async function buildTree(
  parts: { readonly root: string; readonly entries: readonly ServerEntry[] },
  before: WorkspaceState,
  definitions: ReadonlyMap<ServerName, readonly RawTool[]>,
): Promise<WantedTree> {
  const lock = assignNames(before.lock, namingRequests(parts.entries, definitions));
  const catalog = catalogOf(lock, parts.entries, definitions);
  const files = new Map<string, string>();
  const known = knownFiles(before);
  const problems: Problem[] = [];
  for (const server of catalog.servers) {
    const rendered = await renderServer(server);
    problems.push(...rendered.problems);
    for (const [path, text] of rendered.files) files.set(path, text);
    files.set(definitionsPath(server.folder), storedText(server, definitions, rendered.files));
  }
  const workspaceFiles = await renderWorkspaceFiles(parts.root, catalog, known);
  for (const [path, text] of workspaceFiles) files.set(path, text);
  const digests = new Map([...workspaceFiles].map(([path, text]) => [path, fileDigest(text)] as const));
  files.set("mcpfs.lock.json", lockText({ ...lock, files: digests }));
  return { catalog, files, known, problems };
}

function namingRequests(
  entries: readonly ServerEntry[],
  definitions: ReadonlyMap<ServerName, readonly RawTool[]>,
): readonly NamingRequest[] {
  const filters = new Map(entries.map((entry) => [entry.name, entry.filter] as const));
  return [...definitions].map(([name, tools]) => {
    const filter = filters.get(name);
    return {
      name,
      tools: tools
        .filter((tool) => filter?.isAllowed(tool.name, "tool") ?? true)
        .map((tool) => ({
          raw: tool.name as RawToolName,
          renamed: filter?.rename(tool.name, "tool") ?? tool.name,
          digest: digestJson(tool),
        })),
    };
  });
}

function definitionsPath(folder: string): string {
  return `servers/${folder}/.definitions.json`;
}

function storedText(
  server: CatalogServer,
  definitions: ReadonlyMap<ServerName, readonly RawTool[]>,
  rendered: ReadonlyMap<string, string>,
): string {
  const prefix = `servers/${server.folder}/`;
  const files = new Map(
    [...rendered].map(([path, text]) => [path.slice(prefix.length), fileDigest(text)] as const),
  );
  return definitionsText({ tools: definitions.get(server.name) ?? [], files });
}

/** All files that mcpfs wrote, with the digests it noted; the notes themselves are always ours. */
function knownFiles(before: WorkspaceState): Map<string, string> {
  const known = new Map<string, string>(before.lock.files);
  for (const [name, stored] of before.stored) {
    const folder = folderOf(before.lock, name);
    if (folder === undefined) continue;
    for (const [file, digest] of stored.files) known.set(`servers/${folder}/${file}`, digest);
    known.set(definitionsPath(folder), fileDigest(definitionsText(stored)));
  }
  known.set("mcpfs.lock.json", fileDigest(lockText(before.lock as Lock)));
  return known;
}

/** Files of the user in which mcpfs keeps a part of its own: what stands around it is theirs and stays. */
const SHARED_FILES = ["AGENTS.md", ".gitignore"];

async function renderWorkspaceFiles(
  root: string,
  catalog: Catalog,
  known: Map<string, string>,
): Promise<ReadonlyMap<string, string>> {
  const skills = await listSkills(root);
  const lines = skills
    .filter((skill) => skill.exports.length > 0)
    .slice(0, MAX_SKILL_LINES)
    .map(({ name, description, importLine }) => ({ name, description, importLine }));
  const rendered = new Map(renderWorkspace({ catalog, skills: lines, skillCount: skills.length }));
  for (const path of SHARED_FILES) {
    const own = rendered.get(path);
    const existing = await readIfExists(join(root, path));
    if (own === undefined || existing === undefined) continue;
    rendered.set(path, mergeOwnBlock(path, existing, own));
    known.set(path, fileDigest(existing));
  }
  return rendered;
}

/** AGENTS.md is read by every agent in full: ten lines of skills, and how to find the rest. */
const MAX_SKILL_LINES = 10;
