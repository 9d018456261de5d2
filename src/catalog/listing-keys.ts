import type { ListingKey } from "../model/names.ts";
import type { RawTool } from "../model/tool.ts";

/**
 * The definitions of one server by the keys under which the lock knows them. A server may list one name twice with different
 * definitions (`mcp-arr-server` does, for two of its tools): a call cannot tell them apart, but neither definition is lost. The
 * first one has the raw name as its key, the next ones `name#2`, `name#3`, as far as no tool is really called so.
 */
export function listingKeys(tools: readonly RawTool[]): ReadonlyMap<ListingKey, RawTool> {
  const names = new Set(tools.map((tool) => tool.name));
  const keyed = new Map<ListingKey, RawTool>();
  for (const tool of tools) {
    let key = tool.name;
    for (
      let attempt = 2;
      keyed.has(key as ListingKey) || (key !== tool.name && names.has(key));
      attempt += 1
    ) {
      key = `${tool.name}#${attempt}`;
    }
    keyed.set(key as ListingKey, tool);
  }
  return keyed;
}
