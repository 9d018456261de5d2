// What a sync costs the process of mcpfs: CPU time and peak memory, without its servers (they are processes of their own).
// All captured servers of a corpus become one workspace over stdio; then sync runs cold, again with nothing changed, and again
// without a connection. Usage: node bench/sync.mjs [folder] [--profile]      default: ../shared/corpus/servers; needs a build
import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));
const isProfiled = process.argv.includes("--profile");
const given = process.argv.slice(2).find((word) => !word.startsWith("--"));
const corpus = resolve(given ?? join(root, "../shared/corpus/servers"));
if (!existsSync(corpus)) {
  console.log(`bench:sync: skipped, there is no folder ${given ?? "../shared/corpus/servers"}`);
  process.exit(0);
}

const folder = mkdtempSync(join(tmpdir(), "mcpfs-bench-sync-"));
/** What is trusted lies beside the workspace, and goes with it. */
const env = { ...process.env, MCPFS_HOME: join(folder, "home") };
try {
  const captured = readdirSync(corpus).filter((name) => name.endsWith(".json"));
  const mcpServers = Object.fromEntries(
    captured.map((name) => [
      basename(name, ".json"),
      { command: process.execPath, args: [join(root, "test/servers/replay.mjs"), join(corpus, name)] },
    ]),
  );
  writeFileSync(join(folder, "mcpfs.json"), JSON.stringify({ mcpServers }));
  writeFileSync(join(folder, "usage.mjs"), USAGE_HOOK());
  spawnSync(process.execPath, [join(root, "dist/cli.js"), "-C", folder, "trust", "--yes"], { env });
  console.log("sync            tools   CPU ms   ms a tool   target   peak MB   wall s");
  measure("cold", 2);
  measure("unchanged", 0.2);
  measure("unchanged, offline", 0.2, ["--offline"]);
} finally {
  rmSync(folder, { recursive: true, force: true });
}

/** Loaded into the process of mcpfs: at its end it writes down what that process, and no child of it, has used. */
function USAGE_HOOK() {
  return `import { writeFileSync } from "node:fs";
process.on("exit", () => writeFileSync(${JSON.stringify(join(folder, "usage.json"))}, JSON.stringify({ ...process.cpuUsage(), ...process.resourceUsage() })));
`;
}

function measure(name, targetMs, more = []) {
  const profile = isProfiled
    ? ["--cpu-prof", `--cpu-prof-dir=${join(tmpdir(), `mcpfs-profile-${name.replace(/\W+/g, "-")}`)}`]
    : [];
  const start = performance.now();
  const run = spawnSync(
    process.execPath,
    [
      ...profile,
      "--import",
      join(folder, "usage.mjs"),
      join(root, "dist/cli.js"),
      "-C",
      folder,
      "--json",
      "sync",
      ...more,
    ],
    { encoding: "utf8", maxBuffer: 1 << 28, env },
  );
  const seconds = (performance.now() - start) / 1000;
  if (!run.stdout.startsWith("{")) throw new Error(`sync failed: ${run.stderr}`);
  const tools = JSON.parse(run.stdout).servers.reduce((sum, server) => sum + server.tools, 0);
  if (tools === 0) throw new Error(`no server was listed: ${run.stderr}`);
  const { userCPUTime, systemCPUTime, maxRSS } = JSON.parse(readFileSync(join(folder, "usage.json"), "utf8"));
  const cpuMs = (userCPUTime + systemCPUTime) / 1000;
  console.log(
    [
      name.padEnd(18),
      String(tools).padStart(5),
      cpuMs.toFixed(0).padStart(9),
      (cpuMs / tools).toFixed(3).padStart(11),
      targetMs.toFixed(1).padStart(9),
      (maxRSS / 1024).toFixed(0).padStart(10),
      seconds.toFixed(1).padStart(9),
    ].join(""),
  );
}
