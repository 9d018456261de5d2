import { isBuiltin } from "node:module";

/** Why an import is refused: a sentence, and what to write instead. */
export interface Refusal {
  readonly message: string;
  readonly hint: string;
}

const ALLOWED = "A script can import ./servers/<server>, ./skills/<skill>, ./client and node:fs/promises.";

/** Modules of Node.js that scripts ask for, and what the sandbox has in their place. */
const INSTEAD: ReadonlyMap<string, string> = new Map([
  ["buffer", "Use TextEncoder, TextDecoder, atob and btoa, which are globals."],
  ["child_process", "A script starts no processes; call a tool of a server that does."],
  ["crypto", "Use the globals crypto.randomUUID() and crypto.getRandomValues()."],
  ["events", "Use promises, async functions or a Set of callbacks."],
  ["http", "There is no network in the sandbox; call a tool of a server that has it."],
  ["https", "There is no network in the sandbox; call a tool of a server that has it."],
  ["net", "There is no network in the sandbox; call a tool of a server that has it."],
  ["path", 'Write paths as text with forward slashes, such as "./workspace/" + name + ".csv".'],
  ["process", "There is no process in the sandbox; arguments are in the global args."],
  ["timers", "setTimeout, setInterval and clearTimeout are globals."],
  ["timers/promises", "Write await new Promise((done) => setTimeout(done, ms)); timers are globals."],
  ["url", "URL and URLSearchParams are globals."],
  ["util", "TextEncoder, TextDecoder and structuredClone are globals."],
]);

/** Refuses an import that is no relative path: of Node.js, a package, a URL, an absolute path. */
export function refuseForeign(specifier: string, folders: readonly string[]): Refusal {
  const name = specifier.replace(/^node:/, "");
  const shown = JSON.stringify(specifier);
  if (isBuiltin(specifier) || specifier.startsWith("node:"))
    return { message: `The sandbox has no Node.js module ${shown}.`, hint: INSTEAD.get(name) ?? ALLOWED };
  if (/^[A-Za-z][A-Za-z0-9+.-]+:|^\/\//.test(specifier))
    return { message: `${shown} is a URL, and nothing is imported from URLs or the network.`, hint: ALLOWED };
  if (specifier.startsWith("/") || specifier.startsWith("\\") || /^[A-Za-z]:/.test(specifier))
    return {
      message: `${shown} is an absolute path, and only the workspace's own files can be imported.`,
      hint: ALLOWED,
    };
  const inWorkspace = /^(?:[@~]\/)?((?:servers|skills)(?:\/.*)?|client(?:\.[jt]s)?)$/.exec(specifier)?.[1];
  if (inWorkspace !== undefined)
    return { message: `${shown} names a package, not a file.`, hint: `Write "./${inWorkspace}".` };
  const message = `The package ${shown} cannot be imported: the sandbox has no packages.`;
  return { message, hint: folders.includes(specifier) ? `The server is "./servers/${specifier}".` : ALLOWED };
}

/** Refuses characters that mean something to a URL, a shell or a file system, and nothing in a name of ours. */
export function refuseCharacters(specifier: string): Refusal | undefined {
  // A percent sign may hide a slash, a `?` or `#` a second name for one file, and NUL ends a path early.
  return /[\0-\x1f\x7f%?#\\:*"<>|]/.test(specifier)
    ? {
        message: `The import ${JSON.stringify(specifier)} has a character that no path of a workspace has.`,
        hint: ALLOWED,
      }
    : undefined;
}

/** Refuses a path that leads out of the workspace, or of a script that stands outside. */
export function refuseOutside(specifier: string, isScriptOutside: boolean): Refusal {
  return {
    message: `The import ${JSON.stringify(specifier)} leads out of the workspace.`,
    hint: isScriptOutside
      ? "A script outside the workspace can import only ./servers/<server>, ./skills/<skill> and ./client; move it into the workspace to import files of its own."
      : ALLOWED,
  };
}

/** Refuses the parts of a workspace that are not for scripts. */
export function refusePrivate(specifier: string): Refusal {
  return {
    message: `The import ${JSON.stringify(specifier)} leads into a folder that scripts have no business in.`,
    hint: `Hidden folders and node_modules are never imported. ${ALLOWED}`,
  };
}

/** Refuses a file that is no script. */
export function refuseKind(specifier: string): Refusal {
  return {
    message: `The import ${JSON.stringify(specifier)} is not a .ts, .mts, .js or .mjs file.`,
    hint: 'Read data with await fs.readFile("./workspace/…"); fs is a global.',
  };
}

/** Refuses `import x from "y" with {…}`, `require("y")` and the like. */
export function refuseForm(specifier: string, form: "attributes" | "require" | "other"): Refusal {
  const shown = JSON.stringify(specifier);
  if (form === "attributes")
    return {
      message: `The import of ${shown} has attributes, which the sandbox does not know.`,
      hint: "Leave out the part that begins with `with`.",
    };
  if (form === "require")
    return {
      message: `The sandbox has no require, and so no require(${shown}).`,
      hint: `Write an import statement. ${ALLOWED}`,
    };
  return { message: `${shown} cannot be imported in this way.`, hint: ALLOWED };
}

/** Refuses what is not there. */
export function refuseMissing(specifier: string, nearest: readonly string[]): Refusal {
  return {
    message: `There is nothing at ${JSON.stringify(specifier)}.`,
    hint: nearest.length > 0 ? `Nearest: ${nearest.join(", ")}.` : ALLOWED,
  };
}

/** Refuses a file that no parser can read without harm. */
export function refuseDepth(path: string): Refusal {
  return {
    message: `${path} is nested too deeply to be read.`,
    hint: "Build deep data in a loop, or read it with await fs.readFile(…) and JSON.parse.",
  };
}
