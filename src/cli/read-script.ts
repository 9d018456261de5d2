import { readFile } from "node:fs/promises";
import { resolve } from "node:path";
import { McpfsError } from "../kernel/errors.ts";
import type { ScriptSource } from "../model/bundle.ts";
import type { CliContext } from "./cli-context.ts";
import { readStdin } from "./io.ts";

/** The script that the command line names; `-` is standard input. @throws McpfsError USAGE */
export async function readScript(cli: CliContext, script: string): Promise<ScriptSource> {
  if (script === "-") return { path: undefined, name: "<stdin>", text: await readStdin(cli.io) };
  const path = resolve(cli.io.cwd, script);
  try {
    return { path, name: script, text: await readFile(path, "utf8") };
  } catch (error) {
    throw new McpfsError("USAGE", `The script ${script} cannot be read.`, {
      hint: "Name a file that exists, or - for standard input.",
      cause: error,
    });
  }
}
