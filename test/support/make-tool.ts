import { readHints } from "../../src/catalog/hints.ts";
import { digestJson } from "../../src/kernel/digest.ts";
import type { Json } from "../../src/kernel/json.ts";
import type {
  ExportName,
  FolderName,
  ListingKey,
  RawToolName,
  ServerName,
  WireName,
} from "../../src/model/names.ts";
import type { RawTool, Risk, Tool } from "../../src/model/tool.ts";

/** A tool of the catalog for tests of one module, with only what the test is about given. */
export function makeTool(
  server: string,
  raw: string,
  given: {
    readonly inputSchema?: Json;
    readonly outputSchema?: Json;
    readonly risk?: Risk;
    readonly annotations?: Json;
    readonly description?: string;
  } = {},
): Tool {
  const {
    inputSchema = { type: "object" },
    outputSchema,
    risk = "unstated",
    annotations,
    description = "",
  } = given;
  const definition: RawTool = {
    name: raw,
    inputSchema,
    ...(outputSchema === undefined ? {} : { outputSchema }),
    ...(annotations === undefined ? {} : { annotations }),
  };
  return {
    method: "tools/call",
    server: server as ServerName,
    folder: server as FolderName,
    raw: raw as RawToolName,
    key: raw as ListingKey,
    wire: `${server}__${raw}` as WireName,
    export: raw as ExportName,
    file: `servers/${server}/${raw}.ts`,
    title: "",
    description,
    inputSchema,
    outputSchema,
    learned: undefined,
    risk,
    hints: readHints(definition, true),
    definition,
    digest: digestJson(definition),
  };
}
