// What a namespace import of a server with a thousand tools costs beside the import of one of its leaves, both warm. Ends with 1
// when it is more than three times as much. Usage: node bench/barrel.mjs
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createBundler } from "../dist/bundle/bundler.js";

const TOOLS = 1_000;
const MAX_RATIO = 3;
const ROUNDS = 25;

const root = mkdtempSync(join(tmpdir(), "mcpfs-barrel-"));
const bundler = createBundler();
try {
  writeWorkspace();
  const leaf = script('import { tool7 } from "./servers/crm/tool7";\nexport default await tool7({ id: 1 });');
  const named = script('import { tool7 } from "./servers/crm";\nexport default await tool7({ id: 1 });');
  const namespace = script(
    'import * as crm from "./servers/crm";\nexport default await crm.tool7({ id: 1 });',
  );
  const escaped = script('import * as crm from "./servers/crm";\nexport default Object.keys(crm).length;');
  for (const one of [leaf, named, namespace, escaped]) await bundle(one);
  const times = { leaf: [], named: [], namespace: [] };
  for (let round = 0; round < ROUNDS; round += 1) {
    times.leaf.push(await bundle(leaf));
    times.named.push(await bundle(named));
    times.namespace.push(await bundle(namespace));
  }
  const [leafMs, namedMs, namespaceMs] = [times.leaf, times.named, times.namespace].map(median);
  const escapedMs = median([await bundle(escaped), await bundle(escaped), await bundle(escaped)]);
  const row = (what, ms) =>
    console.log(`${what.padEnd(46)} ${ms.toFixed(1).padStart(8)} ms   ${(ms / leafMs).toFixed(1)} x`);
  row("one leaf of a server with 1,000 tools", leafMs);
  row("its index, one name in braces", namedMs);
  row("its index as a namespace, one member", namespaceMs);
  row("its index as a namespace that is listed", escapedMs);
  process.exitCode = Math.max(namedMs, namespaceMs) <= MAX_RATIO * leafMs ? 0 : 1;
} finally {
  await bundler.close();
  rmSync(root, { recursive: true, force: true });
}

function script(text) {
  return { path: undefined, name: "<stdin>", text };
}

async function bundle(source) {
  const started = performance.now();
  await bundler.bundle(source, {
    root,
    flatNames: new Map(),
    retired: new Map(),
    folders: ["crm"],
    nearest: () => [],
    maxBytes: 8 * 1024 * 1024,
  });
  return performance.now() - started;
}

function median(times) {
  return times.toSorted((a, b) => a - b)[Math.floor(times.length / 2)];
}

function writeWorkspace() {
  mkdirSync(join(root, "servers/crm"), { recursive: true });
  writeFileSync(
    join(root, "client.ts"),
    "export const callMCPTool: <T>(name: string, args?: object) => Promise<T> = (globalThis as any).callMCPTool;\n",
  );
  const lines = [];
  for (let n = 0; n < TOOLS; n += 1) {
    lines.push(`export * from "./tool${n}.js"; // Does the thing number ${n} of a long list of things.`);
    writeFileSync(
      join(root, `servers/crm/tool${n}.ts`),
      `import { callMCPTool } from "../../client.js";\n\nexport interface Tool${n}Input {\n  id: number;\n}\n\n` +
        `/** Does the thing number ${n}. */\nexport function tool${n}(input: Tool${n}Input): Promise<any> {\n  return callMCPTool("crm__tool_${n}", input);\n}\n`,
    );
  }
  writeFileSync(join(root, "servers/crm/index.ts"), `${lines.join("\n")}\n`);
}
