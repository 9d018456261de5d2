/** The three names at the root of a workspace that any script may import. */
const ROOT_NAMES = new Set(["servers", "skills"]);
const CLIENT = /^client(?:\.[jt]s)?$/;

/**
 * What a relative import means: a slashed path below the workspace, still without a decision on its extension, or
 * `undefined` where it leads out of it. `./servers/x`, `../servers/x` and `../../servers/x` all mean the workspace's
 * own, likewise for `skills` and `client`: models write all three, and so does each editor's completion.
 * @param importerFolder slashed folder of the importing file below the workspace, `""` for its root, `undefined` for a
 *   script outside
 */
export function workspacePath(specifier: string, importerFolder: string | undefined): string | undefined {
  const segments = specifier.split("/");
  const named = segments.filter(
    (segment, index) => segment !== "." && segment !== ".." && index < segments.length,
  );
  const leadingDots = segments.findIndex((segment) => segment !== "." && segment !== "..");
  const first = named[0] ?? "";
  if (leadingDots >= 0 && (ROOT_NAMES.has(first) || (CLIENT.test(first) && named.length === 1)))
    return joinSlashed("", segments.slice(leadingDots).join("/"));
  return importerFolder === undefined ? undefined : joinSlashed(importerFolder, specifier);
}

/** Joins slashed paths; `undefined` where the result would lead above the root. */
export function joinSlashed(folder: string, path: string): string | undefined {
  const joined: string[] = [];
  for (const segment of [...folder.split("/"), ...path.split("/")]) {
    if (segment === "" || segment === ".") continue;
    if (segment !== "..") joined.push(segment);
    else if (joined.pop() === undefined) return undefined;
  }
  return joined.join("/");
}

/** The relative import that leads from a file in `folder` to the slashed path `target`, both below the workspace. */
export function relativeSpecifier(folder: string, target: string): string {
  const from = folder === "" ? [] : folder.split("/");
  const to = target.split("/");
  let shared = 0;
  while (shared < from.length && shared < to.length - 1 && from[shared] === to[shared]) shared += 1;
  const up = "../".repeat(from.length - shared);
  return `${up === "" ? "./" : up}${to.slice(shared).join("/")}`;
}

/** The folder of a slashed path, `""` for a file at the root. */
export function folderOf(path: string): string {
  return path.includes("/") ? path.slice(0, path.lastIndexOf("/")) : "";
}

/** The folder below `servers/` that a slashed path lies in, or `undefined`. */
export function serverFolderOf(path: string): string | undefined {
  return /^servers\/([^/]+)/.exec(path)?.[1];
}

/** A path without the extension of a script. */
export function withoutExtension(path: string): string {
  return path.replace(/\.m?[jt]s$/, "");
}

/** True for a path that the workspace gives a meaning from any folder: a server, a skill, the client. */
export function isWorkspaceName(path: string): boolean {
  return /^(?:servers|skills)\/|^client(?:\.[jt]s)?$/.test(path);
}
