import type { ListingKey, ServerName } from "../model/names.ts";
import type { Shape } from "./shape.ts";

/** The shapes of a workspace's tools, as `mcpfs.learned.json` holds them: by server, and what the lock calls the tool. */
export type Learned = ReadonlyMap<ServerName, ReadonlyMap<ListingKey, Shape>>;

/** Of a workspace where nothing was learned. */
export const NOTHING_LEARNED: Learned = new Map();
