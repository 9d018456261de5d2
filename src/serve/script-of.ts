import { McpfsError } from "../kernel/errors.ts";
import type { JsonObject } from "../kernel/json.ts";
import type { ScriptSource } from "../model/bundle.ts";
import type { TreeFiles } from "./tree-files.ts";

/** The script that a client hands over as `code`, or names by its `path`. @throws McpfsError ARGUMENTS_INVALID unless it is one of the two */
export async function scriptOf(
  args: JsonObject,
  files: TreeFiles,
  client: Parameters<TreeFiles["read"]>[1],
): Promise<ScriptSource> {
  const { code, path } = args as { code?: string; path?: string };
  if ((code === undefined) === (path === undefined))
    throw new McpfsError("ARGUMENTS_INVALID", "Give the script as code or as path, one of the two.", {
      hint: 'For example {"code": "export default 6 * 7"}.',
    });
  if (path === undefined) return { path: undefined, name: "script.ts", text: code ?? "" };
  const file = await files.read(path, client);
  if (file.text === undefined)
    throw new McpfsError("ARGUMENTS_INVALID", `${file.path} is not a text file.`, {
      hint: "A script is TypeScript or JavaScript in UTF-8.",
    });
  return { path: file.absolute, name: file.path, text: file.text };
}
