import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { packageFile } from "../../src/kernel/paths.ts";
import { LIMIT_TABLE } from "../../src/model/run.ts";
import { RISKY_WORDS } from "../../src/policy/risky-words.ts";

const page = readFileSync(packageFile("docs/policy.md"), "utf8");

test("the page of the policy has the table of risky words as it is", () => {
  const rows = Object.entries(RISKY_WORDS).map(
    ([what, words]) =>
      `| ${what} | ${words
        .split(" ")
        .map((word) => `\`${word}\``)
        .join(" ")} |`,
  );
  expect(page).toContain(rows.join("\n"));
});

test("the page of the policy names each budget of calls with its key and its error", () => {
  for (const name of [
    "maxCalls",
    "maxCallsPerTool",
    "callsPerSecond",
    "callsPerMinute",
    "maxCallsAtOnce",
  ] as const) {
    expect(page).toContain(`\`${LIMIT_TABLE[name].key}\``);
    expect(page).toContain(`\`${LIMIT_TABLE[name].code}\``);
  }
});
