import { hasHiddenText } from "../kernel/text.ts";
import type { CatalogServer, Problem, Tool } from "../model/tool.ts";
import { promptsText } from "./prompts-file.ts";
import { resourcesText } from "./resources-file.ts";
import { serverIndexText } from "./server-index.ts";
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
    files.set(tool.file, wrapperText(tool, types));
    entries.push({ tool, typeNames: types.names });
    const messages = [...types.messages, ...suspicions(tool)];
    for (const message of messages) problems.push({ server: tool.server, tool: tool.raw, message });
  }
  if (server.resources !== undefined)
    files.set(`servers/${server.folder}/resources.ts`, resourcesText(server.resources));
  if (server.prompts.length > 0) {
    const promptTypes = await toolTypes(server.prompts);
    files.set(`servers/${server.folder}/prompts.ts`, promptsText(server.prompts, promptTypes));
  }
  files.set(`servers/${server.folder}/index.ts`, serverIndexText(entries, server));
  return { files, problems };
}

function suspicions(tool: Tool): readonly string[] {
  return hasHiddenText(textsOf(tool.definition).join("\n"))
    ? ["The definition holds characters that a reader does not see; they are shown as \\u{…}."]
    : [];
}

/** All strings of a definition, keys included. */
function textsOf(root: unknown): readonly string[] {
  const texts: string[] = [];
  const open: unknown[] = [root];
  while (open.length > 0) {
    const value = open.pop();
    if (typeof value === "string") texts.push(value);
    else if (typeof value === "object" && value !== null)
      for (const [key, item] of Object.entries(value)) {
        texts.push(key);
        open.push(item);
      }
  }
  return texts;
}
