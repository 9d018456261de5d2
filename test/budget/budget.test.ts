import { describe, expect, test } from "vitest";
import { createBudget } from "../../src/budget/budget.ts";
import { DEFAULT_LIMITS, MAX_WAITING_CALLS } from "../../src/model/run.ts";

/** The code, and the sentences that a person or a model reads. */
function refusal(work: () => void): { code: unknown; message: string; hint: unknown } | undefined {
  try {
    work();
    return undefined;
  } catch (error) {
    const { code, message, hint } = error as { code: unknown; message: string; hint: unknown };
    return { code, message, hint };
  }
}

test("a run has so many calls and no more; the error names the limit and how to raise it", () => {
  const budget = createBudget({ ...DEFAULT_LIMITS, maxCalls: 2 });
  budget.spend("crm/get");
  budget.spend("crm/get");
  expect(refusal(() => budget.spend("crm/get"))).toEqual({
    code: "LIMIT_CALLS",
    message: "This run may make 2 calls, and has made them all.",
    hint: 'Raise it with --max-calls 4, or "limits": {"maxCalls": 4} in mcpfs.json.',
  });
});

describe("calls a second", () => {
  test("as many as the limit begin in any second, and the next when the oldest is a second old", () => {
    let nowMs = 5_000;
    const budget = createBudget({ ...DEFAULT_LIMITS, callsPerSecond: 3 }, { now: () => nowMs });
    const begun: number[] = [];
    for (; nowMs < 8_000; nowMs += 100)
      if (refusal(() => budget.spend("crm/get")) === undefined) begun.push(nowMs);
    expect(begun).toEqual([5_000, 5_100, 5_200, 6_000, 6_100, 6_200, 7_000, 7_100, 7_200]);
    for (const start of begun)
      expect(begun.filter((ms) => ms >= start && ms < start + 1_000).length).toBeLessThanOrEqual(3);
  });

  test("a refused one is LIMIT_RATE, says how to wait, and takes nothing from the number of calls", () => {
    let nowMs = 0;
    const budget = createBudget({ ...DEFAULT_LIMITS, maxCalls: 2, callsPerSecond: 1 }, { now: () => nowMs });
    budget.spend("crm/get");
    expect(refusal(() => budget.spend("crm/get"))).toMatchObject({
      code: "LIMIT_RATE",
      message: "This run may begin 1 calls a second, and has.",
      hint: expect.stringContaining('"limits": {"callsPerSecond": 2}'),
    });
    nowMs = 1_000;
    expect(refusal(() => budget.spend("crm/get"))).toBeUndefined();
    nowMs = 2_000;
    expect(refusal(() => budget.spend("crm/get"))).toMatchObject({ code: "LIMIT_CALLS" });
  });

  test("the default stops nobody who stays within the default number of calls", () => {
    const budget = createBudget(DEFAULT_LIMITS, { now: () => 0 });
    for (let index = 0; index < DEFAULT_LIMITS.maxCalls; index += 1) budget.spend("crm/get");
  });
});

test("each tool has so many calls of its own; others go on", () => {
  const budget = createBudget({ ...DEFAULT_LIMITS, maxCallsPerTool: 1 });
  budget.spend("mail/send");
  expect(refusal(() => budget.spend("mail/send"))).toEqual({
    code: "LIMIT_TOOL_CALLS",
    message: "This run may call mail/send 1 time, and has.",
    hint: 'Raise it with "limits": {"maxCallsPerTool": 2} in mcpfs.json.',
  });
  expect(refusal(() => budget.spend("mail/list"))).toBeUndefined();
});

test("a minute holds so many calls, whatever the seconds do", () => {
  let nowMs = 0;
  const budget = createBudget({ ...DEFAULT_LIMITS, callsPerMinute: 2 }, { now: () => nowMs });
  for (nowMs of [0, 30_000]) budget.spend("crm/get");
  nowMs = 59_999;
  expect(refusal(() => budget.spend("crm/get"))).toMatchObject({
    code: "LIMIT_RATE_MINUTE",
    message: "This run may begin 2 calls a minute, and has.",
  });
  nowMs = 60_000;
  expect(refusal(() => budget.spend("crm/get"))).toBeUndefined();
});

test("a call that one bound refuses is taken from none of them", () => {
  let nowMs = 0;
  const limits = { ...DEFAULT_LIMITS, maxCalls: 3, maxCallsPerTool: 1, callsPerSecond: 2, callsPerMinute: 3 };
  const budget = createBudget(limits, { now: () => nowMs });
  budget.spend("a/one");
  for (let index = 0; index < 5; index += 1)
    expect(refusal(() => budget.spend("a/one"))?.code).toBe("LIMIT_TOOL_CALLS");
  budget.spend("a/two");
  for (let index = 0; index < 5; index += 1)
    expect(refusal(() => budget.spend("a/three"))?.code).toBe("LIMIT_RATE");
  nowMs = 1_000;
  budget.spend("a/three");
  expect(refusal(() => budget.spend("a/four"))?.code).toBe("LIMIT_CALLS");
});

test("calls beyond the places wait in order, and beyond ten thousand waiting they are refused", async () => {
  const budget = createBudget({ ...DEFAULT_LIMITS, maxCallsAtOnce: 2 });
  await budget.enter();
  await budget.enter();
  const order: number[] = [];
  const waiting = Array.from({ length: MAX_WAITING_CALLS }, async (_, index) => {
    await budget.enter();
    order.push(index);
    budget.leave();
  });
  await expect(budget.enter()).rejects.toMatchObject({ code: "LIMIT_AT_ONCE" });
  budget.leave();
  budget.leave();
  await Promise.all(waiting);
  expect(order).toEqual(waiting.map((_, index) => index));
  await budget.enter();
});
