import { posix, win32 } from "node:path";
import type { z } from "zod";
import { type Json, own } from "../kernel/json.ts";
import { oneLine } from "../kernel/text.ts";
import { BUILTIN_SERVER, type ServerName } from "../model/names.ts";
import type { OnChange, ServerEntry } from "../model/server-entry.ts";
import { untrustedServer } from "../model/server-identity.ts";
import { type ConfigContext, createEntryReader, type EntryReader } from "./entry-reader.ts";
import { createFilter, OPEN_FILTER, type Rename, starsIn } from "./filter.ts";
import { identityOf } from "./identity.ts";
import type { JsonPath, JsonText } from "./json-text.ts";
import { OAUTH_KEYS } from "./oauth-schema.ts";
import { createOutputRules } from "./output-rules.ts";
import { expectation } from "./schema-issues.ts";
import { secretsOf } from "./secrets.ts";
import { SERVER_KEYS, type ServerShape, serverSchema } from "./server-schema.ts";
import { TOOLS_KEYS } from "./tools-schema.ts";
import { readTransport, unusableTransport } from "./transport.ts";
import { unknownKeys } from "./unknown-keys.ts";

/** The time that one request may take where an entry says nothing. */
const DEFAULT_TIMEOUT_MS = 60_000;

/** Long enough that a person who reads an answer finds the server still there, short enough that an evening frees it. */
const DEFAULT_IDLE_MS = 300_000;

/** Longer purposes would fill `servers/README.md`, which agents read. */
const MAX_PURPOSE_LENGTH = 160;

/** Keys that other clients write and that mean nothing to mcpfs; a warning about each would only be noise. */
const FOREIGN_KEYS: ReadonlySet<string> = new Set([
  "alwaysAllow",
  "autoApprove",
  "dev",
  "gallery",
  "icon",
  "icons",
  "name",
  "trust",
  "version",
]);

/**
 * Parses one entry of `mcpServers` (the value at `at` of the file). Never throws: what is wrong becomes the
 * entry's `problem`, and its transport is then not to be used.
 * @param warnings gets what is odd
 */
export function parseServer(options: {
  readonly name: string;
  readonly value: Json;
  readonly at: JsonPath;
  readonly document: JsonText;
  readonly context: ConfigContext;
  readonly warnings: string[];
  /** What the file says for entries that say nothing. */
  readonly defaults: { readonly onChange: OnChange; readonly fillDefaults: boolean };
}): ServerEntry {
  const { name, value, context } = options;
  const reader = createEntryReader(options);
  checkName(name, reader);
  const checked = serverSchema.safeParse(value);
  if (!checked.success) noteIssues(checked.error, value, reader);
  const entry: ServerShape = checked.success ? checked.data : {};
  const transport = checked.success ? readTransport(entry, reader) : unusableTransport(context.root);
  const rename = readRename(entry.tools?.rename, reader);
  const filter =
    entry.tools === undefined
      ? OPEN_FILTER
      : createFilter({ server: name, allow: entry.tools.allow, deny: entry.tools.deny ?? [], rename });
  warnOfUnknownKeys(value, reader);
  const isModuleHeldBack = rename?.kind === "module" && rename.rename === undefined;
  return {
    name: name as ServerName,
    isEnabled: own(value, "enabled") !== false && own(value, "disabled") !== true,
    transport,
    problem: reader.error() ?? (isModuleHeldBack ? untrustedServer(name as ServerName) : undefined),
    purpose: oneLine(entry.purpose ?? entry.description ?? "", MAX_PURPOSE_LENGTH),
    timeoutMs: entry.timeoutMs ?? DEFAULT_TIMEOUT_MS,
    idleMs: entry.idleMs ?? DEFAULT_IDLE_MS,
    connect: entry.connect ?? "eager",
    onChange: entry.onChange ?? options.defaults.onChange,
    identity: checked.success ? identityOf(entry, transport, rename) : undefined,
    protocol: entry.protocol ?? "auto",
    filter,
    outputs: createOutputRules(entry),
    areAnnotationsTrusted: own(value, "trustAnnotations") !== false,
    fillsDefaults: entry.fillDefaults ?? options.defaults.fillDefaults,
    sharesRoots: entry.roots ?? false,
    sampling: entry.sampling,
    secrets: secretsOf(transport, reader.used()),
  };
}

/** In any spelling, since `servers/mcpfs` and `servers/MCPFS` are one folder on many disks. */
function checkName(name: string, reader: EntryReader): void {
  if (name === "")
    reader.problem([], "needs a name that is not empty.", "The name becomes a folder below servers/.");
  if (name.toLowerCase() === BUILTIN_SERVER) {
    reader.problem([], "uses the name of the built-in server.", "Give this server another name.");
  }
}

function noteIssues(error: z.ZodError, value: Json, reader: EntryReader): void {
  for (const issue of error.issues) {
    const { path, sentence } = expectation(issue, value);
    reader.problem(path, sentence, "Correct this entry; the other servers are not affected.");
  }
}

function warnOfUnknownKeys(value: Json, reader: EntryReader): void {
  for (const { key, sentence } of unknownKeys(value, SERVER_KEYS)) {
    if (!FOREIGN_KEYS.has(key)) reader.warn([key], sentence);
  }
  for (const { key, sentence } of unknownKeys(own(value, "tools"), TOOLS_KEYS)) {
    reader.warn(["tools", key], sentence);
  }
  for (const { key, sentence } of unknownKeys(own(value, "oauth"), OAUTH_KEYS)) {
    reader.warn(["oauth", key], sentence);
  }
  if (own(value, "oauth") !== undefined && own(value, "url") === undefined)
    reader.warn(["oauth"], "has a meaning only for a server with url.");
}

type RenameShape = NonNullable<ServerShape["tools"]>["rename"];

function readRename(rename: RenameShape, reader: EntryReader): Rename | undefined {
  if (rename === undefined) return undefined;
  const at = ["tools", "rename"];
  if (typeof rename === "string") return readModule(rename, at, reader);
  if (isList(rename)) {
    for (const [index, { pattern, to }] of rename.entries()) checkStars(pattern, to, [...at, index], reader);
    return { kind: "patterns", patterns: rename };
  }
  const { pattern, to, ...rest } = rename;
  // One pattern without its list: no server has two tools called "pattern" and "to" and nothing else to rename.
  if (pattern !== undefined && to !== undefined && Object.keys(rest).length === 0) {
    checkStars(pattern, to, at, reader);
    return { kind: "patterns", patterns: [{ pattern, to }] };
  }
  return { kind: "map", names: new Map(Object.entries(rename)) };
}

function isList<T>(value: readonly T[] | object): value is readonly T[] {
  return Array.isArray(value);
}

function checkStars(pattern: string, to: string, at: JsonPath, reader: EntryReader): void {
  if (starsIn(to) <= starsIn(pattern)) return;
  reader.problem(
    [...at, "to"],
    "has more * than its pattern.",
    "Each * of to is what the same * of pattern stood for.",
  );
}

function readModule(raw: string, at: JsonPath, reader: EntryReader): Rename {
  const { root, platform, files } = reader.context;
  const name = reader.text(raw, at, true);
  if (name === "") return { kind: "unknown" };
  const path = (platform === "win32" ? win32 : posix).resolve(root, name);
  const loaded = files.renameModule(path);
  if (loaded.kind === "ok") return { kind: "module", path, written: raw, ...loaded.value };
  reader.problem(at, loaded.sentence, loaded.hint);
  return { kind: "unknown" };
}
