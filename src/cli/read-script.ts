import { open } from "node:fs/promises";
import { resolve } from "node:path";
import { McpfsError, systemCode } from "../kernel/errors.ts";
import { oneLine } from "../kernel/text.ts";
import type { ScriptSource } from "../model/bundle.ts";
import type { CliContext } from "./cli-context.ts";

/** No script is so long; a device that never ends (`/dev/zero`) must not fill the memory. */
const MAX_BYTES = 64 * 1024 * 1024;

/** The script that the command line names; `-` is standard input. @throws McpfsError USAGE */
export async function readScript(cli: CliContext, script: string): Promise<ScriptSource> {
  if (script === "-") {
    const name = "<stdin>";
    return { path: undefined, name, text: await textOf(cli.io.stdin, name) };
  }
  const path = resolve(cli.io.cwd, script);
  try {
    await using file = await open(path);
    return { path, name: script, text: await textOf(file.createReadStream({ autoClose: false }), script) };
  } catch (error) {
    if (error instanceof McpfsError) throw error;
    throw new McpfsError(
      "USAGE",
      REASONS.get(systemCode(error))?.(shown(script)) ?? unreadable(script, error),
      {
        hint: "Name a .ts or .js file, or - for standard input.",
        cause: error,
      },
    );
  }
}

const REASONS: ReadonlyMap<string, (script: string) => string> = new Map([
  ["ENOENT", (script) => `There is no file ${script}.`],
  ["ENOTDIR", (script) => `There is no file ${script}.`],
  ["EISDIR", (script) => `${script} is a folder, not a script.`],
  ["EACCES", (script) => `The script ${script} may not be read by this user.`],
]);

function unreadable(script: string, error: unknown): string {
  return `The script ${shown(script)} cannot be read (${systemCode(error) || String(error)}).`;
}

/** The whole of a stream as text, without the mark that some editors put in front. */
async function textOf(stream: AsyncIterable<unknown>, name: string): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of stream) {
    const piece = Buffer.from(chunk as Uint8Array);
    bytes += piece.length;
    if (bytes > MAX_BYTES)
      throw new McpfsError("USAGE", `${shown(name)} holds more than ${MAX_BYTES / 1024 / 1024} MiB.`, {
        hint: "A script is a small text file; data belongs into ./workspace/.",
      });
    chunks.push(piece);
  }
  const whole = Buffer.concat(chunks);
  try {
    const text = new TextDecoder("utf-8", { fatal: true }).decode(whole);
    if (!text.includes("\0")) return text;
  } catch {
    // Reported below: bytes that are no UTF-8.
  }
  throw new McpfsError("USAGE", `${shown(name)} is not a text file in UTF-8.`, {
    hint: "Name a .ts or .js file; save it as UTF-8 where an editor wrote another encoding.",
  });
}

function shown(name: string): string {
  return oneLine(name, 200);
}
