import { readdir, readFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { definitionDigest } from "../../catalog/definition-digest.ts";
import { compare } from "../../catalog/naming.ts";
import { digestText } from "../../kernel/digest.ts";
import { readIfExists, unslashed, writeAtomic } from "../../kernel/fsx.ts";
import { isJsonObject, type Json, own, parseJson, stableJson, stringifyJson } from "../../kernel/json.ts";
import { packageFile } from "../../kernel/paths.ts";
import type { CatalogServer, Problem, RawTool, Tool } from "../../model/tool.ts";
import type { ReadDefinitions } from "../../tree/definitions-file.ts";
import { fileDigest } from "../../tree/tree-path.ts";
import { fileStates } from "./file-states.ts";

/** Renders servers, and skips those whose files are what they would be made into again. */
export interface ServerRenderer {
  /**
   * @param known the server's generated files and the digests that were noted when they were written
   * @param isLooking false where a change on the disk does not concern this sync
   */
  readonly render: (
    server: CatalogServer,
    known: ReadonlyMap<string, string>,
    isLooking: boolean,
  ) => Promise<RenderedServer>;
  /** Digests of stored definitions; they are worked out once for a text of `.definitions.json`. */
  readonly digestsOf: (folder: string, stored: ReadDefinitions) => ReadonlyMap<RawTool, string>;
  /**
   * Notes the digests of a `.definitions.json` that is about to be written, so that nobody has to work them out again.
   * @param tools in the order of the file
   */
  readonly noteDigests: (folder: string, text: string, tools: readonly { readonly digest: string }[]) => void;
  /**
   * Remembers what was rendered, for the next process. Called once the tree is written.
   * @param written slashed path → text of the files that were rendered
   * @param foreign those of them that somebody else's file kept from being written: their folder is looked at again
   */
  readonly save: (written: ReadonlyMap<string, string>, foreign: readonly string[]) => Promise<void>;
}

export type RenderedServer =
  | {
      readonly kind: "rendered";
      readonly files: ReadonlyMap<string, string>;
      readonly problems: readonly Problem[];
    }
  | { readonly kind: "intact"; readonly problems: readonly Problem[] };

/** What is remembered of a server: from what it was rendered, and what was odd then. */
interface Remembered {
  readonly inputs: string;
  readonly messages: readonly { readonly tool?: string; readonly message: string }[];
  /** Digest of the files' names and digests, and what the system said of them then; empty where it is not known. */
  readonly files: string;
  readonly states: string;
}

/** Digests of the tools of one `.definitions.json`, in its order, joined by spaces. */
interface KnownDigests {
  /** Digest of the file, and of the code that makes these digests. */
  readonly of: string;
  readonly tools: string;
}

/**
 * Creates a renderer for one sync. What it remembers lies in `.mcpfs/rendered.json` and only saves time: a folder counts
 * as intact when renderer, definitions and names are as they were, and every file on disk still has its digest, or was not
 * touched since it had.
 */
export async function createServerRenderer(root: string): Promise<ServerRenderer> {
  const path = join(root, ".mcpfs", "rendered.json");
  const { servers: remembered, digests: known } = readMemory(await readIfExists(path).catch(() => undefined));
  const renderer = await rendererDigest();
  const next = new Map<string, Remembered>();
  /** Files of folders that were read just now and are as they should be. */
  const read = new Map<string, ReadonlyMap<string, string>>();
  const digests = new Map<string, KnownDigests>();
  const keyOf = (fileDigest: string): string => digestText(`${renderer} ${fileDigest}`).slice(0, 32);
  return {
    digestsOf: (folder, { digest, tools }) => {
      const of = keyOf(digest);
      const last = known.get(folder);
      const made = last?.of === of ? last.tools.split(" ") : tools.map(definitionDigest);
      digests.set(folder, { of, tools: made.join(" ") });
      return new Map(tools.map((tool, at) => [tool, made[at] ?? definitionDigest(tool)] as const));
    },
    noteDigests: (folder, text, tools) => {
      const made = tools.map(({ digest }) => digest).join(" ");
      digests.set(folder, { of: keyOf(fileDigest(text)), tools: made });
    },
    render: async (server, known, isLooking) => {
      const inputs = inputsDigest(renderer, server);
      const last = remembered.get(server.folder);
      const isUntouched =
        !isLooking ||
        (last?.files === filesDigest(known) && last.states === fileStates(root, [...known.keys()].sort()));
      if (last?.inputs === inputs && known.size > 0 && (isUntouched || (await isIntact(root, known)))) {
        next.set(server.folder, last);
        if (!isUntouched) read.set(server.folder, known);
        return {
          kind: "intact",
          problems: last.messages.map((message) => ({ server: server.name, ...message })),
        };
      }
      const { renderServer } = await import("../../render/server-files.ts");
      const { files, problems } = await renderServer(server);
      const messages = problems.map(({ server: _server, ...message }) => message);
      next.set(server.folder, { inputs, messages, files: "", states: "" });
      return { kind: "rendered", files, problems };
    },
    save: async (written, foreign) => {
      for (const [folder, files] of [...read, ...writtenFolders(written)]) {
        const remembered = next.get(folder);
        const states = fileStates(root, [...files.keys()].sort()) ?? "";
        if (remembered !== undefined) next.set(folder, { ...remembered, files: filesDigest(files), states });
      }
      for (const path of foreign) next.delete(folderOf(path) ?? "");
      const memory = { servers: Object.fromEntries(next), digests: Object.fromEntries(digests) };
      const text = `${stringifyJson(memory)}\n`;
      if (text !== (await readIfExists(path).catch(() => undefined))) await writeAtomic(path, text);
    },
  };
}

interface Memory {
  readonly servers: ReadonlyMap<string, Remembered>;
  readonly digests: ReadonlyMap<string, KnownDigests>;
}

/** A file that cannot be understood is as good as none: everything is rendered. */
function readMemory(text: string | undefined): Memory {
  try {
    const value = parseJson(text ?? "{}");
    const servers = members(value, "servers", (item) => Array.isArray(own(item, "messages")));
    const digests = members(value, "digests", (item) => typeof own(item, "tools") === "string");
    return {
      servers: new Map(servers.map(([folder, item]) => [folder, item as unknown as Remembered])),
      digests: new Map(digests.map(([folder, item]) => [folder, item as unknown as KnownDigests])),
    };
  } catch {
    return { servers: new Map(), digests: new Map() };
  }
}

function members(value: Json, key: string, isUsable: (item: Json) => boolean): readonly [string, Json][] {
  const object = own(value, key);
  return Object.entries(isJsonObject(object) ? object : {}).flatMap(([name, item]): [string, Json][] =>
    isJsonObject(item) && isUsable(item) ? [[name, item]] : [],
  );
}

/** Digest of the code whose results are remembered: another version of mcpfs renders everything again. */
async function rendererDigest(): Promise<string> {
  const folder = dirname(packageFile("dist/render/server-files.js"));
  const names = (await readdir(folder)).filter((name) => name.endsWith(".js")).sort();
  const files = [
    ...names.map((name) => join(folder, name)),
    packageFile("dist/catalog/definition-digest.js"),
  ];
  const texts = await Promise.all(files.map((file) => readFile(file, "utf8")));
  return digestText(texts.join("\0"));
}

function inputsDigest(renderer: string, server: CatalogServer): string {
  const { name, folder, isEnabled, tools, prompts, resources } = server;
  const named = [...tools, ...prompts].map((tool) => [
    tool.raw,
    tool.wire,
    tool.export,
    tool.digest,
    tool.risk,
    ...outputOf(tool),
  ]);
  const offered = resources && [
    resources.read.wire,
    resources.list.wire,
    resources.listed,
    resources.templates,
  ];
  return digestText(stringifyJson([renderer, name, folder, isEnabled, named, offered ?? null])).slice(0, 32);
}

/** Folder → slashed path → digest. */
function writtenFolders(
  written: ReadonlyMap<string, string>,
): ReadonlyMap<string, ReadonlyMap<string, string>> {
  const folders = new Map<string, Map<string, string>>();
  for (const [path, text] of written) {
    const folder = folderOf(path);
    if (folder === undefined) continue;
    const files = folders.get(folder) ?? new Map<string, string>();
    folders.set(folder, files.set(path, fileDigest(text)));
  }
  return folders;
}

/** The server's folder that a slashed path lies in. */
function folderOf(path: string): string | undefined {
  return /^servers\/([^/]+)\//.exec(path)?.[1];
}

function filesDigest(files: ReadonlyMap<string, string>): string {
  return digestText(JSON.stringify([...files].sort(([a], [b]) => compare(a, b)))).slice(0, 32);
}

/** What the types come from beside the definition: a schema of the config, or a learned one. */
function outputOf({ definition, outputSchema, learned }: Tool): readonly string[] {
  if (learned !== undefined) return [`learned ${stableJson(learned)}`];
  const isDeclared = outputSchema === undefined || outputSchema === own(definition, "outputSchema");
  return isDeclared ? [] : [stableJson(outputSchema)];
}

async function isIntact(root: string, known: ReadonlyMap<string, string>): Promise<boolean> {
  const states = await Promise.all(
    [...known].map(async ([path, digest]) => {
      const text = await readIfExists(unslashed(root, path)).catch(() => undefined);
      return text !== undefined && fileDigest(text) === digest;
    }),
  );
  return states.every(Boolean);
}
