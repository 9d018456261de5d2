import { afterEach, beforeEach, expect, test, vi } from "vitest";
import type { Exchange, ToolResult } from "../../src/protocol/served.ts";
import { createConversations } from "../../src/serve/conversations.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const AN_HOUR_MS = 3_600_000;
const exchange = (changes: Partial<Exchange> = {}): Exchange => ({
  client: { name: "test-client", version: "1.0.0" },
  can: { form: true, page: false, roots: false, model: false },
  meta: {},
  signal: new AbortController().signal,
  reportProgress: undefined,
  // A client of revision 2026-07-28 is asked by the reply to its call.
  ask: undefined,
  state: undefined,
  answers: {},
  ...changes,
});
const question = { method: "elicitation/create" };

test("a call whose client never comes back ends, however often it asks", async () => {
  const conversations = createConversations();
  const answers: unknown[] = [];
  let result: ToolResult | undefined;
  const reply = conversations.hold(exchange(), "ann", async ({ ask, signal }) => {
    for (let asks = 0; asks < 3; asks += 1) answers.push(await ask(question, signal));
    result = { content: [] };
    return result;
  });
  await vi.advanceTimersByTimeAsync(100);
  const { state } = (await reply) as { state: string };
  expect(result).toBeUndefined();
  await vi.advanceTimersByTimeAsync(AN_HOUR_MS);
  expect(result).toBeDefined();
  expect(answers).toEqual([undefined, undefined, undefined]);
  await expect(conversations.hold(exchange({ state }), "ann", async () => ({ content: [] }))).rejects.toThrow(
    "The call that this answer belongs to is over.",
  );
});

test("a client that takes its time is asked each question anew", async () => {
  const conversations = createConversations();
  const answers: unknown[] = [];
  let reply = conversations.hold(exchange(), "ann", async ({ ask, signal }) => {
    for (let asks = 0; asks < 3; asks += 1) answers.push(await ask(question, signal));
    return { content: [] };
  });
  for (let round = 1; round <= 3; round += 1) {
    await vi.advanceTimersByTimeAsync(AN_HOUR_MS / 10);
    const asked = await reply;
    if (asked.kind !== "input") throw new Error("nothing was asked");
    const given = Object.fromEntries(Object.keys(asked.requests).map((key) => [key, round]));
    reply = conversations.hold(exchange({ state: asked.state, answers: given }), "ann", async () => {
      throw new Error("begun twice");
    });
  }
  await vi.advanceTimersByTimeAsync(100);
  expect((await reply).kind).toBe("result");
  expect(answers).toEqual([1, 2, 3]);
});
