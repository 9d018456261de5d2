import type { Json, JsonObject } from "../kernel/json.ts";
import type { ExportName, FolderName, ListingKey, RawToolName, ServerName, WireName } from "./names.ts";
import type { RawResource, RawTemplate } from "./offers.ts";

/** What a tool may do, from its annotations: claims of its server. `unstated` where it makes none. */
export type Risk = "read" | "write" | "destructive" | "unstated";

/** What a server claims of a tool with the hints of its `annotations`. Empty where it claims nothing, or is not believed. */
export interface Hints {
  readonly readOnly?: boolean;
  readonly destructive?: boolean;
  readonly idempotent?: boolean;
  readonly openWorld?: boolean;
}

/** The request that a call becomes. All but the first are made of what a server offers besides tools. */
export type CallMethod = "tools/call" | "resources/read" | "resources/list" | "prompts/get";

/** One tool as its server listed it, with a usable name and nothing else changed: untrusted data. */
export interface RawTool extends JsonObject {
  readonly name: string;
}

/** One tool of the catalog: the raw definition, and the names that mcpfs gave it. */
export interface Tool {
  readonly method: CallMethod;
  readonly server: ServerName;
  readonly folder: FolderName;
  /** What the server calls it; goes out in `tools/call`. */
  readonly raw: RawToolName;
  /** What the lock calls it. */
  readonly key: ListingKey;
  readonly wire: WireName;
  readonly export: ExportName;
  /** Path of the wrapper below the workspace, with slashes: `servers/crm/getContact.ts`. */
  readonly file: string;
  /** As received; empty where the server gives none. */
  readonly title: string;
  /** As received; empty where the server gives none. */
  readonly description: string;
  /** JSON Schema of the arguments; anything that is not a schema has become `{}`. */
  readonly inputSchema: Json;
  /** JSON Schema of the value: the config's own, else the server's of `structuredContent`; `undefined` where neither says. */
  readonly outputSchema: Json | undefined;
  /** JSON Schema of what answers looked like, where there is no `outputSchema` and something was learned. Promised by nobody. */
  readonly learned: Json | undefined;
  readonly risk: Risk;
  readonly hints: Hints;
  readonly definition: RawTool;
  /** Digest of the definition, independent of key order: 64 hexadecimal characters. */
  readonly digest: string;
}

/** A name that the lock keeps for a tool that its server no longer lists, or that is filtered out. */
export interface RetiredTool {
  readonly key: ListingKey;
  readonly wire: WireName;
  readonly export: ExportName;
}

/** One server of the catalog with its tools, sorted by export name. */
export interface CatalogServer {
  readonly name: ServerName;
  readonly folder: FolderName;
  /** One line that says what the server is for, from our config; empty where it gives none. */
  readonly purpose: string;
  readonly isEnabled: boolean;
  readonly tools: readonly Tool[];
  /** Undefined where it offers none, or the config denies them all. */
  readonly resources: CatalogResources | undefined;
  /** Called like tools, with their arguments; sorted by export name. */
  readonly prompts: readonly Tool[];
  readonly retired: readonly RetiredTool[];
}

/** The resources of a server that the config lets in. */
export interface CatalogResources {
  /** Called with `{uri}`: reads a resource. */
  readonly read: Tool;
  /** Called without arguments: what the server lists at that moment. */
  readonly list: Tool;
  /** Sorted by URI. */
  readonly listed: readonly RawResource[];
  /** Sorted by export name. */
  readonly templates: readonly { readonly export: ExportName; readonly template: RawTemplate }[];
  /** True for a resource that the config allows: by the name it is listed under, by its template's, or else by its URI. */
  readonly isReadable: (uri: string) => boolean;
}

/** All servers and tools of a workspace, sorted by folder: what the tree, search, bundler and broker work from. */
export interface Catalog {
  readonly servers: readonly CatalogServer[];
}

/** Something odd in a definition that cost nothing else: shown by `sync` as a warning. */
export interface Problem {
  readonly server: ServerName;
  /** Raw name of the tool, where one tool is concerned. */
  readonly tool?: string;
  /** A sentence. */
  readonly message: string;
}
