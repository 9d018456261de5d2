import { digestText } from "../../src/kernel/digest.ts";
import type { Json } from "../../src/kernel/json.ts";
import type {
  ExportName,
  FolderName,
  ListingKey,
  RawToolName,
  ServerName,
  WireName,
} from "../../src/model/names.ts";
import type { CatalogServer, RawTool, Risk, Tool } from "../../src/model/tool.ts";

/** A tool of server `s`, as the catalog would hold it; names are made as simply as the tests need. */
export function toolOf(options: {
  readonly name?: string;
  readonly export?: string;
  readonly folder?: string;
  readonly description?: string;
  readonly input?: Json;
  readonly output?: Json;
  readonly learned?: Json;
  readonly risk?: Risk;
}): Tool {
  const name = options.name ?? "get";
  const exportName = options.export ?? camelCase(name);
  const folder = options.folder ?? "s";
  const definition: RawTool = {
    name,
    description: options.description ?? "",
    inputSchema: options.input ?? {},
    ...(options.output === undefined ? {} : { outputSchema: options.output }),
  };
  return {
    method: "tools/call",
    server: folder as ServerName,
    folder: folder as FolderName,
    raw: name as RawToolName,
    key: name as ListingKey,
    wire: `${folder}__${name}`.replace(/\W/g, "_") as WireName,
    export: exportName as ExportName,
    file: `servers/${folder}/${exportName}.ts`,
    title: "",
    description: options.description ?? "",
    inputSchema: options.input ?? {},
    outputSchema: options.output,
    learned: options.learned,
    risk: options.risk ?? "unstated",
    hints: {},
    definition,
    digest: digestText(name),
  };
}

export function serverOf(tools: readonly Tool[], folder: string = "s", purpose: string = ""): CatalogServer {
  return {
    name: folder as ServerName,
    folder: folder as FolderName,
    purpose,
    isEnabled: true,
    tools,
    resources: undefined,
    prompts: [],
    retired: [],
  };
}

function camelCase(name: string): string {
  const [first = "tool", ...others] = name.split(/[^A-Za-z0-9]+/).filter((word) => word !== "");
  return (
    first.charAt(0).toLowerCase() +
    first.slice(1) +
    others.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join("")
  );
}
