import { basename, isAbsolute, relative, resolve, sep } from "node:path";
import { isJsonObject, type Json } from "../../kernel/json.ts";
import type { ServerShape } from "../server-schema.ts";
import { commandWords } from "../transport.ts";

/** An entry in one form, whatever form its client uses: what is the same is then equal. */
export interface PlainEntry {
  readonly type?: "sse";
  readonly command?: string;
  readonly args?: readonly string[];
  readonly url?: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly envFile?: string;
  readonly cwd?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly oauth?: NonNullable<ServerShape["oauth"]>;
  readonly enabled?: false;
  readonly purpose?: string;
  readonly timeoutMs?: number;
  readonly tools?: ServerShape["tools"];
}

/**
 * The entry in that form, with paths that mean the same from the workspace `root` as they did in the client's `folder`
 * (absent: a user's file, whose relative paths mean whatever folder is open).
 */
export function placeEntry(entry: ServerShape, folder: string | undefined, root: string): PlainEntry {
  const [program, ...args] = commandWords(entry).map((word) => word.raw);
  const env = texts({ ...entry.environment, ...entry.env });
  const headers = texts(entry.headers ?? {});
  const { url, oauth, envFile, cwd, timeoutMs, tools } = entry;
  const purpose = entry.purpose ?? entry.description;
  const isOff = entry.enabled === false || entry.disabled === true;
  const path = (text: string): string => moved(text, folder, root);
  return inFolder(
    {
      ...(entry.type === "sse" || entry.transport === "sse" ? { type: "sse" as const } : {}),
      ...(program === undefined ? {} : { command: /[/\\]/.test(program) ? path(program) : program }),
      ...(args.length === 0 ? {} : { args }),
      ...(url === undefined ? {} : { url }),
      ...(Object.keys(headers).length === 0 ? {} : { headers }),
      ...(oauth === undefined ? {} : { oauth }),
      ...(Object.keys(env).length === 0 ? {} : { env }),
      ...(envFile === undefined ? {} : { envFile: path(envFile) }),
      ...(program === undefined || path(cwd ?? ".") === "." ? {} : { cwd: path(cwd ?? ".") }),
      ...(isOff ? { enabled: false as const } : {}),
      ...(purpose === undefined ? {} : { purpose }),
      ...(timeoutMs === undefined ? {} : { timeoutMs }),
      ...(tools === undefined ? {} : { tools }),
    },
    folder,
    root,
  );
}

function texts(values: Readonly<Record<string, unknown>>): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, String(value)]));
}

/** A relative path of `folder` as one of `root`; what is absolute, or begins with `~` or a variable, stays. */
function moved(path: string, folder: string | undefined, root: string): string {
  if (folder === undefined || folder === root || isAbsolute(path) || /^(~|\$\{|[A-Za-z]:)/.test(path))
    return path;
  const from = relative(root, resolve(folder, path)).split(sep).join("/");
  if (from === "") return ".";
  return isAbsolute(from) || from.includes("/") || from === ".." ? from : `./${from}`;
}

/** `${workspaceFolder}` of another folder than the workspace, said from the workspace. */
function inFolder(entry: PlainEntry, folder: string | undefined, root: string): PlainEntry {
  if (folder === undefined || folder === root) return entry;
  const way = relative(root, folder).split(sep).join("/");
  const replaced = (value: Json): Json => {
    if (typeof value === "string")
      return value
        .replace(/\$\{workspaceFolder\}/g, () => (isAbsolute(way) ? way : `\${workspaceFolder}/${way}`))
        .replace(/\$\{workspaceFolderBasename\}/g, () => basename(folder));
    if (Array.isArray(value)) return value.map(replaced);
    if (!isJsonObject(value)) return value;
    return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, replaced(inner ?? null)]));
  };
  return replaced(entry as Json) as PlainEntry;
}
