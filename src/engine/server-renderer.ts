import { readdir, readFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { compare } from "../catalog/naming.ts";
import { digestText } from "../kernel/digest.ts";
import { readIfExists, unslashed, writeAtomic } from "../kernel/fsx.ts";
import { isJsonObject, own, parseJson, stableJson, stringifyJson } from "../kernel/json.ts";
import { packageFile } from "../kernel/paths.ts";
import type { CatalogServer, Problem, Tool } from "../model/tool.ts";
import { fileDigest } from "../tree/tree-path.ts";
import { fileStates } from "./file-states.ts";

/** Renders servers, and skips those whose files are what they would be made into again. */
export interface ServerRenderer {
  /** @param known the server's generated files and the digests that were noted when they were written */
  readonly render: (server: CatalogServer, known: ReadonlyMap<string, string>) => Promise<RenderedServer>;
  /**
   * Remembers what was rendered, for the next process. Called once the tree is written.
   * @param written slashed path → text of the files that were rendered; those that could not be written are left out
   */
  readonly save: (written: ReadonlyMap<string, string>) => Promise<void>;
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

/**
 * Creates a renderer for one sync. What it remembers lies in `.mcpfs/rendered.json` and only saves time: a folder counts
 * as intact when renderer, definitions and names are as they were, and every file on disk still has its digest, or was not
 * touched since it had.
 */
export async function createServerRenderer(root: string): Promise<ServerRenderer> {
  const path = join(root, ".mcpfs", "rendered.json");
  const remembered = readRemembered(await readIfExists(path).catch(() => undefined));
  const renderer = await rendererDigest();
  const next = new Map<string, Remembered>();
  /** Files of folders that were read just now and are as they should be. */
  const read = new Map<string, ReadonlyMap<string, string>>();
  return {
    render: async (server, known) => {
      const inputs = inputsDigest(renderer, server);
      const last = remembered.get(server.folder);
      const isUntouched =
        last?.files === filesDigest(known) && last.states === fileStates(root, [...known.keys()].sort());
      if (last?.inputs === inputs && known.size > 0 && (isUntouched || (await isIntact(root, known)))) {
        next.set(server.folder, last);
        if (!isUntouched) read.set(server.folder, known);
        return {
          kind: "intact",
          problems: last.messages.map((message) => ({ server: server.name, ...message })),
        };
      }
      const { renderServer } = await import("../render/server-files.ts");
      const { files, problems } = await renderServer(server);
      const messages = problems.map(({ server: _server, ...message }) => message);
      next.set(server.folder, { inputs, messages, files: "", states: "" });
      return { kind: "rendered", files, problems };
    },
    save: async (written) => {
      for (const [folder, files] of [...read, ...writtenFolders(written)]) {
        const remembered = next.get(folder);
        const states = fileStates(root, [...files.keys()].sort()) ?? "";
        if (remembered !== undefined) next.set(folder, { ...remembered, files: filesDigest(files), states });
      }
      const text = `${stringifyJson(Object.fromEntries(next))}\n`;
      if (text !== (await readIfExists(path).catch(() => undefined))) await writeAtomic(path, text);
    },
  };
}

/** A file that cannot be understood is as good as none: everything is rendered. */
function readRemembered(text: string | undefined): ReadonlyMap<string, Remembered> {
  try {
    const value = parseJson(text ?? "{}");
    const isRemembered = (item: unknown): boolean =>
      isJsonObject(item) && Array.isArray(own(item, "messages"));
    const entries = Object.entries(isJsonObject(value) ? value : {}).filter(([, item]) => isRemembered(item));
    return new Map(entries.map(([folder, item]) => [folder, item as unknown as Remembered]));
  } catch {
    return new Map();
  }
}

/** Digest of the renderer's own code: another version of mcpfs renders everything again. */
async function rendererDigest(): Promise<string> {
  const folder = dirname(packageFile("dist/render/server-files.js"));
  const names = (await readdir(folder)).filter((name) => name.endsWith(".js")).sort();
  const texts = await Promise.all(names.map((name) => readFile(join(folder, name), "utf8")));
  return digestText(texts.join("\0"));
}

function inputsDigest(renderer: string, server: CatalogServer): string {
  const { name, folder, isEnabled, tools, prompts, resources } = server;
  const named = [...tools, ...prompts].map((tool) => [
    tool.raw,
    tool.wire,
    tool.export,
    tool.digest,
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
    const folder = /^servers\/([^/]+)\//.exec(path)?.[1];
    if (folder === undefined) continue;
    const files = folders.get(folder) ?? new Map<string, string>();
    folders.set(folder, files.set(path, fileDigest(text)));
  }
  return folders;
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
