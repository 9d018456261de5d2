import type { Json } from "../../kernel/json.ts";
import type { SearchHit } from "../../model/search.ts";
import type { Permission } from "../../policy/decision.ts";

/** A search hit as the built-in server answers it to a script. @param detail `full` adds the signature */
export async function hit(
  { tool, score }: SearchHit,
  permission: Permission,
  detail: "brief" | "full",
): Promise<Json> {
  const { server, raw, wire, export: name, file, title, description, risk } = tool;
  const brief = { server, tool: raw, wire, name, file, title, description, risk, permission, score };
  if (detail === "brief") return brief;
  const { renderSignature } = await import("../../render/signature.ts");
  return { ...brief, signature: await renderSignature(tool) };
}
