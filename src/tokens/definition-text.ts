import { stringifyJson } from "../kernel/json.ts";
import type { Tool } from "../model/tool.ts";

/** A definition as a request to a model carries it: what direct calls cost for each tool, before the first call. */
export function definitionText({ wire, description, inputSchema }: Tool): string {
  return stringifyJson({ name: wire, description, input_schema: inputSchema });
}
