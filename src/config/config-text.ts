import { readFile } from "node:fs/promises";
import { McpfsError, systemCode } from "../kernel/errors.ts";

/**
 * The text of a config file, or `undefined` where there is none.
 * @throws McpfsError CONFIG_INVALID when it cannot be read or is UTF-16
 */
export async function readConfigText(path: string): Promise<string | undefined> {
  let bytes: Buffer;
  try {
    bytes = await readFile(path);
  } catch (error) {
    if (systemCode(error) === "ENOENT" || systemCode(error) === "ENOTDIR") return undefined;
    throw new McpfsError(
      "CONFIG_INVALID",
      `${path} cannot be read (${systemCode(error) || "unknown error"}).`,
      {
        hint: "It must be a file that this user may read.",
        data: { path },
        cause: error,
      },
    );
  }
  // `echo {} > mcpfs.json` in an older PowerShell.
  if ((bytes[0] === 0xff && bytes[1] === 0xfe) || (bytes[0] === 0xfe && bytes[1] === 0xff)) {
    throw new McpfsError("CONFIG_INVALID", `${path}:1:1: The file must be UTF-8, not UTF-16.`, {
      hint: "Save it again as UTF-8.",
      data: { path, line: 1, column: 1 },
    });
  }
  return bytes.toString("utf8");
}
