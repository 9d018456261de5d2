import { constants } from "node:fs";
import { copyFile, realpath } from "node:fs/promises";
import { join } from "node:path";
import {
  removeJsonEntry,
  removeTomlEntry,
  setJsonEntry,
  setTomlEntry,
} from "../config/clients/edit-client-config.ts";
import {
  type ClientPlace,
  MCP_CLIENTS,
  type McpClient,
  type Starter,
} from "../config/clients/mcp-clients.ts";
import { readTomlText } from "../config/clients/toml-text.ts";
import { readJsonText } from "../config/json-text.ts";
import { McpfsError, systemCode } from "../kernel/errors.ts";
import { readIfExists, writeAtomic } from "../kernel/fsx.ts";
import { packageFile } from "../kernel/paths.ts";

/** A change of a client's config that is ready to be shown, and not written yet. */
export interface InstallPlan {
  readonly title: string;
  readonly path: string;
  /** The entry as it will stand there, for a person to read. */
  readonly shown: string;
  readonly before: string | undefined;
  readonly after: string;
}

export interface InstallRequest {
  /** A key of {@link MCP_CLIENTS}. */
  readonly client: string;
  /** What the server is called there. */
  readonly name: string;
  readonly place: ClientPlace;
  /** The workspace; absent to take the entry away. */
  readonly root?: string;
}

/**
 * Reads a client's config and prepares the entry of this workspace, or its removal.
 * @throws McpfsError USAGE for a client that is not known, has no such config, or one of another form; CONFIG_INVALID with the
 * place where a config is broken
 */
export async function planInstall(request: InstallRequest): Promise<InstallPlan> {
  const { client, name, place, root } = request;
  const target = MCP_CLIENTS.get(client);
  if (target === undefined)
    throw new McpfsError("USAGE", `The client ${JSON.stringify(client)} is not known.`, {
      hint: `Known are ${[...MCP_CLIENTS.keys()].join(", ")}.`,
    });
  const path = configPath(target, place);
  const before = await readIfExists(path);
  const text = before ?? "";
  const { title, section, format } = target;
  await assertReadable(text, path, format);
  if (root === undefined) {
    const after = format === "json" ? removeJsonEntry(text, section, name) : removeTomlEntry(text, name);
    return { title, path, shown: `${section}.${name} is taken out`, before, after };
  }
  const entry = target.entry(starterOf(root));
  const isJson = format === "json";
  const after = isJson ? setJsonEntry(text, section, name, entry) : setTomlEntry(text, name, entry);
  const shown = isJson ? setJsonEntry("", section, name, entry) : setTomlEntry("", name, entry);
  return { title, path, shown: shown.trimEnd(), before, after };
}

/** Edits look only for the place that they change: in a broken file they would find a wrong one. @throws McpfsError CONFIG_INVALID */
async function assertReadable(text: string, path: string, format: McpClient["format"]): Promise<void> {
  if (format === "toml") await readTomlText(text, path);
  else readJsonText(text, path);
}

function configPath(target: McpClient, place: ClientPlace): string {
  if (place.project === undefined) return target.userPath(place);
  if (target.projectPath !== undefined) return join(place.project, target.projectPath);
  throw new McpfsError("USAGE", `${target.title} has no config of a project.`, {
    hint: "Leave --project out.",
  });
}

/** Full paths: programs with windows are started with another PATH than terminals. */
function starterOf(root: string): Starter {
  return { command: process.execPath, args: [packageFile("dist/cli.js"), "-C", root, "serve"] };
}

/**
 * Writes the change. What was there is kept beside it.
 * @returns the path of the copy; `undefined` where there was no file
 * @throws McpfsError FILE_IN_THE_WAY when somebody else wrote the file since
 */
export async function applyInstall({ path, before, after }: InstallPlan): Promise<string | undefined> {
  // Many a config is a link into a folder of settings that is kept elsewhere.
  const real = await realpath(path).catch(() => path);
  if ((await readIfExists(real)) !== before)
    throw new McpfsError("FILE_IN_THE_WAY", `${path} was changed meanwhile.`, {
      hint: "Run the command again.",
    });
  const backup = before === undefined ? undefined : await keepCopy(real);
  await writeAtomic(real, after);
  return backup;
}

async function keepCopy(path: string): Promise<string> {
  for (let number = 1; ; number += 1) {
    const copy = `${path}.before-mcpfs${number === 1 ? "" : `-${number}`}`;
    try {
      await copyFile(path, copy, constants.COPYFILE_EXCL);
      return copy;
    } catch (error) {
      if (systemCode(error) !== "EEXIST") throw error;
    }
  }
}
