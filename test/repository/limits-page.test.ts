import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { LIMIT_TABLE, type Limits, printLimit } from "../../src/model/run.ts";

/** What each limit bounds, as the page says it. */
const MEANINGS: { readonly [Name in keyof Limits]: string } = {
  wallMs: "wall time of the run; waiting counts",
  cpuMs: "time that the script computes; waiting does not count",
  callMs: "time of one call; the server's own `timeoutMs` holds beside it",
  memoryBytes: "memory of the sandbox",
  maxCalls: "calls to servers",
  maxCallsPerTool: "calls of one tool",
  maxCallsAtOnce: "calls to servers at once; up to 10,000 more wait",
  callsPerSecond: "calls to servers that begin within one second",
  callsPerMinute: "calls to servers that begin within one minute",
  outputBytes: "console output and value, as they go to the model",
  argumentBytes: "JSON of one call's arguments",
  resultBytes: "JSON of one call's result, and of the run's value",
  bundleBytes: "the bundled script",
};

test("docs/limits.md has the table of limits as it is in the code", () => {
  const rows = (Object.keys(LIMIT_TABLE) as (keyof Limits)[]).map((name) => {
    const { default: usual, max, code, key, option } = LIMIT_TABLE[name];
    const shownOption = option === undefined ? "" : `\`${option}\``;
    return `| ${MEANINGS[name]} | ${printLimit(name, usual)} | ${printLimit(name, max)} | \`${code}\` | \`${key}\` | ${shownOption} |`;
  });
  const page = readFileSync(new URL("../../docs/limits.md", import.meta.url), "utf8");
  expect(
    page
      .split("\n")
      .filter((line) => line.startsWith("| "))
      .slice(2),
  ).toEqual(rows);
});
