import { readdir, realpath, stat } from "node:fs/promises";
import { extname } from "node:path";
import { isInside, slashed, unslashed } from "../kernel/fsx.ts";
import { joinSlashed, serverFolderOf, withoutExtension, workspacePath } from "../syntax/specifier.ts";
import { nearestNames } from "./nearest-names.ts";
import {
  type Refusal,
  refuseCharacters,
  refuseForeign,
  refuseKind,
  refuseMissing,
  refuseOutside,
  refusePrivate,
} from "./refusals.ts";
import type { BundleWorld } from "./world.ts";

/** What an import leads to. */
export type Resolved =
  /** A file of the workspace: its slashed path, where it really lies, and its size. */
  | ResolvedFile
  /** The sandbox's `fs`. */
  | { readonly kind: "fs" }
  /** A server, or a tool of one, of which no file is left: all that is importable are stubs. */
  | { readonly kind: "gone"; readonly path: string; readonly folder: string }
  | { readonly kind: "refused"; readonly refusal: Refusal };

export interface ResolvedFile {
  readonly kind: "file";
  readonly path: string;
  readonly realPath: string;
  readonly bytes: number;
  /** Instead of what lies there. */
  readonly text?: string;
}

export interface Resolver {
  /** @param importerFolder slashed, below the workspace; `undefined` for a script outside */
  readonly resolve: (specifier: string, importerFolder: string | undefined) => Promise<Resolved>;
  /** The slashed path of an absolute one if it lies in the workspace, links followed; else `undefined`. */
  readonly pathInRoot: (absolute: string) => Promise<string | undefined>;
}

const FS_NAMES = new Set(["fs", "node:fs", "fs/promises", "node:fs/promises"]);
const EXTENSIONS = [".ts", ".mts", ".js", ".mjs"];

/** Creates the one judge of imports for a workspace. Nothing but `fs` and files below its root is ever resolved. */
export async function createResolver(world: BundleWorld): Promise<Resolver> {
  const root = await realpath(world.root);
  const fileAt: NonNullable<BundleWorld["fileAt"]> = world.fileAt ?? (async () => ({ kind: "disk" }));

  const resolveImport = async (specifier: string, importerFolder: string | undefined): Promise<Resolved> => {
    if (FS_NAMES.has(specifier)) return { kind: "fs" };
    if (!/^\.\.?(?:\/|$)/.test(specifier)) return refused(refuseForeign(specifier, world.folders));
    const characters = refuseCharacters(specifier);
    if (characters) return refused(characters);
    // A skill may have a client.ts of its own; everywhere else the name means the workspace's.
    const isInSkill = importerFolder?.startsWith("skills/") === true;
    const own =
      isInSkill && specifier.startsWith("./client") ? joinSlashed(importerFolder, specifier) : undefined;
    const target = workspacePath(specifier, importerFolder);
    if (target === undefined) return refused(refuseOutside(specifier, importerFolder === undefined));
    if (target.split("/").some(isPrivate)) return refused(refusePrivate(specifier));
    const found = own === undefined ? undefined : await findFile(own, specifier);
    return found ?? (await findFile(target, specifier)) ?? (await missing(target, specifier));
  };

  /** The first file that `target` can mean; `undefined` where there is none. */
  const findFile = async (target: string, specifier: string): Promise<Resolved | undefined> => {
    for (const path of candidates(target)) {
      const seen = await fileAt(path);
      if (seen.kind === "absent") continue;
      if (seen.kind === "text") return textFile(unslashed(root, path), path, seen.text);
      const absolute = unslashed(root, path);
      const real = await realpath(absolute).catch(() => undefined);
      const status = real === undefined ? undefined : await stat(real);
      if (real === undefined || !status?.isFile()) continue;
      if (!isInside(root, real)) return refused(refuseOutside(specifier, false));
      if (slashed(root, real).split("/").some(isPrivate)) return refused(refusePrivate(specifier));
      // A link may lead to what is not as it lies there.
      if ((await fileAt(slashed(root, real))).kind !== "disk") continue;
      if (!EXTENSIONS.includes(extname(path)) || /\.d\.m?ts$/.test(path))
        return refused(refuseKind(specifier));
      return { kind: "file", path, realPath: real, bytes: status.size };
    }
    return undefined;
  };

  const missing = async (path: string, specifier: string): Promise<Resolved> => {
    const target = withoutExtension(path);
    const folder = serverFolderOf(target);
    if (folder !== undefined && world.folders.includes(folder)) {
      const leaf = target.slice(`servers/${folder}`.length + 1);
      if (leaf === "" || leaf === "index")
        return { kind: "gone", path: `servers/${folder}/index.ts`, folder };
      if (world.retired.get(folder)?.some((tool) => tool.export === leaf))
        return { kind: "gone", path: `servers/${folder}/${leaf}.ts`, folder };
      return refused(
        refuseMissing(
          specifier,
          world.nearest(folder, leaf).map((name) => `./servers/${folder}/${name}`),
        ),
      );
    }
    const [area, name = ""] = target.split("/");
    if (area !== "servers" && area !== "skills") return refused(refuseMissing(specifier, []));
    const known = area === "servers" ? world.folders : await skillNames();
    return refused(
      refuseMissing(
        specifier,
        nearestNames(name, known).map((near) => `./${area}/${near}`),
      ),
    );
  };

  const skillNames = async (): Promise<readonly string[]> => {
    const names: string[] = [];
    for (const name of await readdir(unslashed(root, "skills")).catch(() => [])) {
      if (name.startsWith(".") || name.endsWith(".md")) continue;
      if ((await fileAt(`skills/${name}`)).kind !== "absent") names.push(withoutExtension(name));
    }
    return names;
  };

  // The wrappers of a server all ask for the same client.ts.
  const known = new Map<string, Promise<Resolved>>();
  return {
    resolve: (specifier, importerFolder) => {
      const key = JSON.stringify([importerFolder ?? null, specifier]);
      const resolved = known.get(key) ?? resolveImport(specifier, importerFolder);
      known.set(key, resolved);
      return resolved;
    },
    pathInRoot: async (absolute) => {
      const real = await realpath(absolute).catch(() => absolute);
      return isInside(root, real) ? slashed(root, real) : undefined;
    },
  };
}

function textFile(realPath: string, path: string, text: string): ResolvedFile {
  return { kind: "file", path, realPath, bytes: Buffer.byteLength(text), text };
}

function refused(refusal: Refusal): Resolved {
  return { kind: "refused", refusal };
}

/** Hidden folders hold the state of mcpfs or of other programs, `node_modules` foreign code. */
function isPrivate(segment: string): boolean {
  return segment.startsWith(".") || segment.toLowerCase() === "node_modules";
}

/**
 * As TypeScript's `bundler` resolution: the file itself, then with an extension, then as a folder. An extension that is
 * there may also be too much: `./servers/crm.js` means the server.
 */
function candidates(target: string): readonly string[] {
  const stem = withoutExtension(target);
  const asTypeScript = /\.m?js$/.test(target) ? [target.replace(/js$/, "ts")] : [];
  const asFolder = EXTENSIONS.map((extension) => `/index${extension}`);
  return [
    ...asTypeScript,
    target,
    ...EXTENSIONS.map((extension) => target + extension),
    ...asFolder.map((index) => target + index),
    ...(stem === target ? [] : asFolder.map((index) => stem + index)),
  ];
}
