import type { ServerDefinitions } from "../../src/catalog/build.ts";
import { normalizeTools } from "../../src/catalog/normalize.ts";
import { createOutputRules } from "../../src/config/output-rules.ts";
import type { Json } from "../../src/kernel/json.ts";
import type { ServerName } from "../../src/model/names.ts";

/** A server of the config with the definitions that it lists; a text stands for a tool of that name. */
export function server(
  name: string,
  tools: readonly Json[],
  entry: {
    readonly isEnabled?: boolean;
    readonly purpose?: string;
    readonly deny?: readonly string[];
    readonly rename?: Readonly<Record<string, string>>;
    readonly learn?: boolean;
    readonly tools?: NonNullable<Parameters<typeof createOutputRules>[0]["tools"]>;
  } = {},
): ServerDefinitions {
  const listed = tools.map((tool) => (typeof tool === "string" ? { name: tool } : tool));
  return {
    entry: {
      name: name as ServerName,
      isEnabled: entry.isEnabled ?? true,
      purpose: entry.purpose ?? "",
      filter: {
        isAllowed: (tool) => !(entry.deny ?? []).includes(tool),
        rename: (tool) => entry.rename?.[tool] ?? tool,
      },
      outputs: createOutputRules(entry),
      areAnnotationsTrusted: true,
    },
    tools: normalizeTools(name as ServerName, listed).tools,
  };
}
