import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Host, RunOptions } from "../../src/engine/host.ts";
import { openWorkspace } from "../../src/engine/open-workspace.ts";
import type { RunReport } from "../../src/model/run.ts";
import { received, scripted } from "../servers/servers.ts";

/** A server whose tools write down what they are asked; `add` and `wait` change something, `get` only reads. */
const tools = [
  {
    name: "add",
    inputSchema: { type: "object" },
    annotations: { readOnlyHint: false, destructiveHint: false },
  },
  { name: "get", inputSchema: { type: "object" }, annotations: { readOnlyHint: true } },
  {
    name: "wait",
    inputSchema: { type: "object" },
    annotations: { readOnlyHint: false, destructiveHint: false },
  },
  {
    name: "flaky",
    inputSchema: { type: "object" },
    annotations: { readOnlyHint: false, idempotentHint: true, destructiveHint: false },
  },
];

let root: string;
let log: string;
let host: Host;
beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), "mcpfs-resume-"));
  log = join(root, "server.log");
  const answers = {
    wait: { delayFromArg: "ms" },
    flaky: [{ text: "try later", isError: true }, { text: "well" }],
  };
  await writeFile(
    join(root, "mcpfs.json"),
    JSON.stringify({ mcpServers: { box: scripted({ tools, answers }, log) } }),
  );
  host = await openWorkspace(root, { env: { ...process.env, MCPFS_HOME: join(root, "home") } });
  await host.trust();
  await host.sync();
});
afterAll(async () => {
  await host.close();
  await rm(root, { recursive: true });
});

const source = (text: string) => ({ path: undefined, name: "job.ts", text });
const run = async (text: string, options: RunOptions = {}): Promise<RunReport> =>
  await host.run(source(text), options);
/** Arguments of the calls that the server has received since `from`. */
const made = (from: number): readonly unknown[] =>
  received(log, "tools/call")
    .slice(from)
    .map(({ params }) => params.arguments);
const count = (): number => received(log, "tools/call").length;

describe("a run that a mistake ended", () => {
  const broken =
    "const a = await box_add({ n: 1 });\nconst b = await box_add({ n: 2 });\nconst c = a.no.such;\nexport default [a, b];";

  test("goes on with the mended script; nothing is done twice, and added console lines do not matter", async () => {
    const from = count();
    const first = await run(broken);
    expect(first).toMatchObject({ kind: "failed", calls: { ok: 2 }, repeats: [1, 2] });
    expect(first.next).toBe(`mcpfs runs resume ${first.runId} job.ts`);
    const lines: string[] = [];
    const mended = `console.log("early");\n${broken.replace("const c = a.no.such;", 'console.log("late");\nconst c = await box_add({ n: 3 });').replace("[a, b]", "[a, b, c]")}`;
    const second = await host.resume(first.runId, source(mended), { onLine: ({ text }) => lines.push(text) });
    expect(second).toMatchObject({ kind: "ok", runId: first.runId, calls: { total: 3, ok: 3 }, next: null });
    expect(second.value).toEqual(['add {"n":1}', 'add {"n":2}', 'add {"n":3}']);
    expect(made(from)).toEqual([{ n: 1 }, { n: 2 }, { n: 3 }]);
    expect(lines).toEqual(["late"]);
  });

  test("a call that is not the recorded one stops it, with both shown and the line; the run can still be resumed", async () => {
    const from = count();
    const first = await run(broken);
    const other = broken.replace("n: 2", "n: 22");
    const second = await host.resume(first.runId, source(other));
    expect(second).toMatchObject({
      kind: "failed",
      error: { code: "REPLAY_DIVERGED", file: "job.ts", line: 2 },
      calls: { total: 2, ok: 2 },
    });
    expect(second.error?.message).toContain('recorded: box__add {"n":2}\n  now:      box__add {"n":22}');
    expect(made(from)).toEqual([{ n: 1 }, { n: 2 }]);
    const third = await host.resume(first.runId, source(broken.replace("a.no.such", "0")));
    expect(third).toMatchObject({ kind: "ok", value: ['add {"n":1}', 'add {"n":2}'] });
    expect(made(from)).toHaveLength(2);
  });

  test("calls that the edited script leaves out are named", async () => {
    const first = await run(broken);
    const second = await host.resume(first.runId, source("export default await box_add({ n: 1 });"));
    expect(second).toMatchObject({ kind: "ok", value: 'add {"n":1}' });
    expect(second.warnings).toEqual([expect.stringContaining("Call 2 to box/add was made before")]);
  });
});

test("clock, random numbers, args and files are those of the first attempt", async () => {
  const script = `
await fs.writeFile("./workspace/count.txt", String(Number(await fs.readFile("./workspace/count.txt", "utf8").catch(() => "0")) + 1));
const seen = [Date.now(), Math.random(), crypto.randomUUID(), await fs.readFile("./workspace/count.txt", "utf8"), args];
await new Promise((resolve) => setTimeout(resolve, 30));
await box_add({ seen });
seen.push(Date.now());
if (BROKEN) throw new Error("no");
export default seen;`;
  const first = await run(`const BROKEN = true;${script}`, { args: { id: 7 } });
  expect(first.kind).toBe("failed");
  await writeFile(join(root, "workspace", "count.txt"), "100");
  const from = count();
  const second = await host.resume(first.runId, source(`const BROKEN = false;${script}`));
  expect(second.error).toBeNull();
  expect(second.value).toMatchObject([
    expect.any(Number),
    expect.any(Number),
    expect.any(String),
    "1",
    { id: 7 },
    expect.any(Number),
  ]);
  expect(made(from)).toEqual([]);
  const third = await host.runs().then((runs) => runs.read(first.runId));
  expect(third.report).toEqual(second);
});

describe("a limit ended the run", () => {
  test("of calls: the printed command raises it, and what was done counts", async () => {
    const from = count();
    const script =
      "const all = [];\nfor (let n = 0; n < 5; n += 1) all.push(await box_add({ n }));\nexport default all.length;";
    const first = await run(script, { limits: { maxCalls: 3 } });
    expect(first).toMatchObject({ kind: "failed", error: { code: "LIMIT_CALLS" }, calls: { ok: 3 } });
    expect(first.next).toBe(`mcpfs runs resume ${first.runId} --max-calls 6`);
    const second = await host.resume(first.runId, undefined, { limits: { maxCalls: 6 } });
    expect(second).toMatchObject({ kind: "ok", value: 5, calls: { total: 5, ok: 5 } });
    expect(made(from)).toEqual([0, 1, 2, 3, 4].map((n) => ({ n })));
  });

  test("of a rate: replayed calls do not count against it", async () => {
    const script =
      "for (let n = 0; n < 3; n += 1) await box_get({ n });\nif (args === null) throw new Error('no');\nexport default 1;";
    const first = await run(script, { limits: { callsPerSecond: 3 } });
    const more = script.replace(
      "if (args === null) throw new Error('no');",
      "for (let n = 3; n < 6; n += 1) await box_get({ n });",
    );
    expect(await host.resume(first.runId, source(more))).toMatchObject({ kind: "ok", calls: { ok: 6 } });
  });

  test("of time, in a call that may not be made twice: it is not, unless somebody allows it", async () => {
    const from = count();
    const script =
      "await box_add({ n: 1 });\nconst got = await box_wait({ ms: 20000 });\nexport default got;";
    const first = await run(script, { limits: { wallMs: 700 } });
    expect(first).toMatchObject({ kind: "stopped", error: { code: "LIMIT_WALL" }, repeats: [1, 2] });
    expect(first.next).toBe(`mcpfs runs resume ${first.runId} --timeout 1400ms`);
    expect(first.effects).toMatchObject([{ status: "done" }, { status: "unknown", retry: "unsafe" }]);
    const second = await host.resume(first.runId);
    expect(second.kind).not.toBe("ok");
    expect(second.effects).toMatchObject([{ status: "done" }, { status: "unknown", retry: "unsafe" }]);
    expect(made(from)).toHaveLength(2);
  });

  test("of time, in a call that only reads: it is made again", async () => {
    const from = count();
    const script =
      "const a = await box_add({ n: 1 });\nawait new Promise((r) => setTimeout(r, args));\nexport default [a, await box_get({})];";
    const first = await run(script, { args: 1_500, limits: { wallMs: 700 } });
    expect(first.error?.code).toBe("LIMIT_WALL");
    const second = await host.resume(first.runId, undefined, { limits: { wallMs: 10_000 } });
    expect(second).toMatchObject({ kind: "ok", value: ['add {"n":1}', "get {}"] });
    expect(made(from)).toEqual([{ n: 1 }, {}]);
  });
});

test("a call that failed at the end is made again by the same script, and a script that expects it gets the failure", async () => {
  const from = count();
  const script = "await box_add({});\nexport default await box_flaky({});";
  const first = await run(script);
  expect(first).toMatchObject({ kind: "failed", error: { code: "TOOL_ERROR" } });
  const caught = script.replace("await box_flaky({})", "await box_flaky({}).catch((error) => error.message)");
  expect(await host.resume(first.runId, source(caught))).toMatchObject({ kind: "ok", value: "try later" });
  const again = await run(script.replace("flaky({})", "flaky({ x: 1 })"));
  expect(again).toMatchObject({ kind: "ok", value: "well" });
  expect(made(from)).toHaveLength(4);
});

test("a run of many calls in any order gets its answers in the same order again", async () => {
  const script = `
const order = [];
await Promise.all(Array.from({ length: 20 }, async (_, n) => { await box_wait({ ms: (n * 7) % 50, n }); order.push(n); }));
if (FAIL) throw new Error(order.join());
export default order.join();`;
  const first = await run(`const FAIL = true;${script}`);
  const second = await host.resume(first.runId, source(`const FAIL = false;${script}`));
  expect(second.value).toBe(first.error?.message);
});

describe("what cannot be resumed says why", () => {
  test("a run that ended well, one that nobody knows, one call", async () => {
    const { runId } = await run("export default 1;");
    await expect(host.resume(runId)).rejects.toMatchObject({
      code: "USAGE",
      message: expect.stringContaining("ended well"),
    });
    await expect(host.resume("../../etc")).rejects.toMatchObject({ code: "USAGE" });
    await expect(host.resume(runId.replace(/.$/, "z"))).rejects.toMatchObject({
      code: "USAGE",
      hint: expect.stringContaining("Did you mean"),
    });
    await host.call("box/get", {});
    const [listed] = await (await host.runs()).list();
    expect(listed).toMatchObject({ script: "call box__get", kind: "ok", calls: 1, resumable: false });
  });

  test("one that still goes on: one resumes it, the others are told", async () => {
    const first = await run("await box_wait({ ms: 400 });\nthrow new Error('no');");
    const slow = source(
      "await box_wait({ ms: 400 });\nexport default await box_wait({ ms: 300, again: 1 });",
    );
    const ends = await Promise.allSettled([1, 2, 3].map(() => host.resume(first.runId, slow)));
    expect(ends.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
    for (const end of ends)
      if (end.status === "rejected") expect(end.reason).toMatchObject({ code: "RUN_BUSY" });
  });
});
