import { expect, test } from "vitest";
import { createBoundedWork } from "../../src/kernel/bounded-work.ts";

const boundedWork = createBoundedWork();

test("work that goes on for ever is stopped, and nothing of it is left", () => {
  let turns = 0;
  expect(
    boundedWork(() => {
      for (;;) turns += 1;
    }, 20),
  ).toBeUndefined();
  expect(turns).toBeGreaterThan(0);
  expect(boundedWork(() => /^(.*)*~/.test("a".repeat(100)), 20)).toBeUndefined();
});

test("what the work returns and throws comes out as it is", () => {
  const list = [1];
  expect(boundedWork(() => list, 1_000)).toBe(list);
  const fault = new RangeError("no");
  expect(() =>
    boundedWork(() => {
      throw fault;
    }, 1_000),
  ).toThrow(fault);
});
