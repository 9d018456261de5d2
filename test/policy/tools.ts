import { readHints, riskOf } from "../../src/catalog/hints.ts";
import type { Json } from "../../src/kernel/json.ts";
import type { Tool } from "../../src/model/tool.ts";
import { makeTool } from "../support/make-tool.ts";

/** A tool of `crm` with annotations, read as the catalog reads them. */
export function toolWith(name: string, annotations?: Json): Tool {
  const tool = makeTool("crm", name, annotations === undefined ? {} : { annotations });
  const hints = readHints(tool.definition, true);
  return { ...tool, hints, risk: riskOf(hints) };
}
