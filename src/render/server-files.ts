import type { CatalogServer, Problem, Tool } from "../model/tool.ts";
import { extractWrapperText, isExtract } from "./extract-wrapper.ts";
import { promptsText } from "./prompts-file.ts";
import { resourcesText } from "./resources-file.ts";
import { serverIndexText } from "./server-index.ts";
import { suspicionsOf } from "./suspicious-text.ts";
import { toolTypes } from "./tool-types.ts";
import { wrapperText } from "./wrapper.ts";

/**
 * Texts of one server's folder, by path below the workspace (with slashes): `index.ts`, one file a tool, and `resources.ts` and
 * `prompts.ts` where it has any. Same in,
 * same bytes out. Never throws for an odd schema: what cannot be said becomes `unknown`, and a problem says why.
 * A disabled server has no files.
 */
export async function renderServer(
  server: CatalogServer,
): Promise<{ readonly files: ReadonlyMap<string, string>; readonly problems: readonly Problem[] }> {
  const files = new Map<string, string>();
  const problems: Problem[] = [];
  if (!server.isEnabled) return { files, problems };
  const entries: { tool: Tool; typeNames: readonly string[] }[] = [];
  const printed = await toolTypes(server.tools);
  for (const [index, tool] of server.tools.entries()) {
    const types = printed[index];
    if (types === undefined) continue;
    const isOwn = isExtract(tool);
    files.set(tool.file, isOwn ? extractWrapperText(tool) : wrapperText(tool, types));
    entries.push({ tool, typeNames: isOwn ? [] : types.names });
    const messages = [...types.messages, ...suspicionsOf(tool.definition)];
    for (const message of messages) problems.push({ server: tool.server, tool: tool.raw, message });
  }
  const path = pathsIn(server);
  if (server.resources !== undefined) files.set(path.resources, resourcesText(server.resources));
  if (server.prompts.length > 0) {
    const promptTypes = await toolTypes(server.prompts);
    files.set(path.prompts, promptsText(server.prompts, promptTypes));
  }
  files.set(path.index, serverIndexText(entries, server));
  return { files, problems };
}

/** The paths of what {@link renderServer} makes, without making it. */
export function serverFilePaths(server: CatalogServer): readonly string[] {
  if (!server.isEnabled) return [];
  const path = pathsIn(server);
  return [
    ...server.tools.map(({ file }) => file),
    ...(server.resources === undefined ? [] : [path.resources]),
    ...(server.prompts.length === 0 ? [] : [path.prompts]),
    path.index,
  ];
}

function pathsIn({ folder }: CatalogServer): Readonly<Record<"resources" | "prompts" | "index", string>> {
  const below = `servers/${folder}`;
  return {
    resources: `${below}/resources.ts`,
    prompts: `${below}/prompts.ts`,
    index: `${below}/index.ts`,
  };
}
