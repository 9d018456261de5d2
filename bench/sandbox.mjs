// What the sandbox costs, each figure beside a baseline that was measured in the same process in turns with it, so that
// a slow or busy machine slows both. Prints the ratio of the medians, that of the least times, and what it should be.
//   npm run bench:sandbox [-- --quick]
import { setMaxListeners } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Worker } from "node:worker_threads";
import { createBroker } from "../dist/broker/broker.js";
import { createBudget } from "../dist/budget/budget.js";
import { createDoor } from "../dist/engine/call/door.js";
import { createHandOver } from "../dist/engine/call/hand-over.js";
import { openJournal } from "../dist/journal/journal.js";
import { createRedactor } from "../dist/kernel/log.js";
import { openVault } from "../dist/masking/vault.js";
import { DEFAULT_LIMITS } from "../dist/model/run.js";
import { openFlow } from "../dist/policy/flow.js";
import { createPolicy } from "../dist/policy/policy.js";
import { createSandbox } from "../dist/sandbox/sandbox.js";
import { createStrictValidator, createValidator } from "../dist/schema/validator.js";

const isQuick = process.argv.includes("--quick");
const ROUNDS = isQuick ? 5 : 15;
const MIB = 1024 * 1024;
const LIMITS = {
  ...DEFAULT_LIMITS,
  wallMs: 600_000,
  cpuMs: 300_000,
  maxCalls: 1_000_000,
  callsPerSecond: 1_000_000,
};

const results = [];
const sandbox = createSandbox();
const noAnswer = async () => ({ kind: "ok", text: "null", nowMs: 0 });

function run(code, { onCall = noAnswer, onLog = () => {}, in: where = sandbox } = {}) {
  return where.run({ code, args: null, limits: LIMITS, seed: "bench", nowMs: 0, onCall, onLog });
}

async function runWell(code, options) {
  const end = await run(code, options);
  if (end.kind !== "value") throw new Error(`The script did not end well: ${JSON.stringify(end)}`);
  return end;
}

/** Pairs of times, ours and the baseline's, measured in turns. */
async function compare(what, target, baseline, measure) {
  const ours = [];
  const theirs = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    const pair = await measure();
    ours.push(pair.ours);
    theirs.push(pair.baseline);
  }
  const row = { what, baseline, target };
  row.ours = median(ours);
  row.base = median(theirs);
  row.ratio = row.ours / row.base;
  row.least = Math.min(...ours) / Math.min(...theirs);
  results.push(row);
  const [shown, unit] = row.base < 1 ? [1_000, "µs"] : [1, "ms"];
  console.log(
    `${what}: ${(row.ours * shown).toFixed(1)} ${unit}; ${baseline}: ${(row.base * shown).toFixed(1)} ${unit};` +
      ` ratio ${row.ratio.toFixed(2)} (of the least times ${row.least.toFixed(2)}), should be at most ${target}` +
      ` ${row.ratio <= target ? "✓" : "✗"}`,
  );
}

function median(values) {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)];
}

async function timed(work) {
  const start = performance.now();
  await work();
  return performance.now() - start;
}

const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

/** From asking for a run until its first call is here, with a spare that stands ready. */
async function warmStart() {
  await sandbox.warm();
  // The spare was made ready after the last run; what follows that (collecting garbage) is over too.
  await pause(50);
  const start = performance.now();
  let readyMs = 0;
  await runWell("await callMCPTool('bench__ready');", {
    onCall: async () => {
      readyMs = performance.now() - start;
      return await noAnswer();
    },
  });
  const emptyMs = await timed(async () => {
    const worker = new Worker("require('node:worker_threads').parentPort.postMessage(0)", { eval: true });
    await new Promise((resolve) => worker.once("message", resolve));
    worker.unref();
    void worker.terminate();
  });
  await pause(50);
  return { ours: readyMs, baseline: emptyMs };
}

const CALLS = isQuick ? 300 : 1_000;
const ARGUMENTS_TEXT = '{"id":500,"name":"Ada"}';
const ANSWER_TEXT = '{"ok":true}';

/** The real door, broker, validator and journal; only the server is missing: its answer is there at once. */
async function openDoor(folder) {
  const redactor = createRedactor();
  const journal = await openJournal({
    path: join(folder, "journal.jsonl"),
    ...{ runId: "bench", key: "bench", durability: "process", print: redactor.printJson },
  });
  const tool = {
    server: "bench",
    raw: "get",
    wire: "bench__get",
    file: "servers/bench/get.ts",
    risk: "read",
    digest: "d",
    definition: {},
    hints: { readOnly: true },
    inputSchema: {
      type: "object",
      properties: { id: { type: "integer" }, name: { type: "string" } },
      required: ["id"],
    },
  };
  const answer = {
    content: [{ type: "text", text: ANSWER_TEXT }],
    structured: JSON.parse(ANSWER_TEXT),
    isError: false,
  };
  const clock = { now: () => Date.now() };
  const broker = createBroker({
    tools: { find: () => tool, check: async () => ({ tool, fillsDefaults: false, warnings: [] }) },
    vault: openVault,
    validator: createValidator(),
    budget: createBudget(LIMITS),
    policy: createPolicy({ preset: "balanced", rules: [] }, createStrictValidator()),
    approvals: { decisionFor: async () => undefined },
    flow: openFlow,
    journal,
    caller: { call: async () => answer },
    limits: LIMITS,
    clock,
  });
  const { signal } = new AbortController();
  const door = createDoor({
    ...{ broker, caller: "exec", builtin: undefined, handOver: createHandOver(), redactor, clock, signal },
    onWarning() {},
  });
  return { answer: door.answer, close: journal.close };
}

const ONE_AFTER_THE_OTHER = `for (let id = 1; id <= ${CALLS}; id += 1) await callMCPTool("bench__get", { id, name: "Ada" });`;
const ALL_AT_ONCE = `await Promise.all(Array.from({ length: ${CALLS} }, (_, id) => callMCPTool("bench__get", { id, name: "Ada" })));`;

/** Time of one call, from one mark to the other in the host; beside it a message there and back with the same texts. */
async function hostCall(folder, echoWorker, calls) {
  const door = await openDoor(folder);
  const marks = [];
  await runWell(
    `await callMCPTool("bench__get", { id: 0 }); await callMCPTool("bench__mark");
     ${calls}
     await callMCPTool("bench__mark");`,
    {
      onCall: async (call) => {
        if (call.name !== "bench__mark") return await door.answer(call);
        marks.push(performance.now());
        return await noAnswer();
      },
    },
  );
  await door.close();
  const bareMs = await timed(async () => {
    for (let index = 0; index < CALLS; index += 1) await echoWorker.roundTrip();
  });
  return { ours: (marks[1] - marks[0]) / CALLS, baseline: bareMs / CALLS };
}

/** Two threads, one message at a time, each with the texts that a call and its answer have; neither does anything else. */
function startEcho() {
  const call = { kind: "call", id: 1, name: "bench__get", argumentsText: ARGUMENTS_TEXT };
  const answer = { id: 1, isError: false, text: ANSWER_TEXT, nowMs: Date.now() };
  const worker = new Worker(
    "const { parentPort, workerData } = require('node:worker_threads'); parentPort.on('message', () => parentPort.postMessage(workerData));",
    { eval: true, workerData: { kind: "out", items: [call] } },
  );
  let resolveTrip = () => {};
  worker.on("message", () => resolveTrip());
  return {
    roundTrip: () =>
      new Promise((resolve) => {
        resolveTrip = resolve;
        worker.postMessage({ kind: "answers", answers: [answer] });
      }),
    end: () => worker.terminate(),
  };
}

function rowsText(count) {
  const rows = Array.from({ length: count }, (_, id) => ({
    id,
    name: `Person ${id}`,
    email: `person${id}@example.com`,
    amount: id * 1.25,
    city: ["Oslo", "Rome", "Paris"][id % 3],
    isActive: id % 2 === 0,
    note: "some words about this row",
  }));
  return JSON.stringify(rows);
}

/** From the moment the host has the text until the script has the value. */
async function largeAnswer(text) {
  const marks = [];
  await runWell(
    'await callMCPTool("bench__mark"); globalThis.rows = await callMCPTool("bench__rows"); await callMCPTool("bench__mark");',
    {
      onCall: async ({ name }) => {
        marks.push(performance.now());
        return name === "bench__rows" ? { kind: "ok", text, nowMs: 0 } : await noAnswer();
      },
    },
  );
  const parseMs = await timed(() => JSON.parse(text));
  return { ours: marks[2] - marks[1], baseline: parseMs };
}

const FILTER =
  "rows.filter((row) => row.isActive && row.amount > 1000 && row.city !== 'Rome').map((row) => ({ id: row.id, name: row.name })).length";

/** The rows are there already; the time is that of the filter alone, in both. */
async function filterRows(text) {
  const marks = [];
  await runWell(
    `const rows = await callMCPTool("bench__rows"); await callMCPTool("bench__mark");
     export default ${FILTER}; await callMCPTool("bench__mark");`,
    {
      onCall: async ({ name }) => {
        if (name === "bench__rows") return { kind: "ok", text, nowMs: 0 };
        marks.push(performance.now());
        return await noAnswer();
      },
    },
  );
  const rows = JSON.parse(text);
  const filter = new Function("rows", `return ${FILTER}`);
  const v8Ms = await timed(() => filter(rows));
  return { ours: marks[1] - marks[0], baseline: v8Ms };
}

async function atOnce(count) {
  const many = createSandbox();
  const ends = await Promise.all(
    Array.from({ length: count }, (_, index) =>
      run(`await callMCPTool("bench__wait"); export default ${index};`, { in: many }),
    ),
  );
  const right = ends.filter((end, index) => end.kind === "value" && end.text === String(index)).length;
  await many.close();
  console.log(`${count} runs at once: ${right} ended right ${right === count ? "✓" : "✗"}`);
  return right === count;
}

async function memoryPerSlot(count) {
  const idle = createSandbox();
  await idle.warm();
  const stop = new AbortController();
  // One signal stops all of them.
  setMaxListeners(0, stop.signal);
  const before = process.memoryUsage().rss;
  let waiting = 0;
  const running = [];
  await new Promise((resolve) => {
    const onCall = () => {
      waiting += 1;
      if (waiting === count) resolve();
      return new Promise(() => {});
    };
    for (let index = 0; index < count; index += 1)
      running.push(
        idle.run({
          code: 'await callMCPTool("bench__wait");',
          args: null,
          limits: LIMITS,
          seed: "bench",
          nowMs: 0,
          onCall,
          onLog: () => {},
          signal: stop.signal,
        }),
      );
  });
  const perSlot = (process.memoryUsage().rss - before) / (count - 1);
  stop.abort(new Error("enough"));
  await Promise.all(running);
  await idle.close();
  const isFine = perSlot <= 20 * MIB;
  console.log(
    `memory of a run that waits: ${(perSlot / MIB).toFixed(1)} MiB, should be at most 20 ${isFine ? "✓" : "✗"}`,
  );
  return isFine;
}

async function heapAfter(count) {
  const collect = globalThis.gc;
  if (collect === undefined) throw new Error("Start this with --expose-gc.");
  await runWell("export default 1;");
  collect();
  const before = process.memoryUsage();
  for (let index = 0; index < count; index += 1) await runWell(`export default ${index};`);
  collect();
  const after = process.memoryUsage();
  const grown = after.heapUsed - before.heapUsed;
  const isFine = grown <= 10 * MIB;
  console.log(
    `host's heap after ${count} runs: ${(grown / MIB).toFixed(2)} MiB more (resident ${((after.rss - before.rss) / MIB).toFixed(1)} MiB more), should be at most 10 ${isFine ? "✓" : "✗"}`,
  );
  return isFine;
}

const folder = await mkdtemp(join(tmpdir(), "mcpfs-bench-"));
const echo = startEcho();
const tenMegabytes = rowsText(70_000);
const manyRows = rowsText(100_000);
await runWell("await callMCPTool('bench__first');");
await compare("warm start, to the first call", 0.25, "start of an empty thread", warmStart);
await compare("a host call, one after the other, broker and journal included", 2, "a bare round trip", () =>
  hostCall(folder, echo, ONE_AFTER_THE_OTHER),
);
await compare(`a host call, ${CALLS} at once, broker and journal included`, 2, "a bare round trip", () =>
  hostCall(folder, echo, ALL_AT_ONCE),
);
await compare(
  `${(tenMegabytes.length / 1e6).toFixed(1)} MB of JSON into the guest`,
  3,
  "V8's JSON.parse",
  () => largeAnswer(tenMegabytes),
);
await compare("100,000 rows filtered in the guest", 15, "the same in V8", () => filterRows(manyRows));
const facts = [await atOnce(100), await memoryPerSlot(20), await heapAfter(isQuick ? 200 : 2_000)];
await echo.end();
await sandbox.close();
await rm(folder, { recursive: true });
process.exitCode = facts.every(Boolean) && results.every(({ ratio, target }) => ratio <= target) ? 0 : 1;
