import { getEventListeners } from "node:events";
import { describe, expect, test } from "vitest";
import { pause, unlessAborted } from "../../src/kernel/wait.ts";

// A host waits before each new connection, on a signal that lives as long as the host does.
test("a pause leaves no listener on its signal, however it ends", async () => {
  const stop = new AbortController();
  await pause(1, stop.signal);
  expect(getEventListeners(stop.signal, "abort")).toEqual([]);
  const cut = pause(60_000, stop.signal);
  expect(getEventListeners(stop.signal, "abort")).toHaveLength(1);
  stop.abort();
  await cut;
  expect(getEventListeners(stop.signal, "abort")).toEqual([]);
  await pause(60_000, stop.signal);
});

describe("unless aborted", () => {
  test("the work's outcome comes through, and no listener stays", async () => {
    const { signal } = new AbortController();
    expect(await unlessAborted(Promise.resolve(7), signal)).toBe(7);
    await expect(unlessAborted(Promise.reject(new Error("of the work")), signal)).rejects.toThrow(
      "of the work",
    );
    expect(getEventListeners(signal, "abort")).toEqual([]);
  });

  test.each(["before", "meanwhile"])("an abort %s ends the waiting with its reason", async (when) => {
    const stop = new AbortController();
    if (when === "before") stop.abort("enough");
    const waiting = unlessAborted(new Promise(() => {}), stop.signal);
    stop.abort("enough");
    await expect(waiting).rejects.toBe("enough");
    expect(getEventListeners(stop.signal, "abort")).toEqual([]);
  });

  test("with a moment of grace the work may still end well", async () => {
    const stop = new AbortController();
    const work = new Promise((resolve) => {
      stop.signal.addEventListener("abort", () => setTimeout(resolve, 5, "done"));
    });
    const options = { toError: () => new Error("cut"), graceMs: 2_000 };
    const waiting = unlessAborted(work, stop.signal, options);
    stop.abort();
    expect(await waiting).toBe("done");
    await expect(
      unlessAborted(new Promise(() => {}), stop.signal, { ...options, graceMs: 1 }),
    ).rejects.toThrow("cut");
  });
});
