import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { parseEnv } from "node:util";
import { digestJson, digestText } from "../kernel/digest.ts";
import { systemCode } from "../kernel/errors.ts";
import { oneLine } from "../kernel/text.ts";
import type { ServerName } from "../model/names.ts";
import { readConfigText } from "./config-text.ts";
import { readDocument } from "./document.ts";
import type { ConfigContext, Loaded, ReferencedFiles } from "./entry-reader.ts";
import type { RenameFunction, RenameModule } from "./filter.ts";
import { CONFIG_FILE, workspaceMissing } from "./find-workspace.ts";
import { type Config, parseConfig } from "./parse-config.ts";

/**
 * Reads `mcpfs.json` of the workspace `root` and the files that its entries name: env files, rename modules. A
 * rename module is code of the workspace and is run in this process, so it is only loaded for a server that `trusted` names.
 * @throws McpfsError WORKSPACE_MISSING when there is no file; CONFIG_INVALID as {@link parseConfig} does, or when
 * the file cannot be read
 */
export async function loadConfig(
  root: string,
  options: {
    readonly env: Readonly<Record<string, string | undefined>>;
    readonly platform: NodeJS.Platform;
    readonly homeDir: string;
    /** Which servers of the config, no module of which was loaded yet, the user has approved; asked only where an entry names one. */
    readonly trusted: (unloaded: Config) => Promise<ReadonlySet<ServerName>>;
  },
): Promise<Config> {
  const path = join(root, CONFIG_FILE);
  const text = await readConfigText(path);
  if (text === undefined) throw workspaceMissing(`There is no file ${path}.`);
  const envFiles = new Map<string, Loaded<Readonly<Record<string, string>>>>();
  const modules = new Map<string, Loaded<RenameModule>>();
  const files: ReferencedFiles = {
    envFile: (file) => entryOf(envFiles, file),
    renameModule: (file) => entryOf(modules, file),
  };
  const { env, platform, homeDir } = options;
  const context: ConfigContext = { env, platform, homeDir, root, path, files };
  // The first pass only shows which files are named; most configs name none.
  const config = parseConfig(text, context);
  if (envFiles.size + modules.size === 0) return config;
  for (const file of envFiles.keys()) envFiles.set(file, await loadEnvFile(file));
  for (const file of modules.keys()) modules.set(file, await readRenameModule(file));
  const held = parseConfig(text, context);
  if (modules.size === 0) return held;
  const trusted = await options.trusted(held);
  const wanted = held.servers
    .filter((server) => trusted.has(server.name))
    .map((server) => server.identity?.rename);
  for (const [file, module] of modules) {
    const isTrusted = wanted.some((rename) => module.kind === "ok" && rename?.digest === module.value.digest);
    if (module.kind === "ok" && isTrusted)
      modules.set(file, await loadRenameModule(file, module.value.digest));
  }
  return parseConfig(text, context);
}

/**
 * The `digest` that the config of `root` would have if it were read now; `undefined` where there is no file.
 * @throws McpfsError CONFIG_INVALID for a text that is no config
 */
export async function configDigest(root: string): Promise<string | undefined> {
  const path = join(root, CONFIG_FILE);
  const text = await readConfigText(path);
  return text === undefined ? undefined : digestJson(readDocument(text, path).json.value);
}

/** Remembers that `file` is wanted, and answers what is known of it. */
function entryOf<T>(known: Map<string, Loaded<T>>, file: string): Loaded<T> {
  const loaded = known.get(file);
  if (loaded !== undefined) return loaded;
  const unread: Loaded<T> = { kind: "problem", sentence: `names ${file}, which was not read.`, hint: "" };
  known.set(file, unread);
  return unread;
}

async function loadEnvFile(file: string): Promise<Loaded<Readonly<Record<string, string>>>> {
  try {
    const value = parseEnv(await readFile(file, "utf8")) as Readonly<Record<string, string>>;
    return { kind: "ok", value };
  } catch (error) {
    return {
      kind: "problem",
      sentence: `names ${file}, which cannot be read (${systemCode(error) || "not a file of variables"}).`,
      hint: "An env file holds lines of NAME=value.",
    };
  }
}

const MODULE_HINT =
  "A rename module exports rename(name, server, kind), also as its default, and returns a text. It is an ES module that imports only what Node.js has: what you trust is its own text.";

/** Only its text: nothing of it runs. */
async function readRenameModule(file: string): Promise<Loaded<RenameModule>> {
  try {
    return { kind: "ok", value: { digest: digestText(await readFile(file, "utf8")), rename: undefined } };
  } catch (error) {
    return unloadable(file, error);
  }
}

/** Runs the very text that was approved, and no other file: neither what was written meanwhile, nor what it would import beside it. */
async function loadRenameModule(file: string, digest: string): Promise<Loaded<RenameModule>> {
  try {
    const text = await readFile(file, "utf8");
    // It is being edited: the next look at the config reads it again.
    if (digestText(text) !== digest) return await readRenameModule(file);
    const address = `data:text/javascript;base64,${Buffer.from(text).toString("base64")}`;
    const module: { readonly default?: unknown; readonly rename?: unknown } = await import(address);
    const rename = module.default ?? module.rename;
    if (typeof rename === "function")
      return { kind: "ok", value: { digest, rename: rename as RenameFunction } };
    return { kind: "problem", sentence: `names ${file}, which exports no function.`, hint: MODULE_HINT };
  } catch (error) {
    return unloadable(file, error);
  }
}

function unloadable(file: string, error: unknown): Loaded<RenameModule> {
  const reason = oneLine(error instanceof Error ? error.message : String(error)).replace(/\.$/, "");
  return {
    kind: "problem",
    sentence: `names ${file}, which cannot be loaded: ${reason}.`,
    hint: MODULE_HINT,
  };
}
