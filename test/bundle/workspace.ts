import { mkdir, mkdtemp, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import type { BundleWorld } from "../../src/bundle/world.ts";

/** Files of a small workspace, written by hand: most wrappers as a person would, one in the form that the renderer gives them. */
const WORKSPACE_FILES: Readonly<Record<string, string>> = {
  "client.ts": [
    "export const callMCPTool: <T>(name: string, args?: object) => Promise<T> = (globalThis as any).callMCPTool;",
    "export const MCPToolError = (globalThis as any).MCPToolError;",
    "export const mcp = { callTool: callMCPTool };",
    "",
  ].join("\n"),
  "servers/google-drive/index.ts":
    'export { getDocument } from "./getDocument.ts";\nexport { getSheet } from "./getSheet.ts";\n',
  "servers/google-drive/getDocument.ts": wrapper(
    "google_drive__get_document",
    "getDocument",
    "../../../client.js",
  ),
  "servers/google-drive/getSheet.ts": wrapper("google_drive__get_sheet", "getSheet", "../../client.ts"),
  "servers/salesforce/index.ts":
    'export { query } from "./query.ts";\nexport { updateRecord } from "./updateRecord.ts";\n',
  "servers/salesforce/query.ts": wrapper("salesforce__query", "query", "../../client.ts"),
  "servers/salesforce/updateRecord.ts": wrapper(
    "salesforce__update_record",
    "updateRecord",
    "../../client.ts",
  ),
  "servers/slack/index.ts": 'export { getChannelHistory } from "./getChannelHistory.ts";\n',
  "servers/slack/getChannelHistory.ts": wrapper(
    "slack__get_channel_history",
    "getChannelHistory",
    "../../client.ts",
  ),
  "servers/logging/index.ts": 'export { getLogs } from "./getLogs.ts";\n',
  "servers/logging/getLogs.ts": `export interface LogEntry { timestamp: string; message: string; level: string }
/** Does what its name says. */
export const getLogs = tool<Record<string, unknown>>("logging__get_logs")
`,
  "servers/ticketing/index.ts": 'export { createIssue } from "./createIssue.ts";\n',
  "servers/ticketing/createIssue.ts": wrapper("ticketing__create_issue", "createIssue", "../../client.ts"),
};

function wrapper(wire: string, name: string, client: string): string {
  return [
    `import { callMCPTool } from ${JSON.stringify(client)};`,
    "",
    "/** Does what its name says. Risk: unstated. */",
    `export async function ${name}(input: Record<string, unknown> = {}): Promise<any> {`,
    `  return callMCPTool<any>(${JSON.stringify(wire)}, input);`,
    "}",
    "",
  ].join("\n");
}

/** Makes a workspace on disk. `remove` deletes it, and what lies beside it. */
export async function makeWorkspace(
  files: Readonly<Record<string, string>> = {},
): Promise<{ root: string; outside: string; remove: () => Promise<void> }> {
  const base = await realpath(await mkdtemp(join(tmpdir(), "mcpfs-bundle-")));
  const root = join(base, "workspace root");
  const outside = join(base, "outside");
  await mkdir(outside);
  for (const [path, text] of Object.entries({ ...WORKSPACE_FILES, ...files })) {
    await mkdir(dirname(join(root, path)), { recursive: true });
    await writeFile(join(root, path), text);
  }
  return { root, outside, remove: () => rm(base, { recursive: true, force: true }) };
}

/** What the catalog would say of {@link WORKSPACE_FILES}; `legacy` is a server that the config knows and that has no files. */
export function worldOf(root: string, changes: Partial<BundleWorld> = {}): BundleWorld {
  const flatNames = new Map<string, { file: string; export: string }>();
  const folders = new Set(["legacy"]);
  for (const file of Object.keys(WORKSPACE_FILES)) {
    const [, folder, leaf] = /^servers\/([^/]+)\/(.+)\.ts$/.exec(file) ?? [];
    if (folder === undefined || leaf === undefined) continue;
    folders.add(folder);
    if (leaf !== "index") flatNames.set(`${folder.replaceAll("-", "_")}_${leaf}`, { file, export: leaf });
  }
  return {
    root,
    flatNames,
    retired: new Map([
      ["salesforce", [{ export: "upsertRecord", wire: "salesforce__upsert_record" }]],
      ["legacy", [{ export: "ping", wire: "legacy__ping" }]],
    ]),
    hidden: new Set(),
    reader: "shell",
    folders: [...folders],
    closed: new Set(["legacy"]),
    nearest: (folder) =>
      [...flatNames.values()]
        .filter((tool) => tool.file.startsWith(`servers/${folder}/`))
        .map((tool) => tool.export),
    maxBytes: 8 * 1024 * 1024,
    ...changes,
  };
}
