import { expect, test } from "vitest";
import { startOfRun } from "../../src/engine/run/run-folder.ts";
import { createRunId } from "../../src/engine/run/run-id.ts";

test("ids of runs sort by time, also within a second, and say the second", () => {
  const startMs = Date.UTC(2026, 10, 30, 15, 0, 0);
  const times = [0, 1, 15, 16, 255, 256, 999, 1_000, 60_000].map((ms) => startMs + ms);
  const ids = times.map(createRunId);
  expect(ids.toSorted()).toEqual(ids);
  expect(startOfRun(ids[0] ?? "")).toBe(startMs);
  expect(startOfRun(ids[6] ?? "")).toBe(startMs);
  expect(new Set(Array.from({ length: 100 }, () => createRunId(startMs))).size).toBe(100);
});
