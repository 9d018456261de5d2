import { isJsonObject, type Json, own } from "../kernel/json.ts";
import { keepTexts } from "../learning/keep-texts.ts";
import { type Learned, NOTHING_LEARNED } from "../learning/learned.ts";
import type { Shape } from "../learning/shape.ts";
import { shapeToSchema } from "../learning/shape-schema.ts";
import type { Lock, LockedServer } from "../model/lock.ts";
import type { ListingKey, RawToolName, ServerName } from "../model/names.ts";
import { NO_OFFERS, type Offers } from "../model/offers.ts";
import type { Learning, ServerEntry } from "../model/server-entry.ts";
import type { Catalog, CatalogServer, RawTool, RetiredTool, Tool } from "../model/tool.ts";
import { catalogOffers, NOTHING_ELSE, offerNamings } from "./catalog-offers.ts";
import { definitionDigest } from "./definition-digest.ts";
import { readHints, riskOf } from "./hints.ts";
import { listingKeys } from "./listing-keys.ts";
import { assignNames, compare, type NamingRequest } from "./naming.ts";

/** One server of the config with its accepted definitions, normalised. */
export interface ServerDefinitions {
  readonly entry: Pick<
    ServerEntry,
    "name" | "isEnabled" | "purpose" | "filter" | "outputs" | "areAnnotationsTrusted"
  > &
    Partial<Pick<ServerEntry, "onChange">>;
  readonly tools: readonly RawTool[];
  /** Digests of these definitions, as far as they are known. */
  readonly digests?: ReadonlyMap<RawTool, string>;
  /** What the server has besides tools; absent: nothing. */
  readonly offers?: Offers | undefined;
}

/**
 * Puts definitions and names together. Tools that the config denies are absent, and their names count as retired; a disabled
 * server has no tools, only retired names, and so has a server that the lock alone knows. What the lock does not name yet gets
 * the names that {@link assignNames} would give, so the catalog of an unsynced workspace works too.
 * @param learned shapes of answers; those that the config does not want (any more) are left out
 */
export function buildCatalog(
  servers: readonly ServerDefinitions[],
  lock: Lock,
  learned: Learned = NOTHING_LEARNED,
): Catalog {
  const prepared = servers.map(prepare);
  const enabled = prepared.filter(isEnabled);
  // Naming wants the digest of every definition; for names that are there already none is needed.
  const isAllNamed = enabled.every((server) => isNamed(server, lock));
  return catalogOf(prepared, isAllNamed ? lock : assignNames(lock, enabled.map(request)), learned);
}

/**
 * The same, with the lock that holds the names of all that is listed now: what a sync writes. Disabled servers are left out of the
 * naming, so that the lock keeps what it knows of them: a definition that changes while its server is disabled is noticed later.
 */
export function nameCatalog(
  servers: readonly ServerDefinitions[],
  lock: Lock,
  learned: Learned = NOTHING_LEARNED,
): { readonly catalog: Catalog; readonly lock: Lock } {
  // Once: digests of ten thousand definitions take most of the time here.
  const prepared = servers.map(prepare);
  const named = assignNames(lock, prepared.filter(isEnabled).map(request));
  return { catalog: catalogOf(prepared, named, learned), lock: named };
}

function catalogOf(prepared: readonly PreparedServer[], named: Lock, learned: Learned): Catalog {
  const built = new Map<ServerName, CatalogServer>();
  for (const server of prepared) {
    const { name, purpose } = server.entry;
    const locked = named.servers.get(name);
    // A disabled server that was never synced has no names to keep, and no folder.
    if (locked === undefined) continue;
    const shapes = learned.get(name);
    const tools = server.allowed.flatMap(
      (item) => toTool(server.entry, locked, item, shapes?.get(item.key)) ?? [],
    );
    built.set(name, {
      name,
      folder: locked.folder,
      purpose,
      isEnabled: server.entry.isEnabled,
      tools: tools.toSorted((a, b) => compare(a.export, b.export)),
      ...catalogOffers(name, locked, server.entry, server.offers ?? NO_OFFERS),
      retired: retiredOf(locked, new Set(tools.map((tool) => tool.key))),
    });
  }
  for (const [name, locked] of named.servers) {
    if (built.has(name)) continue;
    const retired = retiredOf(locked, new Set());
    built.set(name, {
      name,
      folder: locked.folder,
      purpose: "",
      isEnabled: false,
      tools: [],
      ...NOTHING_ELSE,
      retired,
    });
  }
  return { servers: [...built.values()].toSorted((a, b) => compare(a.folder, b.folder)) };
}

/** True where the lock has the names of all tools already, under the same wishes of the config. */
function isNamed({ entry, allowed, offers = NO_OFFERS }: PreparedServer, lock: Lock): boolean {
  const tools = lock.servers.get(entry.name)?.tools;
  // What a server has besides tools is named in another way, and is little.
  if (tools === undefined || Object.values(offers).some((items) => items.length > 0)) return false;
  return allowed.every(({ key, raw }) => {
    const locked = tools.get(key);
    return locked !== undefined && (locked.renamed ?? raw) === entry.filter.rename(raw, "tool");
  });
}

/** A server with the definitions that its filter lets in, and their digests. */
interface PreparedServer extends ServerDefinitions {
  readonly allowed: readonly {
    readonly definition: RawTool;
    readonly key: ListingKey;
    readonly raw: RawToolName;
    readonly digest: string;
  }[];
}

function prepare(server: ServerDefinitions): PreparedServer {
  const isIn = (tool: RawTool): boolean =>
    server.entry.isEnabled && server.entry.filter.isAllowed(tool.name, "tool");
  const listed = [...listingKeys(server.tools)].filter(([, tool]) => isIn(tool));
  const allowed = listed.map(([key, definition]) => {
    // Made when it is asked for: digests of 10,000 definitions take half a second, and a listing needs none.
    let digest = server.digests?.get(definition);
    return {
      definition,
      key,
      raw: definition.name as RawToolName,
      get digest(): string {
        digest ??= definitionDigest(definition);
        return digest;
      },
    };
  });
  return { ...server, allowed };
}

function isEnabled(server: ServerDefinitions): boolean {
  return server.entry.isEnabled;
}

function request({ entry, allowed, offers }: PreparedServer): NamingRequest {
  const tools = allowed.map((item) => ({
    key: item.key,
    raw: item.raw,
    digest: item.digest,
    renamed: entry.filter.rename(item.raw, "tool"),
  }));
  return {
    name: entry.name,
    keepsDigests: entry.onChange === "hold",
    tools,
    offers: offerNamings(entry.filter, offers ?? NO_OFFERS),
  };
}

function toTool(
  { name: server, outputs, areAnnotationsTrusted }: ServerDefinitions["entry"],
  locked: LockedServer,
  item: PreparedServer["allowed"][number],
  shape: Shape | undefined,
): Tool | undefined {
  const { definition, key, raw } = item;
  const names = locked.tools.get(key);
  if (names === undefined) return undefined;
  const outputSchema = outputs.schemaOf(raw) ?? schemaOf(own(definition, "outputSchema"));
  const hints = readHints(definition, areAnnotationsTrusted);
  return {
    method: "tools/call",
    server,
    folder: locked.folder,
    raw,
    key,
    wire: names.wire,
    export: names.export,
    file: `servers/${locked.folder}/${names.export}.ts`,
    title: textOf(own(definition, "title")) || textOf(own(own(definition, "annotations"), "title")),
    description: textOf(own(definition, "description")),
    inputSchema: schemaOf(own(definition, "inputSchema")) ?? {},
    outputSchema,
    learned: outputSchema === undefined ? learnedSchema(outputs.learning(raw), shape) : undefined,
    risk: riskOf(hints),
    hints,
    definition,
    get digest(): string {
      return item.digest;
    },
  };
}

/** A tool as its server defines it now; names stay, and so does a schema of answers that is the config's own. */
export function withDefinition(tool: Tool, definition: RawTool, areAnnotationsTrusted: boolean): Tool {
  const hints = readHints(definition, areAnnotationsTrusted);
  const isOwnOutput = tool.outputSchema !== schemaOf(own(tool.definition, "outputSchema"));
  return {
    ...tool,
    inputSchema: schemaOf(own(definition, "inputSchema")) ?? {},
    outputSchema: isOwnOutput ? tool.outputSchema : schemaOf(own(definition, "outputSchema")),
    risk: riskOf(hints),
    hints,
    definition,
    digest: definitionDigest(definition),
  };
}

/** Nothing where the config wants nothing learned, and where answers told nothing: an empty list is no type. */
function learnedSchema({ isOn, enums }: Learning, shape: Shape | undefined): Json | undefined {
  if (!isOn || shape === undefined) return undefined;
  const schema = shapeToSchema(keepTexts(shape, enums));
  return schema === true ? undefined : schema;
}

function retiredOf(locked: LockedServer, listed: ReadonlySet<ListingKey>): readonly RetiredTool[] {
  return Array.from(locked.tools, ([key, { wire, export: name }]) => ({ key, wire, export: name }))
    .filter((tool) => !listed.has(tool.key))
    .toSorted((a, b) => compare(a.export, b.export));
}

function textOf(value: Json | undefined): string {
  return typeof value === "string" ? value : "";
}

/** An object or a boolean is a JSON Schema; anything else is not. */
function schemaOf(value: Json | undefined): Json | undefined {
  return isJsonObject(value) || typeof value === "boolean" ? value : undefined;
}
