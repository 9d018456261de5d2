// Syncs every captured server of a corpus folder into one workspace, as real MCP servers over stdio; syncs again; does
// it once more in another folder and compares the bytes; type-checks every file. Prints counts and times.
// Usage: node scripts/corpus.mjs [folder]      default: ../shared/corpus/servers
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
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
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));
const corpus = resolve(process.argv[2] ?? join(root, "../shared/corpus/servers"));
if (!existsSync(corpus)) {
  console.log(`corpus: skipped, there is no folder ${process.argv[2] ?? "../shared/corpus/servers"}`);
  process.exit(0);
}

const captured = readdirSync(corpus).filter((name) => name.endsWith(".json"));
const listed = captured.reduce(
  (sum, name) => sum + JSON.parse(readFileSync(join(corpus, name), "utf8")).tools.length,
  0,
);
const mcpServers = Object.fromEntries(
  captured.map((name) => [
    basename(name, ".json"),
    { command: process.execPath, args: [join(root, "test/servers/replay.mjs"), join(corpus, name)] },
  ]),
);

const base = mkdtempSync(join(tmpdir(), "mcpfs-corpus-"));
let failures = 0;
try {
  const first = makeWorkspace("one");
  const cold = sync(first);
  const again = sync(first);
  const second = makeWorkspace("two/deeper");
  sync(second);
  const isSame = treeDigest(first) === treeDigest(second);
  const tools = cold.report.servers.reduce((sum, server) => sum + server.tools, 0);
  const wrappers = listTree(first).filter(
    (path) => /^servers\/[^/]+\/(?!index\.ts$)[^/]+\.ts$/.test(path) && !path.startsWith("servers/mcpfs/"),
  );
  const check = typeCheck(first);

  row(
    "servers",
    captured.length,
    cold.report.servers.filter((server) => server.status === "ok").length === captured.length,
  );
  row("tools listed by the servers", listed, true);
  row("tools in the workspace", tools, tools === listed);
  row("wrappers written", wrappers.length, wrappers.length === listed);
  row(
    "warnings",
    cold.report.servers.reduce((sum, server) => sum + server.warnings.length, 0),
    true,
  );
  row("files written, cold", cold.report.files.written, true);
  row(
    "files changed by a second sync",
    again.report.files.written + again.report.files.deleted,
    again.report.files.written + again.report.files.deleted === 0,
  );
  row("same bytes in another folder", isSame, isSame);
  row("files type-checked", check.files, true);
  row("type errors", check.errors.length, check.errors.length === 0);
  row("cold sync, seconds (servers included)", cold.seconds.toFixed(1), true);
  row("second sync, seconds (servers included)", again.seconds.toFixed(1), true);
  row("type check, seconds", check.seconds.toFixed(1), true);
  for (const server of cold.report.servers)
    if (server.error) console.log(`  ${server.name}: ${server.error.code}: ${server.error.message}`);
  for (const line of check.errors.slice(0, 20)) console.log(`  ${line}`);
} finally {
  rmSync(base, { recursive: true, force: true });
}
process.exit(failures === 0 ? 0 : 1);

function makeWorkspace(name) {
  const folder = join(base, name);
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, "mcpfs.json"), JSON.stringify({ mcpServers }, null, 1));
  return folder;
}

function sync(folder) {
  run(folder, ["trust", "--yes"]);
  const start = performance.now();
  const { stdout, stderr } = run(folder, ["--json", "sync"]);
  if (!stdout.startsWith("{")) throw new Error(`sync failed: ${stderr}`);
  const report = JSON.parse(stdout);
  if (report.error) throw new Error(`${report.error.code}: ${report.error.message}`);
  return { report, seconds: (performance.now() - start) / 1000 };
}

/** What is trusted lies beside the workspaces, and goes with them. */
function run(folder, args) {
  return spawnSync(process.execPath, [join(root, "dist/cli.js"), "-C", folder, ...args], {
    encoding: "utf8",
    maxBuffer: 1 << 28,
    env: { ...process.env, MCPFS_HOME: join(base, "home") },
  });
}

function listTree(folder) {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath ?? entry.path, entry.name).slice(folder.length + 1))
    .filter((path) => !path.startsWith(".mcpfs") && path !== "mcpfs.json")
    .sort();
}

function treeDigest(folder) {
  const hash = createHash("sha256");
  for (const path of listTree(folder))
    hash
      .update(`${path}\0`)
      .update(readFileSync(join(folder, path)))
      .update("\0");
  return hash.digest("hex");
}

function typeCheck(folder) {
  writeFileSync(
    join(folder, "tsconfig.corpus.json"),
    JSON.stringify({ extends: "./tsconfig.json", include: ["servers", "*.ts"] }),
  );
  const start = performance.now();
  const tsc = join(root, "node_modules/typescript/bin/tsc");
  const run = spawnSync(
    process.execPath,
    [tsc, "-p", join(folder, "tsconfig.corpus.json"), "--strict", "--noEmit", "--listFiles"],
    {
      encoding: "utf8",
      maxBuffer: 1 << 28,
    },
  );
  const lines = run.stdout.split("\n").filter((line) => line !== "");
  return {
    errors: lines.filter((line) => /error TS\d+/.test(line)),
    files: lines.filter((line) => line.startsWith(folder)).length,
    seconds: (performance.now() - start) / 1000,
  };
}

function row(name, value, isRight) {
  if (!isRight) failures += 1;
  console.log(`${isRight ? " " : "!"} ${String(name).padEnd(42)} ${value}`);
}
