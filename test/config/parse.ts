import type { ReferencedFiles } from "../../src/config/entry-reader.ts";
import { type Config, parseConfig } from "../../src/config/parse-config.ts";
import type { ServerEntry } from "../../src/model/server-entry.ts";

/** A world of its own for the pure parser: a root that does not exist, and only the variables of the test. */
export function parse(
  text: string,
  options: {
    readonly env?: Readonly<Record<string, string | undefined>>;
    readonly platform?: NodeJS.Platform;
    readonly files?: Partial<ReferencedFiles>;
  } = {},
): Config {
  const isWindows = options.platform === "win32";
  const root = isWindows ? "C:\\w" : "/w";
  return parseConfig(text, {
    root,
    path: isWindows ? "C:\\w\\mcpfs.json" : "/w/mcpfs.json",
    env: options.env ?? {},
    platform: options.platform ?? "linux",
    homeDir: isWindows ? "C:\\Users\\ann" : "/home/ann",
    files: {
      envFile: () => ({ kind: "problem", sentence: "is not there.", hint: "" }),
      renameModule: () => ({ kind: "problem", sentence: "is not there.", hint: "" }),
      ...options.files,
    },
  });
}

/** The one server `x` of a config with this entry. */
export function server(entry: unknown, options: Parameters<typeof parse>[1] = {}): ServerEntry {
  const [found] = parse(JSON.stringify({ mcpServers: { x: entry } }), options).servers;
  if (found === undefined) throw new Error("no server");
  return found;
}
