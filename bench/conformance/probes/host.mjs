// Probes of the host around the runs: many runs, runs at once, aborts, and kills in the middle of each phase.
import { spawn } from "node:child_process";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { family, MIB, value } from "./probe.mjs";

const cli = fileURLToPath(new URL("../../../dist/cli.js", import.meta.url));
const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

/** Scripts that are in the middle of something when the process is killed. */
const PHASES = {
  start: ["export default 1;", 60],
  bundling: [`export default ${"[".repeat(400)}1${"]".repeat(400)};`, 350],
  computing: ["for (;;) Math.sin(1);", 900],
  "native-loop": ["[].indexOf.call({ length: 2 ** 53 - 1 }, 5);", 900],
  "a-call": ["await callMCPTool('s__hang');", 1_200],
  "many-calls": ["for (;;) await callMCPTool('s__one');", 1_200],
  writing: [
    "for (let i = 0; ; i++) await fs.writeFile('./workspace/kill.txt', String(i).repeat(50_000));",
    1_100,
  ],
  printing: ["for (let i = 0; ; i++) console.log('line ' + i);", 900],
  sleeping: ["await new Promise((r) => setTimeout(r, 60_000));", 900],
};

/** Every process below `pid`, itself included. */
function family_of(pid) {
  const found = [pid];
  for (const at of found) {
    try {
      const children = readFileSync(`/proc/${at}/task/${at}/children`, "utf8").trim();
      if (children !== "") found.push(...children.split(" ").map(Number));
    } catch {
      // Gone meanwhile.
    }
  }
  return found;
}

function isAlive(pid) {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    return !"ZX".includes(stat.slice(stat.lastIndexOf(")") + 2)[0]);
  } catch {
    return false;
  }
}

/** Kills `mcpfs exec` with -9, and looks at what is left: processes, the journal, a temporary file, the next run. */
async function killDuring({ root, run }, [text, afterMs]) {
  const folder = mkdtempSync(join(root, "kill-"));
  const script = join(root, "kill.ts");
  writeFileSync(script, text);
  const child = spawn(process.execPath, [cli, "-C", root, "exec", script], { stdio: "ignore" });
  const exited = new Promise((resolve) => child.once("exit", resolve));
  const pids = new Set();
  const stopBy = Date.now() + afterMs;
  while (Date.now() < stopBy) {
    for (const pid of family_of(child.pid)) pids.add(pid);
    await pause(10);
  }
  child.kill("SIGKILL");
  await exited;
  const goneBy = Date.now() + 2_000;
  while ([...pids].some(isAlive) && Date.now() < goneBy) await pause(20);
  const left = [...pids].filter(isAlive).length;
  rmSync(folder, { recursive: true, force: true });
  const torn = readdirSync(join(root, "workspace")).filter((name) => /\.tmp|~$/.test(name));
  const journals = readdirSync(join(root, ".mcpfs", "runs")).sort();
  const journal = join(root, ".mcpfs", "runs", journals.at(-1), "journal.jsonl");
  const lines = existsSync(journal) ? readFileSync(journal, "utf8").split("\n").slice(0, -1) : [];
  const isReadable = lines.every((line) => isJson(line));
  const written = join(root, "workspace", "kill.txt");
  const isWhole =
    !existsSync(written) || new Set(readFileSync(written, "utf8").match(/^(\d+?)\1*$/) ?? [""]).size > 0;
  rmSync(written, { force: true });
  const after = await run("export default (await callMCPTool('s__one')).n;", {});
  return {
    ...after,
    value: { left, torn: torn.length > 1 ? torn : [], isReadable, isWhole, next: after.value },
  };
}

function isJson(line) {
  try {
    JSON.parse(line);
    return true;
  } catch {
    return false;
  }
}

export const HOST = family("host", [
  {
    id: "two-hundred-runs",
    code: "const a = new Array(50_000).fill({ x: 1 }); console.log(a.length); await callMCPTool('s__one');\nexport default a.length;",
    times: 200,
    limits: { memoryBytes: 64 * MIB },
    want: value(50_000, { maxGrownBytes: 48 * MIB }),
  },
  {
    id: "runs-at-once",
    ours: async ({ run }) => {
      const started = performance.now();
      const all = await Promise.all(
        Array.from({ length: 12 }, (_, index) =>
          run(
            `console.log(${index}); const a = await callMCPTool('s__echo', { n: ${index} });\nexport default a.n;`,
            {
              limits: { memoryBytes: 32 * MIB },
            },
          ),
        ),
      );
      const isRight = all.every(
        (one, index) => one.value === index && one.report.output.join() === String(index),
      );
      return { ...all[0], value: isRight, elapsedMs: performance.now() - started };
    },
    want: value(true),
    peers: false,
  },
  {
    id: "a-loop-does-not-block-another-run",
    isTimed: true,
    ours: async ({ run }) => {
      const busy = run("for (;;) Math.sin(1);", { limits: { cpuMs: 2_000 } });
      const started = performance.now();
      const quick = await run("console.log('B');\nexport default 'b';", {});
      const tookMs = performance.now() - started;
      const other = await busy;
      return { ...quick, value: [quick.value, other.report.error.code, tookMs < 2_000] };
    },
    want: value(["b", "LIMIT_CPU", true]),
    peers: false,
  },
  {
    id: "abort-while-waiting",
    isTimed: true,
    ours: async ({ run }) => {
      const stop = new AbortController();
      setTimeout(() => stop.abort(new Error("enough")), 1_500);
      const started = performance.now();
      const ended = await run("await callMCPTool('s__hang');", { signal: stop.signal });
      return {
        ...ended,
        value: [ended.report.kind, ended.report.effects[0]?.status, performance.now() - started < 4_000],
        end: "value",
      };
    },
    want: value(["stopped", "unknown", true]),
    peers: false,
  },
  {
    id: "abort-in-a-native-loop",
    isTimed: true,
    ours: async ({ run }) => {
      const stop = new AbortController();
      setTimeout(() => stop.abort(new Error("enough")), 1_000);
      const started = performance.now();
      const ended = await run("[].indexOf.call({ length: 2 ** 53 - 1 }, 5);", { signal: stop.signal });
      return { ...ended, value: [ended.report.kind, performance.now() - started < 3_000], end: "value" };
    },
    want: value(["stopped", true]),
    peers: false,
  },
  {
    id: "late-answers-reach-nobody",
    ours: async ({ run }) => {
      for (let index = 0; index < 60; index += 1)
        await run(
          "callMCPTool('s__slow').catch(() => {}); callMCPTool('s__late_fail').catch(() => {});\nexport default 1;",
          { limits: { wallMs: 150 } },
        );
      const next = await run(
        "const a = []; for (let i = 0; i < 30; i++) a.push((await callMCPTool('s__echo', { i })).i);\nexport default a.every((n, i) => n === i);",
        {},
      );
      return next;
    },
    want: value(true),
    peers: false,
  },
  {
    id: "usable-after-every-kind-of-end",
    isTimed: true,
    ours: async ({ run }) => {
      const limits = { memoryBytes: 24 * MIB, cpuMs: 1_000, wallMs: 2_500 };
      const ends = [];
      for (const text of [
        "for (;;);",
        "[].indexOf.call({ length: 2 ** 53 - 1 }, 5);",
        "const a = []; for (;;) a.push('x'.repeat(10_000) + a.length);",
        "await callMCPTool('s__hang');",
        "await new Promise(() => {});",
        "throw 1;",
        "let x = ;",
      ]) {
        const ended = await run(text, {
          limits: text.includes("hang") ? limits : { ...limits, wallMs: 20_000 },
        });
        const next = await run("export default 7;", {});
        ends.push([ended.report.error.code, next.value]);
      }
      return { end: "value", report: { warnings: [], output: [] }, value: ends, elapsedMs: 0 };
    },
    want: value([
      ["LIMIT_CPU", 7],
      ["LIMIT_CPU", 7],
      ["LIMIT_MEMORY", 7],
      ["LIMIT_WALL", 7],
      ["DEADLOCK", 7],
      ["SCRIPT_ERROR", 7],
      ["SCRIPT_ERROR", 7],
    ]),
    peers: false,
  },
  ...Object.entries(PHASES).map(([phase, given]) => ({
    id: `kill-during-${phase}`,
    ours: async (host) => await killDuring(host, given),
    want: value({ left: 0, torn: [], isReadable: true, isWhole: true, next: 1 }),
    peers: false,
  })),
]);
