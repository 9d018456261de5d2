import { lstatSync } from "node:fs";
import { readdir, readFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { digestText } from "../kernel/digest.ts";
import { readIfExists, unslashed, writeAtomic } from "../kernel/fsx.ts";
import { isJsonObject, own, parseJson, stableJson, stringifyJson } from "../kernel/json.ts";
import { packageFile } from "../kernel/paths.ts";
import type { CatalogServer, Problem, Tool } from "../model/tool.ts";
import { fileDigest } from "../tree/tree-path.ts";

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
  /** Remembers what was rendered, for the next process. Called once the tree is written. */
  readonly save: () => Promise<void>;
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
  /** Size and times of its files when each was seen to have its digest: files of the same stamp are not read again. */
  readonly stamp?: string;
  readonly messages: readonly { readonly tool?: string; readonly message: string }[];
}

/**
 * Creates a renderer for one sync. What it remembers lies in `.mcpfs/rendered.json` and only saves time: a folder counts
 * as intact when renderer, definitions and names are as they were, and every file on disk still has its digest. Reading 10,000
 * files takes a second, asking for their times a tenth of it.
 */
export async function createServerRenderer(root: string): Promise<ServerRenderer> {
  const path = join(root, ".mcpfs", "rendered.json");
  const remembered = readRemembered(await readIfExists(path).catch(() => undefined));
  const renderer = await rendererDigest();
  const next = new Map<string, Remembered>();
  return {
    render: async (server, known, isLooking) => {
      const inputs = inputsDigest(renderer, server);
      const last = remembered.get(server.folder);
      const isSame = last?.inputs === inputs && known.size > 0;
      const stamp = isSame && isLooking ? stampOf(root, known) : last?.stamp;
      if (isSame && (!isLooking || stamp === last.stamp || (await isIntact(root, known)))) {
        next.set(server.folder, { ...last, ...(stamp === undefined ? {} : { stamp }) });
        return {
          kind: "intact",
          problems: last.messages.map((message) => ({ server: server.name, ...message })),
        };
      }
      const { renderServer } = await import("../render/server-files.ts");
      const { files, problems } = await renderServer(server);
      const messages = problems.map(({ server: _server, ...message }) => message);
      next.set(server.folder, { inputs, messages });
      return { kind: "rendered", files, problems };
    },
    save: async () => {
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

/** What the types come from beside the definition: a schema of the config, or a learned one. */
function outputOf({ definition, outputSchema, learned }: Tool): readonly string[] {
  if (learned !== undefined) return [`learned ${stableJson(learned)}`];
  const isDeclared = outputSchema === undefined || outputSchema === own(definition, "outputSchema");
  return isDeclared ? [] : [stableJson(outputSchema)];
}

/**
 * Digest of size, times and inode of each file, or `undefined` where one is missing. Taken before the files are read, so that a
 * change in between gives another stamp. Synchronous calls: ten times as fast as awaited ones.
 */
function stampOf(root: string, known: ReadonlyMap<string, string>): string | undefined {
  const lines: string[] = [];
  for (const [path, digest] of known) {
    const stat = lstatSync(unslashed(root, path), { throwIfNoEntry: false });
    if (stat === undefined || !stat.isFile()) return undefined;
    lines.push(`${path} ${digest} ${stat.size} ${stat.mtimeMs} ${stat.ctimeMs} ${stat.ino}`);
  }
  return digestText(lines.join("\n")).slice(0, 32);
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
