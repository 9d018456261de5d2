import { describe, expect, test } from "vitest";
import { parseDuration, parseSize } from "../../src/config/durations.ts";
import { MAX_DURATION_MS } from "../../src/model/run.ts";

describe("a duration is a number with a unit", () => {
  test.each([
    ["500ms", 500],
    ["60s", 60_000],
    ["1.5s", 1_500],
    ["5m", 300_000],
    ["2h", 7_200_000],
    ["1d", 86_400_000],
    ["10 s", 10_000],
    ["0.1ms", 1],
    [250, 250],
    ["none", MAX_DURATION_MS],
    ["100d", MAX_DURATION_MS],
    [1e300, MAX_DURATION_MS],
  ] as const)("%s is %d ms", (given, want) => {
    expect(parseDuration(given)).toBe(want);
  });

  test.each(["", "60", "s", "-1s", "0s", "1 minute", "1S", "60s ", "1e3s", 0, -5, Number.NaN])(
    "%j is refused with the flag's name",
    (given) => {
      expect(() => parseDuration(given, "--timeout")).toThrow(
        expect.objectContaining({
          code: "USAGE",
          message: expect.stringMatching(/^--timeout must be a duration/),
        }),
      );
    },
  );
});

describe("a size is a number with a unit of 1,024", () => {
  test.each([
    ["100b", 100],
    ["64kb", 65_536],
    ["256mb", 268_435_456],
    ["256 MB", 268_435_456],
    ["256MiB", 268_435_456],
    ["1.5gb", 1_610_612_736],
    [4096, 4096],
  ] as const)("%s is %d bytes", (given, want) => {
    expect(parseSize(given)).toBe(want);
  });

  test.each(["", "256", "mb", "-1mb", "0mb", "1tb", "none", 0, Number.POSITIVE_INFINITY])(
    "%j is refused",
    (given) => {
      expect(() => parseSize(given, "--memory")).toThrow(
        expect.objectContaining({
          code: "USAGE",
          message: expect.stringMatching(/^--memory must be a size/),
        }),
      );
    },
  );
});
