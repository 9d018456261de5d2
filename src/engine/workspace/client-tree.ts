import { readdir, readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { identifierPart } from "../../catalog/identifiers.ts";
import { readIfExists } from "../../kernel/fsx.ts";
import type { Catalog, CatalogServer, Tool } from "../../model/tool.ts";
import { serverFilePaths } from "../../render/server-files.ts";
import { serversReadme } from "../../render/workspace-files.ts";

/** The files of a workspace as a client gets them: wrappers, indexes and skills tell nothing of tools that are denied to it. */
export interface ClientTree {
  /** True where every file is as it lies on the disk. */
  readonly isWhole: boolean;
  /** What is at a slashed path below the workspace. */
  readonly look: (path: string) => Promise<SeenFile>;
  /** Files that are made for this client, whether or not something lies on the disk. */
  readonly ownPaths: readonly string[];
}

/** `disk`: what lies there. `text`: this instead. `absent`: nothing, whatever lies there. */
export type SeenFile =
  | { readonly kind: "disk" }
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "absent" };

const DISK: SeenFile = { kind: "disk" };
const ABSENT: SeenFile = { kind: "absent" };
const README = "servers/README.md";
const GUIDE = "AGENTS.md";

/** The tree of a client to whom nothing is denied. */
export const WHOLE_TREE: ClientTree = { isWhole: true, look: async () => DISK, ownPaths: [] };

/**
 * Creates the tree of a client.
 * @param parts.whole all that the workspace has
 * @param parts.onDisk what of it stands on the disk: what the workspace's agent sees
 * @param parts.seen what the client sees
 * @param parts.hidden what it does not
 */
export function createClientTree(
  root: string,
  parts: {
    readonly whole: Catalog;
    readonly onDisk: Catalog;
    readonly seen: Catalog;
    readonly hidden: readonly Tool[];
  },
): ClientTree {
  const { whole, seen, hidden } = parts;
  const left = new Map(seen.servers.map((server) => [server.folder, server]));
  const written = new Set(parts.onDisk.servers);
  const isChanged = (server: CatalogServer): boolean =>
    left.get(server.folder) !== server || !written.has(server);
  const changed = whole.servers.filter(isChanged);
  // Folders are unique without regard to case, and some disks have none.
  const replaced = new Map(changed.map(({ folder }) => [folder.toLowerCase(), left.get(folder)]));
  const own = new Set([...replaced.values()].flatMap((server) => (server ? serverFilePaths(server) : [])));
  const rendered = new Map<CatalogServer, Promise<ReadonlyMap<string, string>>>();
  const namesHidden = mentionOf(hidden);

  const textIn = async (server: CatalogServer, path: string): Promise<SeenFile> => {
    const files = rendered.get(server) ?? render(server);
    rendered.set(server, files);
    const text = (await files).get(path);
    return text === undefined ? ABSENT : { kind: "text", text };
  };

  return {
    isWhole: false,
    ownPaths: [...own, README],
    look: async (path) => {
      const [area, name = "", ...rest] = path.split("/");
      if (path === GUIDE) return await guide(root, namesHidden);
      if (area === "skills" && name !== "")
        return (await usesHidden(root, name, namesHidden)) ? ABSENT : DISK;
      if (area !== "servers") return DISK;
      if (path.toLowerCase() === README.toLowerCase()) return { kind: "text", text: serversReadme(seen) };
      if (!replaced.has(name.toLowerCase())) return DISK;
      const server = replaced.get(name.toLowerCase());
      if (server === undefined) return ABSENT;
      if (rest.length === 0) return DISK;
      return own.has(path) ? await textIn(server, path) : ABSENT;
    },
  };
}

async function render(server: CatalogServer): Promise<ReadonlyMap<string, string>> {
  const { renderServer } = await import("../../render/server-files.ts");
  return (await renderServer(server)).files;
}

/** AGENTS.md without the lines that name a skill which is not there for the client. */
async function guide(root: string, namesHidden: (text: string) => boolean): Promise<SeenFile> {
  const text = await readIfExists(join(root, GUIDE));
  if (text === undefined) return DISK;
  const kept: string[] = [];
  for (const line of text.split("\n")) {
    const skill = /\.\/skills\/([^"/]+)/.exec(line)?.[1];
    const isHidden =
      namesHidden(line) || (skill !== undefined && (await usesHidden(root, skill, namesHidden)));
    if (!isHidden) kept.push(line);
  }
  return { kind: "text", text: kept.join("\n") };
}

/** As much of a skill as is looked through. */
const MAX_SKILL_FILES = 200;
const MAX_SKILL_BYTES = 1024 * 1024;

/**
 * True for a skill whose files name a tool that is hidden: it would not work for the client, and would tell of the tool. One that cannot
 * be looked through whole may name it.
 */
async function usesHidden(
  root: string,
  name: string,
  namesHidden: (text: string) => boolean,
): Promise<boolean> {
  const path = join(root, "skills", name);
  const script = [path, `${path}.ts`, `${path}.js`, `${path}.mts`, `${path}.mjs`];
  const inside = await readdir(path, { recursive: true }).catch(() => []);
  if (inside.length > MAX_SKILL_FILES) return true;
  for (const file of [...script, ...inside.map((name) => join(path, name))]) {
    const status = await stat(file).catch(() => undefined);
    if (status?.isFile() !== true) continue;
    if (status.size > MAX_SKILL_BYTES) return true;
    const text = await readFile(file, "utf8").catch(() => undefined);
    if (text === undefined || namesHidden(text)) return true;
  }
  return false;
}

/** Whether a text names one of the tools in a form by which it can be called or imported. */
function mentionOf(hidden: readonly Tool[]): (text: string) => boolean {
  const names = hidden.flatMap(({ wire, server, raw, folder, export: name }) => [
    wire,
    `${server}/${raw}`,
    `${identifierPart(folder)}_${name}`,
  ]);
  const members = hidden.map(({ folder, export: name }) => ({
    folder: `servers/${folder}`,
    member: new RegExp(`(?<![\\w$])${name.replaceAll("$", "\\$")}(?![\\w$])`, "u"),
  }));
  return (text) =>
    names.some((name) => text.includes(name)) ||
    members.some(({ folder, member }) => text.includes(folder) && member.test(text));
}
