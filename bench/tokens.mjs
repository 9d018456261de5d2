// What a model reads until it can call the right tool: all definitions, against what discovery costs. For each task: AGENTS.md,
// servers/README.md, the index.ts of the servers whose tools are needed, the answer to a search for the task, and the needed
// wrappers, all as `mcpfs sync` and `mcpfs search` give them, of real servers over stdio; counted with o200k_base.
// Usage: node bench/tokens.mjs [corpus folder]      default: ../shared/corpus; needs a build (dist/)
// Ends with 1 when a median is above its target.
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { basename, join, resolve } from "node:path";
import { PassThrough, Readable } from "node:stream";
import { fileURLToPath } from "node:url";
import { main } from "../dist/cli/main.js";
import { openWorkspace } from "../dist/index.js";
import { hitLine } from "../dist/render/hit-line.js";
import { estimateTokens } from "../dist/tokens/estimate-tokens.js";
import { exactTokens } from "../dist/tokens/tokenizer.js";

const root = fileURLToPath(new URL("..", import.meta.url));
const corpus = resolve(process.argv[2] ?? join(root, "../shared/corpus"));
if (!existsSync(corpus)) {
  console.log(`tokens: skipped, there is no folder ${process.argv[2] ?? "../shared/corpus"}`);
  process.exit(0);
}
const base = mkdtempSync(join(tmpdir(), "mcpfs-tokens-"));
process.env.MCPFS_HOME = join(base, "home");
let missed = 0;
try {
  const columns = [
    await measure("146 servers; Apify's queries", 0.5, capturedServers(), apifyTasks()),
    await measure("LiveMCPBench", 4, listedServers("livemcpbench"), liveTasks()),
  ];
  print(columns);
} finally {
  rmSync(base, { recursive: true, force: true });
}
process.exit(missed === 0 ? 0 : 1);

/** The captured servers as they are: name → file to replay. */
function capturedServers() {
  const folder = join(corpus, "servers");
  const files = readdirSync(folder).filter((name) => name.endsWith(".json"));
  return new Map(files.map((name) => [basename(name, ".json"), join(folder, name)]));
}

/** The servers of a list of tools, each as a file that can be replayed. */
function listedServers(dataset) {
  const servers = new Map();
  for (const { server, ...tool } of linesOf(`${dataset}.tools.jsonl`)) {
    const tools = servers.get(server) ?? [];
    tools.push(tool);
    servers.set(server, tools);
  }
  const folder = join(base, dataset);
  mkdirSync(folder);
  return new Map(
    [...servers].map(([server, tools], at) => {
      const path = join(folder, `${at}.json`);
      writeFileSync(path, JSON.stringify({ protocolVersion: "2025-06-18", tools }));
      return [server, path];
    }),
  );
}

/** Queries with the tools that answer them: {query, tools: [[server, tool]]}; `undefined` for a tool that is not there. */
function apifyTasks() {
  return linesOf("apify.queries.jsonl").map(({ query, gold, goldInTools }) => ({
    query,
    tools: goldInTools ? gold.map((tool) => ["apify__actors-mcp-server", tool]) : undefined,
  }));
}

function liveTasks() {
  return linesOf("livemcpbench.queries.jsonl").map(({ query, gold, goldServers, unresolvedGold }) => ({
    query,
    // Where several servers have a tool of that name, the first is meant as well as any.
    tools:
      unresolvedGold.length > 0 || gold.length === 0
        ? undefined
        : gold.map((tool) => [goldServers[tool][0], tool]),
  }));
}

function linesOf(name) {
  return readFileSync(join(corpus, "search", name), "utf8")
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line));
}

/** Makes the workspace, and counts every task. */
async function measure(title, target, servers, tasks) {
  const folder = join(base, `workspace-${title.length}`);
  mkdirSync(folder);
  const mcpServers = Object.fromEntries(
    [...servers].map(([name, path]) => [
      name,
      { command: process.execPath, args: [join(root, "test/servers/replay.mjs"), path] },
    ]),
  );
  writeFileSync(join(folder, "mcpfs.json"), JSON.stringify({ mcpServers }));
  await run(folder, "trust", "--yes");
  await run(folder, "--quiet", "sync");
  const workspace = await openWorkspace(folder);
  const [first, again] = [await timed(() => workspace.stats()), await timed(() => workspace.stats())];
  const { total } = again.value;
  const { servers: catalog } = await workspace.catalog();
  const counted = new Map();
  const tokensOf = (path) => {
    if (!counted.has(path)) counted.set(path, exactTokens(readFileSync(join(folder, path), "utf8")));
    return counted.get(path);
  };
  const start = tokensOf("AGENTS.md") + tokensOf("servers/README.md");
  const costs = [];
  let left = 0;
  for (const { query, tools } of tasks) {
    const needed = tools?.map(([server, tool]) =>
      catalog.find(({ name }) => name === server)?.tools.find(({ raw }) => raw === tool),
    );
    if (needed === undefined || needed.includes(undefined)) {
      left += 1;
      continue;
    }
    const folders = [...new Set(needed.map((tool) => tool.folder))];
    const listing = folders.reduce((sum, name) => sum + tokensOf(`servers/${name}/index.ts`), 0);
    const { hits } = await workspace.searchTools({ query, limit: 5 });
    const lines = byServer(hits).map(({ tool }) => hitLine(tool));
    const answer = `${lines.join("\n")}\n`;
    // The command is asked once: each time it would read all definitions anew.
    if (costs.length === 0 && answer !== (await run(folder, "search", "--", query)))
      throw new Error(`mcpfs search prints something else for ${JSON.stringify(query)}`);
    const search = exactTokens(answer);
    const wrappers = [...new Set(needed)].reduce((sum, tool) => sum + tokensOf(tool.file), 0);
    costs.push({ start, listing, search, wrappers, all: start + listing + search + wrappers });
  }
  await workspace.close();
  const seconds = [first.seconds, again.seconds];
  return { title, target, total, costs, left, error: estimateError(catalog), seconds };
}

/** Hits of one server stand together, as the command prints them. */
function byServer(hits) {
  const groups = new Map(hits.map(({ tool }) => [tool.server, []]));
  for (const hit of hits) groups.get(hit.tool.server).push(hit);
  return [...groups.values()].flat();
}

/** Seconds of this process's CPU: others on the machine do not count. */
async function timed(work) {
  const start = process.cpuUsage();
  const value = await work();
  const { user, system } = process.cpuUsage(start);
  return { value, seconds: (user + system) / 1e6 };
}

/** How far the estimate for the ledger is from the real count, in percent, over all definitions. */
function estimateError(catalog) {
  const texts = catalog.flatMap(({ tools }) => tools.map((tool) => JSON.stringify(tool.definition)));
  const real = texts.reduce((sum, text) => sum + exactTokens(text), 0);
  const estimated = texts.reduce((sum, text) => sum + estimateTokens(text), 0);
  return (estimated / real - 1) * 100;
}

/** Runs a command in this process. @returns what it printed */
async function run(folder, ...words) {
  const out = new PassThrough();
  const err = new PassThrough();
  const printed = { out: "", err: "" };
  out.setEncoding("utf8").on("data", (text) => {
    printed.out += text;
  });
  err.setEncoding("utf8").on("data", (text) => {
    printed.err += text;
  });
  const code = await main(["-C", folder, ...words], {
    stdout: out,
    stderr: err,
    stdin: Readable.from([]),
    env: process.env,
    cwd: folder,
    platform: process.platform,
    homeDir: base,
    isTerminal: false,
    isOutputTerminal: false,
    signal: new AbortController().signal,
  });
  if (code !== 0) throw new Error(`mcpfs ${words.join(" ")} exited with ${code}: ${printed.err}`);
  return printed.out;
}

function print(columns) {
  const row = (name, cells) => console.log(`| ${[name, ...cells].join(" | ")} |`);
  const median = (values) => values.toSorted((a, b) => a - b)[Math.floor((values.length - 1) / 2)];
  const figures = (part) => columns.map(({ costs }) => figure(median(costs.map((cost) => cost[part]))));
  row(
    "tokens (o200k_base)",
    columns.map(({ title }) => title),
  );
  row(
    "---",
    columns.map(() => "---:"),
  );
  row(
    "tools",
    columns.map(({ total }) => figure(total.tools)),
  );
  row(
    "all definitions",
    columns.map(({ total }) => figure(total.definitions)),
  );
  row(
    "tasks counted (left out: a tool is not in the pool)",
    columns.map(({ costs, left }) => `${costs.length} (${left})`),
  );
  row("median: AGENTS.md and servers/README.md", figures("start"));
  row("median: index.ts of the servers opened", figures("listing"));
  row("median: answer of a search, five hits", figures("search"));
  row("median: wrappers needed", figures("wrappers"));
  row(
    "**median: all of it**",
    figures("all").map((text) => `**${text}**`),
  );
  const shares = columns.map(({ costs, total, target }) => {
    const share = (median(costs.map(({ all }) => all)) / total.definitions) * 100;
    if (share > target) missed += 1;
    return `**${percent(share)}** (target ≤ ${target} %)`;
  });
  row("**share of all definitions**", shares);
  row(
    "most expensive task",
    columns.map(({ costs, total }) => {
      const most = Math.max(...costs.map(({ all }) => all));
      return `${figure(most)} (${percent((most / total.definitions) * 100)})`;
    }),
  );
  for (const { title, error, seconds, total } of columns) {
    console.log(
      `\n${title}: estimate of the ledger against the real count of the definitions: ${percent(error)}`,
    );
    const [first, again] = seconds.map((value) => `${value.toFixed(1)} s`);
    console.log(
      `${title}: stats of ${figure(total.tools)} tools, nothing counted yet ${first} of CPU, again ${again}`,
    );
  }
}

function figure(value) {
  return value.toLocaleString("en-US");
}

function percent(value) {
  return `${value.toFixed(2)} %`;
}
