import { McpfsError } from "../kernel/errors.ts";
import type { JsonObject } from "../kernel/json.ts";
import { oneLine } from "../kernel/text.ts";
import type { ServedResource, ServedResources } from "../protocol/served.ts";
import type { Client } from "./clients.ts";
import type { TreeFiles } from "./tree-files.ts";

/** The tree, AGENTS.md and the skills as resources; every other visible file by the template. */
export function treeResources(files: TreeFiles, client: Client): ServedResources {
  return {
    list: async (cursor) => {
      const after = cursor === undefined ? "" : pathOf(cursor);
      const paths = (await files.paths(client)).filter((path) => path > after);
      const page = paths.slice(0, PAGE);
      const last = page.at(-1);
      return {
        items: page.map(resourceOf),
        ...(paths.length > page.length && last !== undefined ? { nextCursor: resourceUri(last) } : {}),
      };
    },
    templates: [
      {
        uriTemplate: "mcpfs:///{+path}",
        name: "file",
        title: "A file of the workspace",
        description: "AGENTS.md, servers/…, skills/…, workspace/…",
      },
    ],
    read: async (uri) => {
      const { path, bytes, text } = await files.read(pathOf(uri), client);
      const mimeType = mimeTypeOf(path, text !== undefined);
      return [
        text === undefined ? { uri, mimeType, blob: bytes.toString("base64") } : { uri, mimeType, text },
      ];
    },
  };
}

const PAGE = 500;
const SCHEME = "mcpfs:///";

/** The address of a file by its slashed path below the workspace. */
export function resourceUri(path: string): string {
  return `${SCHEME}${path.split("/").map(encodeURIComponent).join("/")}`;
}

/** A link to a file, as a block of an answer. */
export function resourceLink(path: string, description: string): JsonObject {
  return { type: "resource_link", ...resourceOf(path), description };
}

function resourceOf(path: string): ServedResource {
  return { uri: resourceUri(path), name: path, mimeType: mimeTypeOf(path, true) };
}

/** @throws McpfsError FILE_FAILED */
function pathOf(uri: string): string {
  try {
    if (uri.startsWith(SCHEME)) return decodeURIComponent(uri.slice(SCHEME.length));
  } catch {
    // Reported below: a percent sign that begins nothing.
  }
  throw new McpfsError("FILE_FAILED", `There is no resource ${oneLine(uri, 200)}.`, {
    hint: "Addresses look like mcpfs:///servers/README.md.",
  });
}

const MIME_TYPES: ReadonlyMap<string, string> = new Map([
  ["md", "text/markdown"],
  ["ts", "text/typescript"],
  ["js", "text/javascript"],
  ["json", "application/json"],
  ["csv", "text/csv"],
  ["html", "text/html"],
  ["png", "image/png"],
  ["jpg", "image/jpeg"],
  ["pdf", "application/pdf"],
]);

function mimeTypeOf(path: string, isText: boolean): string {
  const known = MIME_TYPES.get(path.slice(path.lastIndexOf(".") + 1).toLowerCase());
  return known ?? (isText ? "text/plain" : "application/octet-stream");
}
