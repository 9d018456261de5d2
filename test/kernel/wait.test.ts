import { getEventListeners } from "node:events";
import { expect, test } from "vitest";
import { pause } from "../../src/kernel/wait.ts";

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
