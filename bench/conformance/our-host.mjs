// The process that runs our column: one workspace with one real MCP server, opened as a user of the library opens it. Each
// message names a probe; the answer says how the run ended and what it left behind. The process must end by itself after
// the last one: whatever would still hold it open is a failure.
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { openWorkspace } from "../../dist/index.js";
import { findProbe } from "./probes/all.mjs";
import { watchProcessorWaits } from "./processor-waits.mjs";
import { ANSWERS, DEFINITIONS } from "./tools.mjs";

const scripted = fileURLToPath(new URL("../../test/servers/scripted.mjs", import.meta.url));

/** Longest wait for a run to give back what it took. */
const SETTLE_MS = 3_000;

const base = mkdtempSync(join(tmpdir(), "mcpfs-conformance-"));
const root = join(base, "workspace root");
const logFile = join(base, "server.log");
writeWorkspace();
// What a user has approved is not asked, and not changed.
const workspace = await openWorkspace(root, { env: { ...process.env, MCPFS_HOME: join(base, "home") } });
await workspace.trust();
await workspace.sync();
// The first run starts what a host keeps: the bundler, the server, the compiled engine.
await runText("export default await callMCPTool('s__one');", {});
let baseline;

process.on("message", async (message) => {
  if (message.kind === "end") return process.disconnect();
  // What the machine takes for a run of nothing, now: a busy one takes longer for all.
  const emptyMs = message.isRepeated ? await emptyRunMs() : emptyRun;
  process.send({ kind: "result", emptyMs, ...(await answer(findProbe(message.id))) });
});
process.once("disconnect", async () => {
  await workspace.close();
  rmSync(base, { recursive: true, force: true });
});
const emptyRun = await emptyRunMs();
baseline = held();
process.send({ kind: "ready" });

async function answer(probe) {
  try {
    const observed = probe.ours
      ? await probe.ours({ root, base, run: runText, logFile })
      : await runProbe(probe);
    return { observed, left: await whatIsLeft() };
  } catch (error) {
    return {
      observed: { end: "host-error", message: error?.stack ?? String(error) },
      left: await whatIsLeft(),
    };
  }
}

async function runProbe(probe) {
  const times = probe.times ?? 1;
  let observed;
  let startBytes = 0;
  for (let time = 0; time < times; time += 1) {
    if (time === Math.min(20, times - 1)) startBytes = memoryBytes();
    observed = await runText(probe.code, probe);
  }
  return { ...observed, grownBytes: memoryBytes() - startBytes };
}

/** Runs a text as `mcpfs exec` would. */
async function runText(text, { limits = {}, args = null, name = "probe.ts", signal }) {
  const started = performance.now();
  const lines = [];
  const waits = watchProcessorWaits();
  const report = await workspace.run(
    { path: name === "<stdin>" ? undefined : join(root, name), name, text },
    { args, limits, onLine: (line) => lines.push(line), ...(signal === undefined ? {} : { signal }) },
  );
  const waitedMs = waits.stop();
  return {
    waitedMs,
    end: report.kind === "ok" ? "value" : report.kind,
    report,
    levels: lines.map((line) => line.level),
    value: report.value,
    elapsedMs: performance.now() - started,
  };
}

async function emptyRunMs() {
  const times = [];
  for (let time = 0; time < 5; time += 1) times.push((await runText("export default 1;", {})).elapsedMs);
  return times.sort((a, b) => a - b)[2];
}

function memoryBytes() {
  globalThis.gc?.();
  return process.memoryUsage.rss();
}

/** What this process holds: threads, child processes, and all that keeps its event loop turning. */
function held() {
  const resources = {};
  for (const name of process.getActiveResourcesInfo()) resources[name] = (resources[name] ?? 0) + 1;
  return { threads: threadCount(), children: childCount(), resources };
}

function threadCount() {
  try {
    return readdirSync("/proc/self/task").length;
  } catch {
    return 0;
  }
}

function childCount() {
  try {
    const children = readFileSync(`/proc/self/task/${process.pid}/children`, "utf8").trim();
    return children === "" ? 0 : children.split(" ").length;
  } catch {
    return 0;
  }
}

/** Empty when all that the run took is given back; else what is left. */
async function whatIsLeft() {
  const stopBy = performance.now() + SETTLE_MS;
  for (;;) {
    const now = held();
    const more = [];
    if (now.threads > baseline.threads) more.push(`${now.threads - baseline.threads} threads`);
    if (now.children > baseline.children) more.push(`${now.children - baseline.children} processes`);
    for (const [name, count] of Object.entries(now.resources))
      if (count > (baseline.resources[name] ?? 0))
        more.push(`${count - (baseline.resources[name] ?? 0)} ${name}`);
    if (more.length === 0) return "";
    if (performance.now() > stopBy) {
      baseline = now;
      return more.join(", ");
    }
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

function writeWorkspace() {
  mkdirSync(join(root, "workspace"), { recursive: true });
  mkdirSync(join(base, "outside"));
  writeFileSync(join(base, "outside", "secret.txt"), "secret");
  writeFileSync(join(root, "workspace", "inside.txt"), "inside");
  symlinkSync(join(base, "outside", "secret.txt"), join(root, "workspace", "link.txt"));
  symlinkSync(join(base, "outside"), join(root, "workspace", "linked"));
  symlinkSync("..", join(root, "workspace", "up"));
  const spec = {
    tools: DEFINITIONS,
    answers: { ...ANSWERS, echo: { echoArguments: true }, picky: { echoArguments: true } },
  };
  const file = join(base, "server.json");
  writeFileSync(file, JSON.stringify(spec));
  const server = { command: process.execPath, args: [scripted, file], env: { SCRIPTED_LOG: logFile } };
  writeFileSync(join(root, "mcpfs.json"), JSON.stringify({ mcpServers: { s: server } }));
  mkdirSync(join(root, "skills", "double"), { recursive: true });
  writeFileSync(
    join(root, "skills", "double", "index.ts"),
    "export function double(n: number): number {\n  if (n > 100) throw new RangeError('too large');\n  return n * 2;\n}\n",
  );
  mkdirSync(join(root, "skills", "ask"), { recursive: true });
  writeFileSync(
    join(root, "skills", "ask", "index.ts"),
    'import { callMCPTool } from "../../client";\nexport async function ask(id: number): Promise<unknown> {\n  return await callMCPTool("s__fail", { id });\n}\n',
  );
}
