// What the keyword index costs: build, write, load, one change, queries, memory, for 10,000 tools.
// Usage: node --expose-gc bench/search.mjs [--tools N]
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { decodeIndex, encodeIndex } from "../dist/engine/index-file.js";
import { findByWords } from "../dist/search/keyword.js";
import { buildIndex, restoreIndex } from "../dist/search/keyword-index.js";
import { readCaptured, readSets } from "./recall/data.mjs";

const root = fileURLToPath(new URL("..", import.meta.url));
const { values } = parseArgs({ options: { tools: { type: "string", default: "10000" } } });
const folders = ["search", "servers"].map((name) => join(root, "../shared/corpus", name));
if (!folders.every((folder) => existsSync(folder))) {
  console.log("bench:search: skipped, there is no ../shared/corpus");
  process.exit(0);
}
const sets = readSets(folders[0]);
const known = [...readCaptured(folders[1]), ...sets.flatMap(({ tools }) => tools)];
const queries = sets.flatMap((set) => set.queries.map(({ query }) => query));
// Real definitions, each under a server of its own copy, until there are enough.
const tools = new Map(
  Array.from({ length: Number(values.tools) }, (_, at) => {
    const copy = Math.floor(at / known.length);
    const tool = known[at % known.length];
    return [`tool-${at}`, copy === 0 ? tool : { ...tool, server: `${tool.server}-${copy + 1}` }];
  }),
);

global.gc?.();
const memoryBefore = usedBytes();
const build = timed(() => buildIndex(tools));
global.gc?.();
const builtBytes = usedBytes() - memoryBefore;
const folder = mkdtempSync(join(tmpdir(), "mcpfs-bench-search-"));
const file = join(folder, "search.bin");
writeFileSync(file, encodeIndex("stamp", build.value.parts()));
const load = median(
  Array.from({ length: 5 }, () => timed(() => restoreIndex(decodeIndex(readFileSync(file), "stamp"))).ms),
);
const sizeOnDisk = readFileSync(file).length;
rmSync(folder, { recursive: true });

const index = build.value;
for (const query of queries) findByWords(index, query, 5, () => true);
const times = queries.flatMap((query) =>
  Array.from({ length: 5 }, () => timed(() => findByWords(index, query, 5, () => true)).ms),
);
const puts = Array.from({ length: 200 }, (_, at) => {
  const [key, tool] = [...tools][at * 7];
  return timed(() => index.put(key, { ...tool, description: `${tool.description} Changed.` })).ms;
});

let missed = 0;
row("tools", tools.size);
row("index built, ms", build.ms, 1_500);
row("loaded from disk, ms (median of 5)", load, 100);
row("file, MB", sizeOnDisk / 1e6);
row("one definition replaced, ms (slowest of 200)", Math.max(...puts), 5);
row(`query, ms, p50 of ${queries.length} queries`, quantile(times, 0.5));
row("query, ms, p95", quantile(times, 0.95), 5);
row("memory of the index, MB", builtBytes / 1e6, 60);
process.exit(missed === 0 ? 0 : 1);

function row(what, amount, target) {
  const isGood = target === undefined || amount <= target;
  if (!isGood) missed += 1;
  const shown = Number.isInteger(amount) ? amount : amount.toFixed(1);
  console.log(
    `| ${what} | ${shown} | ${target === undefined ? "" : `≤ ${target}`} | ${isGood ? "" : "MISSED"} |`,
  );
}

function timed(work) {
  const start = performance.now();
  const value = work();
  return { value, ms: performance.now() - start };
}

function usedBytes() {
  const { heapUsed, external, arrayBuffers } = process.memoryUsage();
  return heapUsed + Math.max(external, arrayBuffers);
}

function median(numbers) {
  return quantile(numbers, 0.5);
}

function quantile(numbers, share) {
  return numbers.toSorted((a, b) => a - b)[Math.min(numbers.length - 1, Math.floor(numbers.length * share))];
}
