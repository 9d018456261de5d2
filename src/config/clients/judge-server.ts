import { isJsonObject, type Json, own } from "../../kernel/json.ts";
import { packageFile } from "../../kernel/paths.ts";
import type { ServerEntry } from "../../model/server-entry.ts";
import { parseServer } from "../parse-server.ts";
import { type ServerShape, serverSchema } from "../server-schema.ts";
import { commandWords } from "../transport.ts";
import { variableNames } from "../variables.ts";
import type { ClientFile, ImportPlace } from "./find-client-files.ts";
import { type PlainEntry, placeEntry } from "./place-entry.ts";
import type { ClientServer, ClientServers } from "./read-client-file.ts";
import { translateEntry } from "./translate-entry.ts";

/** Why a server is not taken. `fault`: its entry is wrong. `taken`: its name stands for another one. `self`: it is mcpfs. */
export interface LeftOut {
  readonly kind: "fault" | "taken" | "self";
  /** Goes on after the server's name, without a full stop. */
  readonly sentence: string;
}

/** A server of a client's config in our words, or why it cannot be taken. */
export type JudgedServer =
  | { readonly kind: "usable"; readonly entry: PlainEntry }
  | { readonly kind: "left-out"; readonly why: LeftOut };

/**
 * Translates a server and judges it as `mcpfs.json` would be judged with all of its variables set; places in messages are those
 * of the client's file.
 * @param warnings gets what is odd
 */
export function judgeServer(
  server: ClientServer,
  source: { readonly file: ClientFile; readonly read: ClientServers; readonly place: ImportPlace },
  warnings: string[],
): JudgedServer {
  const { file, read, place } = source;
  const { name, value, folder } = server;
  const { entry, leftOut } = isJsonObject(value)
    ? translateEntry(value, file.variables, read.inputs)
    : { entry: value, leftOut: [] };
  const shape = serverSchema.safeParse(entry);
  if (shape.success && startsMcpfs(shape.data))
    return { kind: "left-out", why: { kind: "self", sentence: "starts mcpfs itself, and is left out" } };
  const { problem } = parsed(server, entry, source, warnings);
  if (problem !== undefined || !shape.success) {
    const sentence = `cannot be used: ${problem?.message.replace(/\.$/, "")} (${problem?.hint.replace(/\.$/, "")})`;
    return { kind: "left-out", why: { kind: "fault", sentence } };
  }
  for (const key of leftOut)
    warnings.push(`${file.path}: ${key} of ${name} means nothing to mcpfs and is left out.`);
  const program = commandWords(shape.data)[0]?.raw ?? "";
  if (folder === undefined && /[/\\]/.test(program) && !/^([~/\\]|\$\{|[A-Za-z]:)/.test(program))
    warnings.push(`${file.path}: the command of ${name} is a relative path, and now one of this workspace.`);
  return { kind: "usable", entry: placeEntry(shape.data, folder, place.root) };
}

/** The entry as `mcpfs.json` would be read: each variable has a value, and an env file is there. */
function parsed(
  { name, at, folder }: ClientServer,
  entry: Json,
  {
    file,
    read,
    place,
  }: { readonly file: ClientFile; readonly read: ClientServers; readonly place: ImportPlace },
  warnings: string[],
): ServerEntry {
  const { platform, homeDir, root } = place;
  const url = own(entry, "url");
  // What stands in for a variable may be no part of an address.
  const hasOpenUrl = typeof url === "string" && url.includes("${");
  const value = hasOpenUrl && isJsonObject(entry) ? { ...entry, url: "https://variable.example" } : entry;
  const env = Object.fromEntries(variableNames(JSON.stringify(value)).map((variable) => [variable, "x"]));
  return parseServer({
    name,
    value,
    at,
    document: read.document,
    warnings,
    defaults: { onChange: "warn", fillDefaults: false },
    context: {
      env,
      platform,
      homeDir,
      root: folder ?? root,
      path: file.path,
      files: {
        envFile: () => ({ kind: "ok", value: {} }),
        renameModule: (path) => ({ kind: "problem", sentence: `names ${path}.`, hint: "" }),
      },
    },
  });
}

/** True for what `mcpfs install` writes: a workspace that serves itself to itself would not end. */
function startsMcpfs(entry: ServerShape): boolean {
  const words = commandWords(entry).map((word) => word.raw);
  const isProgram = (word: string): boolean =>
    word === packageFile("dist/cli.js") ||
    /(^|[\\/])mcpfs(@[^\\/]*|\.cmd|\.exe)?$|[\\/]mcpfs[\\/]dist[\\/]cli\.js$/.test(word);
  return words.some(isProgram) && words.includes("serve");
}
