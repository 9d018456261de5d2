import { describe, expect, test } from "vitest";
import { createMemoryGate } from "../../src/sandbox/memory-gate.ts";
import { createSandbox } from "../../src/sandbox/sandbox.ts";
import { echo, MIB, resultOf, run, shared, TEST_LIMITS } from "./run-script.ts";

describe("a thread serves one run after the other, and nothing of one reaches the next", () => {
  const leftovers: readonly (readonly [name: string, code: string])[] = [
    [
      "globals and changed prototypes",
      "globalThis.x = 1; Object.prototype.x = 1; Array.prototype.map = null;",
    ],
    ["a changed callMCPTool", "globalThis.callMCPTool = () => 'forged'; globalThis.JSON = null;"],
    [
      "timers that wait",
      "setTimeout(() => console.log('late'), 50); setInterval(() => console.log('often'), 10);",
    ],
    ["an error", "throw new Error('first');"],
    ["a rejection that nobody handles", "Promise.reject(new Error('first'));"],
    ["much memory", "globalThis.keep = 'x'.repeat(20_000_000);"],
    ["a clock that moved", "await new Promise((resolve) => setTimeout(resolve, 30));"],
    ["console lines", "console.log('one'); console.log('two');"],
  ];
  const look =
    "export default [typeof x, typeof [].map, (await callMCPTool('s__echo', { a: 1 })).a, Date.now(), Math.random(), typeof keep];";

  test.each(leftovers)("%s", async (_name, code) => {
    const sandbox = createSandbox({ memoryBytes: TEST_LIMITS.memoryBytes });
    const fresh = await resultOf(look, { sandbox, tools: echo });
    await run(code, { sandbox });
    const after = await run(look, { sandbox, tools: echo });
    await sandbox.close();
    expect(after).toMatchObject({ kind: "value", logs: [], unhandled: [], unawaited: [] });
    if (after.kind !== "value") return;
    const seen = JSON.parse(after.text) as unknown[];
    // The clock moves with each answer, so only its start can be told.
    expect(seen.with(3, 0)).toEqual((fresh as unknown[]).with(3, 0));
  });

  test("a late answer to the run before reaches nobody", async () => {
    const late: (() => void)[] = [];
    const tools = { s__late: () => new Promise<number>((resolve) => late.push(() => resolve(7))) };
    await run("callMCPTool('s__late').catch(() => {}); export default 1;", {
      tools,
      limits: { wallMs: 300 },
    });
    await run("Promise.race([callMCPTool('mcpfs__sleep', { ms: 60_000 })]); export default 1;");
    const next = run("export default await callMCPTool('s__echo', { a: 2 });", { tools: echo });
    for (const answer of late) answer();
    expect(await next).toMatchObject({ kind: "value", text: '{"a":2}' });
  });

  test("a thread that was stopped serves nobody else", async () => {
    for (const code of [
      "for (;;);",
      "const k = []; for (;;) k.push({ a: 1 });",
      "await new Promise(() => {});",
    ]) {
      expect(await run(code, { limits: { cpuMs: 300, memoryBytes: 32 * MIB } })).toMatchObject({
        kind: "stopped",
      });
      expect(await resultOf("export default 1;")).toBe(1);
    }
  });
});

test("a hundred runs at once end right, each with its own value", async () => {
  const sandbox = createSandbox({ memoryBytes: TEST_LIMITS.memoryBytes });
  const ends = await Promise.all(
    Array.from({ length: 100 }, (_, index) =>
      resultOf(`export default (await callMCPTool('s__echo', { i: ${index} })).i;`, {
        sandbox,
        tools: echo,
        limits: { wallMs: 60_000 },
      }),
    ),
  );
  expect(ends).toEqual(ends.map((_, index) => index));
  await sandbox.close();
});

describe("runs wait for memory", () => {
  test("no more run at once than fit into the room, and all have their turn", async () => {
    const sandbox = createSandbox({ memoryBytes: 64 * MIB, roomBytes: 130 * MIB });
    let open = 0;
    let most = 0;
    const tools = {
      s__work: async () => {
        open += 1;
        most = Math.max(most, open);
        await new Promise((resolve) => setTimeout(resolve, 50));
        open -= 1;
        return 1;
      },
    };
    const runs = Array.from({ length: 6 }, () =>
      resultOf("export default await callMCPTool('s__work');", { sandbox, tools }),
    );
    expect(await Promise.all(runs)).toEqual([1, 1, 1, 1, 1, 1]);
    expect(most).toBe(2);
    await sandbox.close();
  });

  test("they are let in in the order in which they came, also when a later one would fit", async () => {
    const gate = createMemoryGate(100);
    const never = new AbortController().signal;
    const order: string[] = [];
    const leaveFirst = await gate.enter(60, never);
    const enter = async (name: string, bytes: number): Promise<() => void> => {
      const leave = await gate.enter(bytes, never);
      order.push(name);
      return leave;
    };
    const large = enter("large", 90);
    const small = enter("small", 10);
    expect(order).toEqual([]);
    leaveFirst();
    (await large)();
    (await small)();
    expect(order).toEqual(["large", "small"]);
  });

  test("one that is larger than the room goes alone", async () => {
    const gate = createMemoryGate(10);
    const leave = await gate.enter(500, new AbortController().signal);
    leave();
  });

  test("an abort ends the wait, and those behind it move up", async () => {
    const sandbox = createSandbox({ memoryBytes: 64 * MIB, roomBytes: 64 * MIB });
    const stop = new AbortController();
    const tools = { s__hang: () => new Promise(() => {}) };
    const first = run("await callMCPTool('s__hang');", { sandbox, tools, limits: { wallMs: 1_000 } });
    const second = run("export default 2;", { sandbox, signal: stop.signal });
    const third = resultOf("export default 3;", { sandbox });
    stop.abort(new Error("enough"));
    expect(await second).toMatchObject({ kind: "stopped", code: "ABORTED", message: "enough", calls: [] });
    expect(await first).toMatchObject({ code: "LIMIT_WALL" });
    expect(await third).toBe(3);
    await sandbox.close();
  });
});

describe("calls that nobody awaited", () => {
  const slow = { s__slow: () => new Promise((resolve) => setTimeout(() => resolve(1), 50)) };
  test("are finished, and named in order with the line that made them", async () => {
    const end = await run(
      "callMCPTool('s__slow', { n: 1 });\nawait callMCPTool('s__slow');\nconst later = () => callMCPTool('s__slow');\nlater();\ncallMCPTool('s__slow');\nexport default 1;",
      { tools: slow },
    );
    expect(end).toMatchObject({ kind: "value", unawaited: [{ name: "s__slow" }, { name: "s__slow" }] });
    expect(end.unawaited[0]?.stack).toMatch(/^ {4}at later \(script\.js:3:\d+\)\n {4}at .*script\.js:4:/);
    expect(end.unawaited[1]?.stack).toMatch(/script\.js:5:/);
    expect(end.calls).toHaveLength(4);
  });

  test("pending timers are not among them", async () => {
    expect(await run("setTimeout(() => {}, 10_000); export default 1;")).toMatchObject({ unawaited: [] });
  });
});

test("two runs with the same seed, times and answers give the same bytes, whatever the machine does", async () => {
  const code = `
    const seen = [Math.random(), crypto.randomUUID(), Date.now(), new Date().toString()];
    const answers = await Promise.all([1, 2, 3].map((n) => callMCPTool("s__at", { n }).then((at) => { seen.push(n, at, Date.now(), Math.random()); return at; })));
    for await (const n of (async function* () { yield 1; yield 2; })()) seen.push(n, performance.now());
    console.log(new Map([["seen", seen]]), answers);
    export default { seen, answers };`;
  const once = async (): Promise<unknown> => {
    let nowMs = 1_000;
    const logs: unknown[] = [];
    const end = await shared.run({
      code,
      args: null,
      limits: TEST_LIMITS,
      seed: "one seed",
      nowMs,
      // Answers are given in one order, after waits that differ from run to run.
      onCall: async (call) => {
        const own = Number(/\d+/.exec(call.argumentsText)?.[0]);
        await new Promise((resolve) => setTimeout(resolve, own * 30 + Math.random() * 10));
        nowMs = 1_000 + own;
        return { kind: "ok", text: String(own * 10), nowMs };
      },
      onLog: (line) => logs.push(line),
    });
    return { text: end.kind === "value" ? end.text : end, logs };
  };
  const first = await once();
  expect(first).toMatchObject({ text: expect.stringContaining('"answers":[10,20,30]') });
  for (let round = 0; round < 3; round += 1) expect(await once()).toEqual(first);
});
