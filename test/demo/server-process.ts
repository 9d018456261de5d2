import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { build } from "esbuild";

/** How a demo server is started as a process of its own. */
export interface ServerProgram extends AsyncDisposable {
  readonly commandOf: (name: "docs" | "crm") => { readonly command: string; readonly args: string[] };
}

/** Bundles the demo servers from the source as it is now, so that no test meets an old build. */
export async function bundleDemoServers(): Promise<ServerProgram> {
  const folder = await mkdtemp(join(tmpdir(), "mcpfs-demo-server-"));
  const program = join(folder, "run-demo-server.mjs");
  await build({
    entryPoints: [fileURLToPath(new URL("../../src/demo/run-demo-server.ts", import.meta.url))],
    outfile: program,
    bundle: true,
    platform: "node",
    format: "esm",
    logLevel: "error",
  });
  const url = JSON.stringify(pathToFileURL(program).href);
  return {
    commandOf: (name) => ({
      command: process.execPath,
      args: ["--input-type=module", "-e", `await (await import(${url})).runDemoServer("${name}")`],
    }),
    [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true }),
  };
}
