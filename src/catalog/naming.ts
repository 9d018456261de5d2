import { digestText } from "../kernel/digest.ts";
import type { Lock, LockedServer, LockedTool } from "../model/lock.ts";
import {
  BUILTIN_SERVER,
  type ExportName,
  type FolderName,
  type ListingKey,
  type RawToolName,
  type ServerName,
  type WireName,
} from "../model/names.ts";
import { camelCase, foldName, MAX_NAME_LENGTH, startsIdentifier, WINDOWS_DEVICE } from "./identifiers.ts";
import { createTakenNames, createTakenWires, cut, type TakenNames } from "./taken-names.ts";

/** One server with the tools that it lists now and that the config lets in. */
export interface NamingRequest {
  readonly name: ServerName;
  /** The digest of a tool that is gone stays, so that one which comes back changed is noticed. */
  readonly keepsDigests?: boolean;
  readonly tools: readonly {
    readonly key: ListingKey;
    readonly raw: RawToolName;
    /** The name to make names from: the raw one unless the config renames. */
    readonly renamed: string;
    /** Digest of the definition: 64 hexadecimal characters. */
    readonly digest: string;
  }[];
  /** What it offers besides tools. Absent: what the lock says of that stays as it is. */
  readonly offers?: readonly OfferNaming[];
}

/** A prompt, or a way to a server's resources, that needs a wire name. */
export interface OfferNaming {
  /** What the lock calls it: `prompt:summary`, `resource:read`. */
  readonly key: string;
  readonly raw: string;
  /** The name to make names from: the raw one unless the config renames. */
  readonly renamed: string;
  /** Stands before the name in the wire name: a prompt and a tool may be called alike. */
  readonly prefix: string;
}

/**
 * Gives folder, wire and export names to what has none yet. Names in the lock never move (law 6): only a rename of the
 * config, the user's explicit wish, gives a locked tool new ones. Locked tools of a given server that it no longer lists keep
 * their names and lose their digest; servers that are not given stay as they are. Newcomers are taken by lower-cased raw
 * name, so that the result does not depend on the order in which a server lists.
 */
export function assignNames(lock: Lock, servers: readonly NamingRequest[]): Lock {
  const requests = servers.toSorted((a, b) => compare(a.name, b.name));
  const kept = new Map<ServerName, Map<ListingKey, LockedTool>>();
  for (const request of requests) kept.set(request.name, keptTools(lock.servers.get(request.name), request));

  const folders = createTakenNames(RESERVED_FOLDERS);
  const wires = createTakenWires();
  for (const [name, server] of lock.servers) {
    folders.add(server.folder);
    for (const tool of (kept.get(name) ?? server.tools).values()) wires.add(tool.wire);
    for (const offer of server.offers?.values() ?? []) wires.add(offer.wire);
  }

  const named = new Map(lock.servers);
  for (const request of requests) {
    const folder = lock.servers.get(request.name)?.folder ?? newFolder(request.name, folders);
    const tools = kept.get(request.name) ?? new Map<ListingKey, LockedTool>();
    const exports = createTakenNames(Array.from(tools.values(), (tool) => tool.export));
    for (const tool of request.tools.toSorted(byRawName)) {
      if (tools.has(tool.key)) continue;
      tools.set(tool.key, {
        wire: newWire(request.name, tool, wires),
        export: freeExport(request.name, tool, exports),
        ...(tool.renamed === tool.raw ? {} : { renamed: tool.renamed }),
        digest: tool.digest,
      });
    }
    named.set(request.name, { folder, tools });
  }
  // After all tools: of two that want one name, the tool gets it.
  for (const request of requests) {
    const server = named.get(request.name);
    const offers = nameOffers(request, lock.servers.get(request.name)?.offers, wires);
    if (server !== undefined && offers.size > 0) named.set(request.name, { ...server, offers });
  }
  return { servers: named, files: lock.files };
}

/** Names of offers follow the same law as those of tools: they never move, and stay when the offer goes. */
function nameOffers(
  request: NamingRequest,
  locked: ReadonlyMap<string, LockedTool> | undefined,
  wires: TakenNames,
): ReadonlyMap<string, LockedTool> {
  const named = new Map(locked);
  const exports = createTakenNames();
  const wish = new Map(request.offers?.map((offer) => [offer.key, offer]));
  for (const [key, { export: name, renamed }] of named) {
    const offer = wish.get(key);
    if (offer !== undefined && offer.renamed !== (renamed ?? offer.raw)) named.delete(key);
    else exports.add(name);
  }
  for (const offer of (request.offers ?? []).toSorted((a, b) => compare(a.key, b.key))) {
    if (named.has(offer.key)) continue;
    const { raw, renamed, prefix } = offer;
    named.set(offer.key, {
      wire: newWire(request.name, { raw: offer.key, renamed: prefix + renamed }, wires),
      export: freeExport(request.name, { raw, renamed }, exports),
      ...(renamed === raw ? {} : { renamed }),
    });
  }
  return named;
}

/** Orders text by code unit, as every sorted file of mcpfs does: no locale, so the same on every machine. */
export function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/** The locked tools whose names stay: those listed under the same wish of the config, and those not listed. */
function keptTools(locked: LockedServer | undefined, request: NamingRequest): Map<ListingKey, LockedTool> {
  const listed = new Map(request.tools.map((tool) => [tool.key, tool]));
  const kept = new Map<ListingKey, LockedTool>();
  for (const [key, lockedTool] of locked?.tools ?? []) {
    const { digest: _digest, ...names } = lockedTool;
    const tool = listed.get(key);
    if (tool === undefined) kept.set(key, request.keepsDigests === true ? lockedTool : names);
    else if (tool.renamed === (names.renamed ?? tool.raw)) kept.set(key, { ...names, digest: tool.digest });
  }
  return kept;
}

function byRawName(a: NamingRequest["tools"][number], b: NamingRequest["tools"][number]): number {
  return compare(a.raw.toLowerCase(), b.raw.toLowerCase()) || compare(a.raw, b.raw) || compare(a.key, b.key);
}

/** Taken from the start: the built-in server's folder, and the file that stands beside the folders. */
const RESERVED_FOLDERS: readonly string[] = ["mcpfs", "readme.md"];

function newFolder(server: ServerName, taken: TakenNames): FolderName {
  const folder = server === BUILTIN_SERVER ? server : taken.take(folderBase(server));
  return folder as string as FolderName;
}

/**
 * A config's key as a folder name: letters and digits of any script, `.`, `_` and `-` stay, all else becomes `-`. A dot or
 * dash at an end goes (hidden files, options). An ending that an import would take for a file's (`next.js`) loses its dot.
 */
function folderBase(server: ServerName): string {
  const safe = server
    .normalize("NFC")
    .replace(/\p{DI}|[^\p{L}\p{M}\p{N}._-]/gu, "-")
    .replace(/^[.-]+|[.-]+$/g, "")
    .replace(/\.(?=(?:[cm]?[jt]s|[jt]sx|json)$)/i, "-");
  const [stem = "", ...rest] = safe.split(".");
  const isReserved = WINDOWS_DEVICE.test(foldName(stem)) || foldName(safe) === "node_modules";
  const folder = isReserved ? [`${stem}_`, ...rest].join(".") : safe;
  return shortened(folder || "server", "-", server);
}

/** Wire names begin so for the built-in server alone: the broker and a reader tell it by that. */
const BUILTIN_WIRE = `${BUILTIN_SERVER}__`;

/** Key and name with all but `[A-Za-z0-9_]` as `_`, joined by `__`; unique in the workspace. */
function newWire(
  server: ServerName,
  tool: { readonly raw: string; readonly renamed: string },
  taken: TakenNames,
): WireName {
  const wire = shortened(wireStart(server) + wirePart(tool.renamed), "_", `${server}/${tool.raw}`);
  return taken.take(wire) as WireName;
}

/** What the wire names of a server's tools begin with; two servers may share it, and a long one is cut. */
export function wireStart(server: ServerName): string {
  const start = `${wirePart(server) || "_"}__`;
  return server !== BUILTIN_SERVER && start.startsWith(BUILTIN_WIRE) ? `_${start}` : start;
}

function wirePart(text: string): string {
  return text.replace(/[^A-Za-z0-9_]/gu, "_");
}

/** An export name that is legal and none of `taken`, made of `renamed`; takes it. */
export function freeExport(
  server: ServerName,
  tool: { readonly raw: string; readonly renamed: string },
  taken: TakenNames,
): ExportName {
  const camel = camelCase(tool.renamed) || "tool";
  const name = shortened(startsIdentifier(camel) ? camel : `_${camel}`, "_", `${server}/${tool.raw}`);
  return taken.take(isReservedExport(name) ? `${name}_` : name) as ExportName;
}

/** `name`, or its beginning, `mark` and six characters of the digest of `whole` where it is too long. */
function shortened(name: string, mark: string, whole: string): string {
  if (name.length <= MAX_NAME_LENGTH) return name;
  const ending = `${mark}${digestText(whole).slice(0, 6)}`;
  return cut(name, MAX_NAME_LENGTH - ending.length) + ending;
}

function isReservedExport(name: string): boolean {
  const folded = foldName(name);
  return RESERVED_WORDS.has(name) || RESERVED_FILES.has(folded) || WINDOWS_DEVICE.test(folded);
}

/** Names that are illegal for a function of a module, or that would make a namespace import or a wrapper misbehave. */
const RESERVED_WORDS: ReadonlySet<string> = new Set([
  ..."break case catch class const continue debugger default delete do else enum export extends false".split(
    " ",
  ),
  ..."finally for function if import in instanceof new null return super switch this throw true try".split(
    " ",
  ),
  ..."typeof var void while with".split(" "),
  ..."arguments await eval implements interface let package private protected public static undefined yield".split(
    " ",
  ),
  // `await` of a namespace import would call `then`; printing one would call the others.
  ..."then constructor prototype toJSON toString toLocaleString valueOf hasOwnProperty isPrototypeOf".split(
    " ",
  ),
  "propertyIsEnumerable",
  // Imported by every wrapper under this name.
  "callMCPTool",
]);

/** Files that mcpfs itself writes beside the wrappers; and `client`, which below `servers/` always means the workspace's. */
const RESERVED_FILES: ReadonlySet<string> = new Set(["index", "resources", "prompts", "client"]);
