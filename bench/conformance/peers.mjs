// The peers: what is installed, and how each is handed a script. A script is translated only as far as a peer's own way to
// call a tool and to give a value asks for.
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { callFake, TOOL_NAMES } from "./tools.mjs";

export const PEERS = [
  {
    key: "sebastianwessel",
    name: "@sebastianwessel/quickjs",
    version: "3.1.0",
    // Its README names the engine; the compiler is what its TypeScript option asks for.
    packages: [
      "@sebastianwessel/quickjs@3.1.0",
      "@jitl/quickjs-ng-wasmfile-release-sync@0.32.0",
      "typescript@5.9.3",
    ],
    create: createSebastianwessel,
  },
  {
    key: "executor",
    name: "@executor-js/runtime-quickjs",
    version: "1.5.35",
    packages: ["@executor-js/runtime-quickjs@1.5.35"],
    create: createExecutor,
  },
  {
    key: "tanstack",
    name: "@tanstack/ai-isolate-quickjs",
    version: "0.1.30",
    packages: ["@tanstack/ai-isolate-quickjs@0.1.30"],
    create: createTanstack,
  },
];

/** Installs a peer into the temporary folder, once; gives its folder, or says why not. */
export function installPeer(peer) {
  const folder = join(tmpdir(), `mcpfs-conformance-${peer.key}-${peer.version}`);
  if (existsSync(join(folder, "installed"))) return { folder };
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, "package.json"), '{"private":true,"type":"module"}');
  const npm = spawnSync(
    "npm",
    ["install", "--no-audit", "--no-fund", "--ignore-scripts", "--save-exact", ...peer.packages],
    { cwd: folder, encoding: "utf8", shell: process.platform === "win32" },
  );
  if (npm.status !== 0) return { problem: npm.stderr?.trim().split("\n").at(-1) ?? "npm failed" };
  writeFileSync(join(folder, "installed"), "");
  return { folder };
}

/** Imports a package of a peer's folder. */
async function load(folder, name) {
  const require = createRequire(join(folder, "package.json"));
  let path;
  try {
    path = require.resolve(name);
  } catch {
    const manifest = require(`./node_modules/${name}/package.json`);
    const entry = manifest.exports["."].import;
    path = join(folder, "node_modules", name, typeof entry === "string" ? entry : entry.default);
  }
  return await import(pathToFileURL(path).href);
}

/** A module whose last statement is its default export, as the body of an async function. */
function asBody(code) {
  const at = code.lastIndexOf("export default ");
  return at === -1 ? code : `${code.slice(0, at)}return ${code.slice(at + "export default ".length)}`;
}

async function createSebastianwessel(folder) {
  const { loadQuickJs } = await load(folder, "@sebastianwessel/quickjs");
  const variant = await load(folder, "@jitl/quickjs-ng-wasmfile-release-sync");
  const { runSandboxed } = await loadQuickJs(variant.default);
  return async (code, { timeoutMs, memoryBytes, isTypeScript }) => {
    const logs = [];
    const note = (...values) => void logs.push(values.join(" "));
    const result = await runSandboxed(
      async ({ evalCode }) =>
        await evalCode(
          `const callMCPTool = (name, args) => env.callMCPTool(name, args ?? {}); ${code}`,
          isTypeScript ? "/src/index.ts" : "/src/index.js",
        ),
      {
        executionTimeout: timeoutMs,
        memoryLimit: memoryBytes,
        transformTypescript: isTypeScript === true,
        env: { callMCPTool: (name, args) => callFake(name, args) },
        console: { log: note, info: note, debug: note, warn: note, error: note },
      },
    );
    return result.ok
      ? { end: "value", value: result.data, logs }
      : { end: "error", message: `${result.error.name}: ${result.error.message}`, logs };
  };
}

async function createExecutor(folder) {
  const { makeQuickJsExecutor } = await load(folder, "@executor-js/runtime-quickjs");
  const Effect = await load(folder, "effect/Effect");
  return async (code, { timeoutMs, memoryBytes }) => {
    const executor = makeQuickJsExecutor({ timeoutMs, memoryLimitBytes: memoryBytes });
    const invoke = ({ path, args }) =>
      Effect.tryPromise({
        try: () => callFake(path, args),
        catch: (error) => ({ _tag: "ExecutionToolError", message: error.message }),
      });
    const source = `const callMCPTool = (name, args) => tools[name](args ?? {}); ${asBody(code)}`;
    const result = await Effect.runPromise(executor.execute(source, { invoke }));
    return result.error === undefined
      ? { end: "value", value: result.result, logs: result.logs ?? [] }
      : { end: "error", message: String(result.error), logs: result.logs ?? [] };
  };
}

async function createTanstack(folder) {
  const { createQuickJSIsolateDriver } = await load(folder, "@tanstack/ai-isolate-quickjs");
  const { stripTypeScript } = await load(folder, "@tanstack/ai-code-mode");
  const bindings = Object.fromEntries(
    TOOL_NAMES.map((name) => [
      `s__${name}`,
      {
        name: `s__${name}`,
        description: name,
        inputSchema: { type: "object" },
        execute: (args) => callFake(name, args),
      },
    ]),
  );
  return async (code, { timeoutMs, memoryBytes }) => {
    const driver = createQuickJSIsolateDriver({ timeout: timeoutMs, memoryLimit: memoryBytes / 1024 / 1024 });
    const context = await driver.createContext({ bindings });
    try {
      // As its own tool does: types are stripped first.
      const body = await stripTypeScript(asBody(code));
      const result = await context.execute(
        `const callMCPTool = async (name, args) => await globalThis[name](args ?? {}); ${body}`,
      );
      return result.success
        ? { end: "value", value: result.value, logs: result.logs ?? [] }
        : {
            end: "error",
            message: `${result.error?.name}: ${result.error?.message}`,
            logs: result.logs ?? [],
          };
    } finally {
      await context.dispose();
    }
  };
}
