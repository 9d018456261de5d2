import type { JsonObject } from "../kernel/json.ts";
import type { ServerEntry } from "../model/server-entry.ts";

/**
 * What mcpfs declares to a server that it can do. It depends on the config alone and not on who runs the command: what is
 * declared changes what servers list (server-everything has 13 to 17 tools), and the tree must be the same from a terminal and in
 * CI. So questions are always declared and, where nobody can answer, declined with a reason. Part of any cache's key.
 */
export function declaredCapabilities(entry: Pick<ServerEntry, "sharesRoots" | "sampling">): JsonObject {
  return {
    elicitation: { form: {}, url: {} },
    ...(entry.sharesRoots ? { roots: {} } : {}),
    ...(entry.sampling === undefined ? {} : { sampling: {} }),
  };
}
