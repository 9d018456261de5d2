import { basename, dirname, join, resolve } from "node:path";
import { McpfsError } from "../../kernel/errors.ts";
import { nearestOf } from "../../kernel/nearest.ts";
import { readConfigText } from "../config-text.ts";
import type { JsonPath } from "../json-text.ts";
import { type ClientPlace, MCP_CLIENTS, type McpClient, type VariableForm } from "./mcp-clients.ts";

/** Where configs of clients are looked for. */
export interface ImportPlace extends ClientPlace {
  /** The workspace. */
  readonly root: string;
  /** The folder that a path is relative to, and whose project's configs count beside the workspace's. */
  readonly cwd: string;
}

/** A config of an MCP client, as it was read. */
export interface ClientFile {
  readonly path: string;
  readonly text: string;
  readonly format: "json" | "toml";
  readonly variables: VariableForm;
  readonly sections: readonly Section[];
  /** True for a file of the user's own: its servers are started by a client already. A project's may come from anybody. */
  readonly isOwn: boolean;
}

/** An object of servers in a client's config. */
export interface Section {
  readonly at: JsonPath;
  /** What relative paths and `${workspaceFolder}` mean; absent where that is whatever project is open. */
  readonly folder: string | undefined;
}

/**
 * Reads the configs that `words` name: a client by its word, whose project's config comes before the user's, or a path.
 * @returns also the places where a client that was named has no file
 * @throws McpfsError USAGE for a word that is neither, a path without a file, or clients none of which has one; CONFIG_INVALID for a file that cannot be read
 */
export async function findClientFiles(
  words: readonly string[],
  place: ImportPlace,
): Promise<{ readonly files: readonly ClientFile[]; readonly missing: readonly string[] }> {
  const files: ClientFile[] = [];
  const missing: string[] = [];
  for (const word of words) {
    const client = MCP_CLIENTS.get(word);
    if (client === undefined && !isPath(word)) throw unknownClient(word);
    const found = client === undefined ? [await namedFile(word, place)] : await filesOf(client, place);
    if (found.length === 0 && client !== undefined)
      missing.push(`${client.title} has no config in ${pathsOf(client, place).join(" or ")}`);
    files.push(...found.filter(({ path }) => files.every((known) => known.path !== path)));
  }
  if (files.length > 0) return { files, missing };
  throw new McpfsError("USAGE", `Nothing to import: ${missing.join("; ")}.`, {
    hint: "Name clients that are used on this machine, or a file: --from ./.vscode/mcp.json.",
  });
}

function isPath(word: string): boolean {
  return /[/\\]|\.(jsonc?|toml)$/i.test(word);
}

function unknownClient(word: string): McpfsError {
  const known = [...MCP_CLIENTS.keys()];
  const [near] = nearestOf(word, known, 1);
  return new McpfsError("USAGE", `The client ${JSON.stringify(word)} is not known.`, {
    hint: `${near === undefined ? "" : `Did you mean ${near}? `}Known are ${known.join(", ")}; or name a file: ./.vscode/mcp.json.`,
  });
}

function projectsOf({ root, cwd }: ImportPlace): readonly string[] {
  return [...new Set([root, cwd])];
}

function pathsOf(client: McpClient, place: ImportPlace): readonly string[] {
  const { projectPath, userPath } = client;
  const inProjects =
    projectPath === undefined ? [] : projectsOf(place).map((folder) => join(folder, projectPath));
  return [...new Set([...inProjects, userPath(place)])];
}

async function filesOf(client: McpClient, place: ImportPlace): Promise<readonly ClientFile[]> {
  const found = await Promise.all(pathsOf(client, place).map((path) => fileOf(client, path, place)));
  return found.filter((file) => file !== undefined);
}

async function fileOf(client: McpClient, path: string, place: ImportPlace): Promise<ClientFile | undefined> {
  const text = await readConfigText(path);
  if (text === undefined) return undefined;
  const { format, variables, section } = client;
  const isOwn = path === client.userPath(place);
  const own: Section = { at: [section], folder: isOwn ? undefined : projectFolder(path) };
  // Claude Code keeps what a user has added for one project in the user's file.
  const local = projectsOf(place).map((folder) => ({ at: ["projects", folder, section], folder }));
  return { path, text, format, variables, isOwn, sections: isOwn ? [...local, own] : [own] };
}

/** A file that was named by its path: a client's own place says whose it is, else its form does. */
async function namedFile(word: string, place: ImportPlace): Promise<ClientFile> {
  const path = resolve(place.cwd, word.replace(/^~(?=[/\\])/, place.homeDir));
  const isProjects = ({ projectPath }: McpClient): boolean =>
    projectPath !== undefined && path === join(projectFolder(path), projectPath);
  const client = [...MCP_CLIENTS.values()].find(
    (candidate) => path === candidate.userPath(place) || isProjects(candidate),
  );
  if (client !== undefined) {
    const file = await fileOf(client, path, place);
    if (file !== undefined) return file;
  }
  const text = await readConfigText(path);
  if (text === undefined)
    throw new McpfsError("USAGE", `There is no file ${path}.`, {
      hint: "--from takes clients and paths, with commas between them.",
    });
  const isToml = /\.toml$/i.test(path);
  const folder = projectFolder(path);
  const sections = isToml ? [["mcp_servers"]] : [["mcpServers"], ["servers"], ["mcp", "servers"]];
  return {
    path,
    text,
    format: isToml ? "toml" : "json",
    variables: isToml ? "none" : "dollar-braces",
    isOwn: false,
    sections: sections.map((at) => ({ at, folder })),
  };
}

/** The project of `/p/.vscode/mcp.json` and of `/p/.mcp.json` is `/p`. */
function projectFolder(path: string): string {
  const folder = dirname(path);
  return basename(folder).startsWith(".") ? dirname(folder) : folder;
}
