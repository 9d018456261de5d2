/** Strings that look alike and must not be mixed. Each brand is made in one place. */
declare const brand: unique symbol;
type Brand<Name extends string> = string & { readonly [brand]: Name };

/** The key of a server in `mcpfs.json`. Made by the config's parser. */
export type ServerName = Brand<"ServerName">;
/** A tool's name exactly as its server lists it: untrusted, any text. Made when a list is normalised. */
export type RawToolName = Brand<"RawToolName">;
/** What the lock calls a tool of a server: its raw name; `name#2` for a second definition under the same name. Made by the catalog. */
export type ListingKey = Brand<"ListingKey">;
/** The name by which a tool is called through the door, unique in a workspace: `google_drive__get_document`. Made by naming. */
export type WireName = Brand<"WireName">;
/** The identifier that a wrapper exports, and its file's name: `getDocument`. Made by naming. */
export type ExportName = Brand<"ExportName">;
/** A server's folder below `servers/`. Made by naming. */
export type FolderName = Brand<"FolderName">;

/** The key that no config may use: the built-in server's. */
export const BUILTIN_SERVER = "mcpfs" as ServerName;
