import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { expect, test } from "vitest";

const harness = fileURLToPath(new URL("../../bench/crashes.mjs", import.meta.url));
/** `npm run crashes` takes a thousand. */
const RUNS = 30;

// M18, B4
test("random scripts that are killed at a random moment and resumed do nothing twice, and end as undisturbed ones", async () => {
  const { stdout } = await promisify(execFile)(process.execPath, [
    harness,
    ...["--runs", String(RUNS), "--seed", "20261130", "--at-once", "2"],
  ]);
  expect(stdout).toContain("; 0 failed");
  expect(stdout).not.toContain("✗");
  const [, kills, midway] = /: (\d+) kills, (\d+) of them between two effects/.exec(stdout) ?? [];
  expect(Number(kills)).toBeGreaterThan(RUNS / 2);
  expect(Number(midway)).toBeGreaterThan(0);
}, 600_000);
