import type { Json } from "../kernel/json.ts";
import type { SearchHit } from "../model/search.ts";
import type { Permission } from "../policy/policy.ts";

/** A search hit as the built-in server answers it to a script. */
export function hit({ tool, score }: SearchHit, permission: Permission): Json {
  const { server, raw, wire, export: name, file, title, description, risk } = tool;
  return { server, tool: raw, wire, name, file, title, description, risk, permission, score };
}
