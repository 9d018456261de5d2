import type { Lookup } from "../../catalog/lookup.ts";
import type { ServerName } from "../../model/names.ts";
import type { Catalog } from "../../model/tool.ts";
import type { ClientTree } from "./client-tree.ts";

/** A workspace as one caller gets it. */
export interface View {
  /** All that the caller can name. The workspace's agent can name denied tools too, and hears that they are; for a client they are not there. */
  readonly catalog: Catalog;
  readonly lookup: Lookup;
  /** Servers that are on and were never synced: the catalog has no tool of theirs. */
  readonly unsynced: readonly ServerName[];
  /** The same without the tools that policy denies to the caller: what is listed, found and imported. */
  readonly visible: Pick<View, "catalog" | "lookup">;
  readonly tree: ClientTree;
}
