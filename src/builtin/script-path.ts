import { McpfsError } from "../kernel/errors.ts";
import { oneLine } from "../kernel/text.ts";

/** The name of the files folder as a script writes it. */
const FOLDER = "workspace";
const MAX_SHOWN_LENGTH = 160;

/** Device names that Windows finds in every folder, whatever follows the first dot. */
const WINDOWS_DEVICE = /^(?:con|prn|aux|nul|conin\$|conout\$|com[0-9¹²³]|lpt[0-9¹²³])(?:\.|$)/i;
/** Streams (`a.txt:b`), wildcards, and ends that Windows drops without a word. */
const WINDOWS_UNUSABLE = /[<>:"|?*\u0001-\u001f]|[. ]$/;

/**
 * Reads a path as a script writes it: relative to the workspace, with slashes, in `./workspace/`. Judged by its
 * text alone, and alike on every system but for names that only Windows cannot hold.
 * @returns the path below the files folder, with slashes; empty for the folder itself
 * @throws McpfsError FILE_OUTSIDE_WORKSPACE, ARGUMENTS_INVALID
 */
export function parseScriptPath(path: string, platform: NodeJS.Platform): string {
  if (/\p{Surrogate}/u.test(path))
    throw new McpfsError("ARGUMENTS_INVALID", `The path ${quoted(path)} holds half a character.`, {
      hint: "Cut text between whole characters before it becomes part of a path.",
    });
  if (path.includes("\0")) throw outside(path);
  if (path.includes("\\")) throw outside(path, 'Write paths with "/", such as ./workspace/notes.txt.');
  if (path.startsWith("/")) throw outside(path);
  const segments: string[] = [];
  for (const segment of path.split("/")) {
    if (segment === "" || segment === ".") continue;
    if (segment !== "..") segments.push(segment);
    else if (segments.pop() === undefined) throw outside(path);
  }
  const [first, ...rest] = segments;
  if (first !== FOLDER) throw notBelow(path, segments);
  const isUnusable = (name: string): boolean => WINDOWS_DEVICE.test(name) || WINDOWS_UNUSABLE.test(name);
  if (platform === "win32" && rest.some(isUnusable))
    throw outside(path, "Windows cannot hold a file of this name; use letters, digits, - and _.");
  return rest.join("/");
}

/** A path below the files folder as messages show it. */
export function shownPath(below: string): string {
  return below === "" ? `./${FOLDER}` : `./${FOLDER}/${oneLine(below, MAX_SHOWN_LENGTH)}`;
}

/** The error of a path that leads out; `hint` where the general one does not help. */
export function outside(path: string, hint: string = GENERAL_HINT): McpfsError {
  return new McpfsError("FILE_OUTSIDE_WORKSPACE", `The path ${quoted(path)} leads out of the files folder.`, {
    hint,
  });
}

const GENERAL_HINT =
  "Scripts read and write below ./workspace/ only; use a relative path such as ./workspace/notes.txt.";

function notBelow(path: string, segments: readonly string[]): McpfsError {
  const [first = "", ...rest] = segments;
  const isOtherCase = first.toLowerCase() === FOLDER;
  const meant = shownPath((isOtherCase ? rest : segments).join("/"));
  return outside(path, `Scripts read and write below ./workspace/ only; use ${JSON.stringify(meant)}.`);
}

function quoted(path: string): string {
  return JSON.stringify(oneLine(path, MAX_SHOWN_LENGTH));
}
