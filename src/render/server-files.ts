import type { CatalogServer, Problem, Tool } from "../model/tool.ts";
import { serverIndexText } from "./server-index.ts";
import { suspicionsOf } from "./suspicious-text.ts";
import { toolTypes } from "./tool-types.ts";
import { wrapperText } from "./wrapper.ts";

/**
 * Texts of one server's folder, by path below the workspace (with slashes): `index.ts` and one file a tool. Same in,
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
    files.set(tool.file, wrapperText(tool, types));
    entries.push({ tool, typeNames: types.names });
    const messages = [...types.messages, ...suspicionsOf(tool.definition)];
    for (const message of messages) problems.push({ server: tool.server, tool: tool.raw, message });
  }
  files.set(`servers/${server.folder}/index.ts`, serverIndexText(entries));
  return { files, problems };
}
