import { readFile } from "node:fs/promises";
import type { OnLoadResult, OnResolveArgs, OnResolveResult, PartialMessage, Plugin } from "esbuild";
import { namesAskedOf } from "../syntax/asked-names.ts";
import { folderOf, serverFolderOf } from "../syntax/specifier.ts";
import { isTooDeep } from "./depth.ts";
import { indexPart } from "./index-part.ts";
import { type BuildPlan, type Detail, ENTRY, FREE_NAMES } from "./plan.ts";
import { entryModule } from "./problems.ts";
import { refuseDepth, refuseForm } from "./refusals.ts";
import type { Resolved, Resolver } from "./resolve.ts";
import { createTypedExtracts, TYPES } from "./typed-extracts.ts";
import { FS_MODULE, freeNamesModule, MODULE_TAIL, plainStart, stubModule } from "./virtual-modules.ts";
import type { BundleWorld } from "./world.ts";

/**
 * Every module is in a namespace of ours, so that esbuild itself never looks at the disk: no package.json, no
 * tsconfig.json, no node_modules. `workspace` holds files by slashed path, `index` a server's index cut to what one importer asks
 * of it, `stubs` the modules put in front of those of a server that lacks names, `script` a script outside, `virtual` the rest.
 */
type Namespace = "workspace" | "index" | "stubs" | "script" | "virtual";

/** What a module of `workspace`, `index` or `stubs` is loaded from; `gone` where no file is left. */
type Source = "gone" | FileSource;

interface FileSource {
  readonly realPath: string;
  /** Instead of what lies there. */
  readonly text: string | undefined;
  readonly part: IndexPart | undefined;
}

/** An index as one importer sees it. Each importer has a module of its own; the wrappers behind them are the same. */
interface IndexPart {
  readonly suffix: string;
  readonly names: ReadonlySet<string>;
}

/** Creates the plugin through which esbuild sees a workspace and nothing else. */
export function workspacePlugin(
  plan: BuildPlan,
  world: BundleWorld,
  resolver: Resolver,
  texts: Map<string, string>,
): Plugin {
  const entry: OnResolveResult =
    plan.entry.path === undefined
      ? { namespace: "script" satisfies Namespace, path: "script" }
      : { namespace: "workspace" satisfies Namespace, path: plan.entry.path };

  const extracts = createTypedExtracts(world, resolver);
  const suffixes = new Map<string, string>();
  /** A server of a thousand tools loads in half a second; most scripts ask its index for two of them. */
  const partFor = (
    path: string,
    { kind, namespace, importer, path: specifier }: OnResolveArgs,
  ): IndexPart | undefined => {
    if (kind !== "import-statement" || !INDEX.test(path)) return undefined;
    const module = namespace === "script" ? entryModule(plan.entry) : `workspace:${importer}`;
    const names = namesAskedOf(texts.get(module) ?? "", specifier);
    const suffix = suffixes.get(module) ?? `?${suffixes.size}`;
    suffixes.set(module, suffix);
    return names && { suffix, names };
  };

  const moduleOf = (resolved: Resolved, args: OnResolveArgs): OnResolveResult => {
    switch (resolved.kind) {
      case "refused":
        return { errors: [messageOf({ kind: "refused", refusal: resolved.refusal })] };
      case "fs":
        return { namespace: "virtual" satisfies Namespace, path: "fs", sideEffects: false };
      case "gone":
        return {
          namespace: "stubs" satisfies Namespace,
          path: resolved.path,
          sideEffects: false,
          pluginData: "gone" satisfies Source,
        };
      case "file": {
        const { path, realPath, bytes, text } = resolved;
        if (path === plan.entry.path) return entry;
        if (bytes > world.maxBytes)
          return { errors: [messageOf({ kind: "too-large", file: { path, bytes } })] };
        const source = { realPath, text, part: partFor(path, args) };
        const behind = moduleBehind(path, source);
        return stubNames(path, plan, world).length > 0
          ? { ...behind, namespace: "stubs" satisfies Namespace }
          : behind;
      }
    }
  };

  const loadFile = async (path: string, source: FileSource): Promise<OnLoadResult> => {
    const { part, realPath } = source;
    const whole = plainStart(source.text ?? (await readFile(realPath, "utf8")));
    const text = part === undefined ? whole : indexPart(whole, part.names);
    if (isTooDeep(text)) return { errors: [messageOf({ kind: "refused", refusal: refuseDepth(path) })] };
    const loader = /\.m?ts$/.test(path) ? "ts" : "js";
    if (isGeneratedFile(path)) return { contents: text + MODULE_TAIL, loader };
    texts.set(`workspace:${path}`, text);
    return await loadText(`workspace:${path}`, { text, folder: folderOf(path), loader });
  };

  const loadEntry = async (): Promise<OnLoadResult> => {
    const { text, folder, isTypeScript } = plan.entry;
    const module = entryModule(plan.entry);
    texts.set(module, text);
    return await loadText(module, { text, folder, loader: isTypeScript ? "ts" : "js" });
  };

  /** What a person wrote. */
  const loadText = async (
    module: string,
    written: { readonly text: string; readonly folder: string | undefined; readonly loader: "ts" | "js" },
  ): Promise<OnLoadResult> => {
    const { text, folder, loader } = written;
    const bound = await extracts.bind(module, text, folder);
    return bound.kind === "error"
      ? { errors: [bound.error] }
      : { contents: bound.text + MODULE_TAIL, loader };
  };

  const virtualText = (path: string): string => {
    if (path === "fs") return FS_MODULE;
    return path.startsWith(TYPES)
      ? extracts.functionsOf(path.slice(`${TYPES} of `.length))
      : freeNamesModule([...plan.freeNames].sort(), world);
  };

  return {
    name: "mcpfs",
    setup: (build) => {
      build.onResolve({ filter: /.*/ }, async (args) => {
        if (args.kind === "entry-point") {
          if (args.path === ENTRY) return entry;
          if (args.path === FREE_NAMES)
            return { namespace: "virtual" satisfies Namespace, path: "free-names", sideEffects: false };
        }
        // A module of stubs reaches the one behind it under the same path.
        if (args.namespace === "stubs" && args.path === BEHIND)
          return moduleBehind(args.importer, args.pluginData as FileSource);
        if (args.path === TYPES) {
          const path = `${TYPES} of ${args.namespace}:${args.importer}`;
          return { namespace: "virtual" satisfies Namespace, path, sideEffects: false };
        }
        const form = formProblem(args.kind, args.with);
        if (form !== undefined)
          return { errors: [messageOf({ kind: "refused", refusal: refuseForm(args.path, form) })] };
        const folder =
          args.namespace === "script"
            ? plan.entry.folder
            : args.namespace === "virtual"
              ? ""
              : folderOf(args.importer);
        return moduleOf(await resolver.resolve(args.path, folder), args);
      });
      build.onLoad({ filter: /.*/, namespace: "script" }, loadEntry);
      build.onLoad({ filter: /.*/, namespace: "workspace" }, async (args) =>
        args.path === plan.entry.path
          ? await loadEntry()
          : await loadFile(args.path, args.pluginData as FileSource),
      );
      build.onLoad({ filter: /.*/, namespace: "index" }, (args) =>
        loadFile(args.path, args.pluginData as FileSource),
      );
      build.onLoad({ filter: /.*/, namespace: "stubs" }, (args) => ({
        contents: stubModule(
          serverFolderOf(args.path) ?? "",
          stubNames(args.path, plan, world),
          (args.pluginData as Source) === "gone" ? undefined : BEHIND,
          world,
        ),
        loader: "js",
        pluginData: args.pluginData,
      }));
      build.onLoad({ filter: /.*/, namespace: "virtual" }, ({ path }) => ({
        contents: virtualText(path),
        loader: "js",
      }));
    },
  };
}

/** The name under which a module of stubs imports the one that it stands before. No resolver accepts a colon. */
const BEHIND = "mcpfs:behind";

const INDEX = /^servers\/[^/]+\/index\.ts$/;

/** The module of a file itself, without stubs in front of it. */
function moduleBehind(path: string, source: FileSource): OnResolveResult {
  const { part } = source;
  return {
    namespace: (part === undefined ? "workspace" : "index") satisfies Namespace,
    path,
    pluginData: source,
    ...(part === undefined ? {} : { suffix: part.suffix }),
    ...(isGeneratedFile(path) ? { sideEffects: false } : {}),
  };
}

/** True for a file that mcpfs writes: loading it has no effect, so that unused tools cost nothing. */
function isGeneratedFile(path: string): boolean {
  return path === "client.ts" || path.startsWith("servers/");
}

/**
 * Names that a module below `servers/` is to export besides its own: those reported missing, and the retired ones of an
 * index or of a wrapper that is gone. A name that is in use again is its tool's.
 */
function stubNames(path: string, plan: BuildPlan, world: BundleWorld): readonly string[] {
  const folder = serverFolderOf(path);
  if (folder === undefined) return [];
  const leaf = path.slice(path.lastIndexOf("/") + 1).replace(/\.ts$/, "");
  const retired = (world.retired.get(folder) ?? [])
    .map((tool) => tool.export)
    .filter((name) => (leaf === "index" || leaf === name) && !isLive(`servers/${folder}/${name}.ts`, world));
  return [...new Set([...retired, ...(plan.stubs.get(path) ?? [])])].sort();
}

function isLive(file: string, world: BundleWorld): boolean {
  for (const wrapper of world.flatNames.values()) if (wrapper.file === file) return true;
  return false;
}

function formProblem(
  kind: string,
  attributes: Record<string, string>,
): "attributes" | "require" | "other" | undefined {
  if (Object.keys(attributes).length > 0) return "attributes";
  if (kind === "require-call" || kind === "require-resolve") return "require";
  return kind === "import-statement" || kind === "dynamic-import" ? undefined : "other";
}

function messageOf(detail: Detail): PartialMessage {
  return { text: detail.kind, detail };
}
