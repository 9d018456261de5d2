import { McpfsError } from "../kernel/errors.ts";
import { matchGlob } from "../kernel/glob.ts";

/** A pattern of tools as people write it: `crm/delete_*`. Each part meets its own name, so that no name can reach over the slash. */
export interface ToolPattern {
  readonly text: string;
  readonly matches: (tool: { readonly server: string; readonly raw: string }) => boolean;
}

/** Parses `server/tool` with `*` and `?` in both parts. @throws McpfsError USAGE */
export function parseToolPattern(text: string): ToolPattern {
  const slash = text.indexOf("/");
  const [server, tool] = [text.slice(0, Math.max(slash, 0)), text.slice(slash + 1)];
  if (slash === -1 || server === "" || tool === "") {
    throw new McpfsError("USAGE", `A pattern of tools is server/tool, not ${JSON.stringify(text)}.`, {
      hint: "Write crm/delete_lead, crm/* or */get_*.",
    });
  }
  return {
    text,
    matches: (asked) =>
      matchGlob(server, asked.server) !== undefined && matchGlob(tool, asked.raw) !== undefined,
  };
}
