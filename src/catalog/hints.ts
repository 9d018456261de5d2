import { own } from "../kernel/json.ts";
import type { Hints, RawTool, Risk } from "../model/tool.ts";

/**
 * What a server claims of a tool (MCP, server/tools, `annotations`). Only true and false count: a hint that is a text is none.
 * @param areTrusted false: the config does not believe this server, and its claims are as if they were not there
 */
export function readHints(definition: RawTool, areTrusted: boolean): Hints {
  if (!areTrusted) return {};
  const annotations = own(definition, "annotations");
  const claimed = NAMES.flatMap((name) => {
    const value = own(annotations, `${name}Hint`);
    return typeof value === "boolean" ? [[name, value] as const] : [];
  });
  return Object.fromEntries(claimed);
}

const NAMES = ["readOnly", "destructive", "idempotent", "openWorld"] as const;

/**
 * What a tool may do, by its claims. Where it gives hints but not `destructiveHint`, the specification's defaults hold: not
 * read-only, and then destructive. `idempotentHint` and `openWorldHint` alone count as hints.
 */
export function riskOf(hints: Hints): Risk {
  if (hints.readOnly === true) return "read";
  if (hints.destructive !== undefined) return hints.destructive ? "destructive" : "write";
  return Object.keys(hints).length > 0 ? "destructive" : "unstated";
}
