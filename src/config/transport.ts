import { posix, win32 } from "node:path";
import type { Transport } from "../model/server-entry.ts";
import type { EntryReader } from "./entry-reader.ts";
import { readOAuth } from "./oauth.ts";
import { HTTP_TYPES, type ServerShape, STDIO_TYPES } from "./server-schema.ts";

/** How a server is reached, from its entry. What is wrong goes to the reader; the transport is then not to be used. */
export function readTransport(entry: ServerShape, reader: EntryReader): Transport {
  const form = serverForm(entry);
  switch (form) {
    case "stdio":
      return readStdio(entry, reader);
    case "http":
    case "sse": {
      const [url, headers] = [readUrl(entry.url ?? "", reader), readHeaders(entry, reader)];
      const oauth = readOAuth(entry, reader);
      return { kind: form, url, headers, ...(oauth === undefined ? {} : { oauth }) };
    }
    case "builtin":
      return { kind: "builtin", name: entry.builtin ?? "docs" };
    case "none":
      reader.problem([], "needs command, url or builtin, and a type that fits it.", FORM_HINT);
      return unusableTransport(reader.context.root);
    case "many":
      reader.problem([], "must have one of command, url and builtin only.", FORM_HINT);
      return unusableTransport(reader.context.root);
  }
}

const FORM_HINT = "A program has command and args, a server on the network has url.";

/** The transport of an entry that cannot be used; its `problem` says why. */
export function unusableTransport(root: string): Transport {
  return { kind: "stdio", command: "", args: [], env: {}, cwd: root };
}

/** Which form an entry has; the JSON Schema's `oneOf` draws the same line. */
function serverForm(entry: ServerShape): "stdio" | "http" | "sse" | "builtin" | "none" | "many" {
  const types = [entry.type, entry.transport].filter((type) => type !== undefined);
  const isStdio = entry.command !== undefined && types.every((type) => includes(STDIO_TYPES, type));
  const isUrl =
    entry.url !== undefined && types.every((type) => type === "sse" || includes(HTTP_TYPES, type));
  const isBuiltin = entry.builtin !== undefined;
  if ([isStdio, isUrl, isBuiltin].filter(Boolean).length > 1) return "many";
  if (isStdio) return "stdio";
  if (isBuiltin) return "builtin";
  if (!isUrl) return "none";
  return types[0] === "sse" ? "sse" : "http";
}

function includes(words: readonly string[], word: string): boolean {
  return words.includes(word);
}

function readStdio(entry: ServerShape, reader: EntryReader): Transport {
  const { root, platform } = reader.context;
  const { resolve } = platform === "win32" ? win32 : posix;
  const words = commandWords(entry);
  if (isPathWithSpace(entry)) {
    reader.warn(
      ["command"],
      "holds a space and is taken as one path; put the program's arguments into args.",
    );
  }
  warnOfSlippedEscapes(entry, words, reader);
  const [program, ...args] = words.map(({ raw, path }, index) => {
    // As a program, a lone ~ can only be a path; as an argument it may be anything.
    return reader.text(raw, path, index === 0 || /^~[\\/]/.test(raw));
  });
  if (program === "" && reader.error() === undefined) {
    reader.problem(["command"], "is empty.", "Name the program that is the server.");
  }
  const isPath = (platform === "win32" ? /[/\\]/ : /\//).test(program ?? "");
  return {
    kind: "stdio",
    command: isPath ? resolve(root, program ?? "") : (program ?? ""),
    args,
    env: readEnv(entry, reader),
    cwd: resolve(root, entry.cwd === undefined ? "." : reader.text(entry.cwd, ["cwd"], true)),
  };
}

/** `.\tools\new.mjs` in double quotes is `.`, a tab, `ools`, a line break, `ew.mjs`. A program's text holds spaces, a path seldom. */
function warnOfSlippedEscapes(entry: ServerShape, words: readonly Word[], reader: EntryReader): void {
  const command = typeof entry.command === "string" ? [{ raw: entry.command, path: ["command"] }] : [];
  for (const { raw, path } of [...command, ...words, { raw: entry.cwd ?? "", path: ["cwd"] }])
    if (/[\t\n\r\b\f\v]/.test(raw) && /^[^ ]*[.:\\/][^ ]*$/.test(raw))
      reader.warn(
        path,
        "holds a tab or a line break in a path, which \\t and \\n of a Windows path become; double the backslash, or in TOML use single quotes.",
      );
}

interface Word {
  readonly raw: string;
  readonly path: readonly (string | number)[];
}

/** Program and arguments as written: a list, a text and `args`, or one text that holds a whole command line. */
export function commandWords(entry: ServerShape): readonly Word[] {
  const args = (entry.args ?? []).map((raw, index) => ({ raw: String(raw), path: ["args", index] }));
  if (typeof entry.command !== "string") {
    const listed = (entry.command ?? []).map((raw, index) => ({
      raw: String(raw),
      path: ["command", index],
    }));
    return [...listed, ...args];
  }
  const command = entry.command.trim();
  const first = command.split(/\s/, 1)[0] ?? "";
  if (first === command || isPathWithSpace(entry)) return [{ raw: command, path: ["command"] }, ...args];
  return [...shellWords(command).map((raw) => ({ raw, path: ["command"] })), ...args];
}

/** A path may hold spaces ("C:\Program Files\…"); the name of a program on PATH does not. */
function isPathWithSpace({ command }: ServerShape): boolean {
  return typeof command === "string" && /^[^\s]*(?:[/\\]|\$\{)[^\s]*\s/.test(command.trim());
}

/** Splits at white space; quotes keep words together, and nothing else is special. */
function shellWords(line: string): readonly string[] {
  const words = line.match(/(?:[^\s"']|"[^"]*"|'[^']*'|["'])+/g) ?? [];
  return words.map((word) =>
    word.replace(/"([^"]*)"|'([^']*)'/g, (_, double?: string, single?: string) => double ?? single ?? ""),
  );
}

function readEnv(entry: ServerShape, reader: EntryReader): Readonly<Record<string, string>> {
  const env: Record<string, string> = {};
  if (entry.envFile !== undefined) Object.assign(env, readEnvFile(entry.envFile, reader));
  for (const key of ["environment", "env"] as const) {
    for (const [name, value] of Object.entries(entry[key] ?? {})) {
      if (name === "" || /[=\0]/.test(name)) {
        reader.problem([key, name], "is not the name of a variable.", "A name is not empty and holds no =.");
      } else env[name] = reader.text(String(value), [key, name]);
    }
  }
  return env;
}

function readEnvFile(raw: string, reader: EntryReader): Readonly<Record<string, string>> {
  const { root, platform, files } = reader.context;
  const name = reader.text(raw, ["envFile"], true);
  if (name === "") return {};
  const loaded = files.envFile((platform === "win32" ? win32 : posix).resolve(root, name));
  if (loaded.kind === "ok") return loaded.value;
  reader.problem(["envFile"], loaded.sentence, loaded.hint);
  return {};
}

/** The URL stands in no message: it may hold a key. */
function readUrl(raw: string, reader: EntryReader): string {
  const url = reader.text(raw, ["url"]).trim();
  if (reader.error() !== undefined) return url;
  const protocol = URL.canParse(url) ? new URL(url).protocol : "";
  if (protocol !== "http:" && protocol !== "https:") {
    reader.problem(
      ["url"],
      "must be a whole URL with http:// or https://.",
      "Example: https://host.example/mcp",
    );
  }
  return url;
}

function readHeaders(entry: ServerShape, reader: EntryReader): Readonly<Record<string, string>> {
  const headers: Record<string, string> = {};
  for (const [name, raw] of Object.entries(entry.headers ?? {})) {
    const path = ["headers", name];
    const value = reader.text(String(raw), path).trim();
    if (!/^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/.test(name)) {
      reader.problem(
        path,
        "is not the name of a header.",
        "A name holds letters, digits and -, and no space or colon.",
      );
    } else if (!/^[\t\x20-\x7e\x80-\xff]*$/.test(value)) {
      reader.problem(
        path,
        "holds a character that no header can carry.",
        "Remove line breaks and letters beyond Latin-1.",
      );
    } else if (reader.error() === undefined && isEmptyCredential(name, value)) {
      reader.problem(
        path,
        "would be sent without its credential.",
        "Set the variable that holds it, or remove the header.",
      );
    } else headers[name] = value;
  }
  return headers;
}

/** `Bearer ${TOKEN:-}` with no token: the server would only say 401, or treat the caller as nobody. */
function isEmptyCredential(name: string, value: string): boolean {
  if (/^(bearer|basic|token|apikey)$/i.test(value)) return true;
  return value === "" && /^(proxy-)?authorization$/i.test(name);
}
