import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { createDeadline } from "../../src/mcp/deadline.ts";
import { scripted, serverEntry } from "../servers/servers.ts";
import { rawName, rejection, serverName, testHub } from "./fixtures.ts";

const odd = serverName("odd");

describe("requests of the server's own give it no time", () => {
  const refused = { everyMs: 50, method: "roots/list" };
  const declined = {
    everyMs: 50,
    method: "elicitation/create",
    params: { message: "Who?", requestedSchema: { type: "object", properties: {} } },
  };

  test.each([
    ["roots that are refused", refused],
    ["questions that are declined", declined],
  ])("a server that hangs runs out of time although it asks again and again: %s", async (_what, askEvery) => {
    const spec = { askEvery, listDelayMs: 600_000, answers: { a: { never: true } } };
    await using hub = testHub(serverEntry("odd", scripted(spec), { timeoutMs: 2_000 }));
    const link = await hub.link(odd);
    const errors = await Promise.all([
      rejection(link.listTools()),
      rejection(link.callTool(rawName("a"), {})),
    ]);
    expect(errors.map(({ code }) => code)).toEqual(["SERVER_TIMEOUT", "SERVER_TIMEOUT"]);
  });

  test("nor beyond ten times the limit, where it tells of progress besides", async () => {
    const spec = { askEvery: refused, answers: { a: { progress: { everyMs: 40, times: 100_000 } } } };
    await using hub = testHub(serverEntry("odd", scripted(spec)));
    const error = await rejection((await hub.link(odd)).callTool(rawName("a"), {}, { timeoutMs: 100 }));
    expect(error.code).toBe("SERVER_TIMEOUT");
  });
});

describe("a deadline", () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  /** A deadline of 100 ms, and when it was over, in milliseconds from now. */
  function started() {
    const startMs = performance.now();
    let overMs: number | undefined;
    const deadline = createDeadline(100, () => {
      overMs = performance.now() - startMs;
    });
    return { ...deadline, overMs: () => overMs, pass: (ms: number) => vi.advanceTimersByTime(ms) };
  }

  test("counts on after a question with the time that was left", () => {
    const { hold, release, pass, overMs } = started();
    pass(60);
    hold();
    pass(5_000);
    release();
    pass(39);
    expect(overMs()).toBeUndefined();
    pass(1);
    expect(overMs()).toBe(5_100);
  });

  test("takes the time of a question from none of its extensions", () => {
    const { hold, release, extend, pass, overMs } = started();
    hold();
    pass(5_000);
    release();
    for (let report = 0; report < 50; report += 1) {
      pass(50);
      extend();
    }
    expect(overMs()).toBe(6_000);
  });

  test("stands still for a sign of life during a question", () => {
    const { hold, release, extend, pass, overMs } = started();
    pass(60);
    hold();
    extend();
    pass(1_000);
    release();
    pass(100);
    expect(overMs()).toBe(1_100);
  });
});
