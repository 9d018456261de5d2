import { spawn } from "node:child_process";
import { closeSync, existsSync, openSync } from "node:fs";
import { afterAll, beforeAll, expect, test } from "vitest";
import { packageFile } from "../../src/kernel/paths.ts";
import { scripted, temporaryFolder } from "../servers/servers.ts";
import { makeWorkspace, runCli, startCli, writeFiles } from "./run-cli.ts";

const VALUE_BYTES = 5_000_000;

const folder = temporaryFolder();
beforeAll(async () => {
  const tools = [{ name: "big", inputSchema: { type: "object" } }];
  await makeWorkspace(folder.path, {
    big: scripted({ tools, answers: { big: { textBytes: VALUE_BYTES } } }),
  });
  writeFiles(folder.path, {
    "lines.ts": "for (let i = 0; i < 20_000; i += 1) console.log('line ' + i); export default 'end';",
    "value.ts": `export default "x".repeat(${VALUE_BYTES})`,
  });
});
afterAll(() => folder[Symbol.dispose]());

test.each<[string, readonly string[]]>([
  ["many lines", ["exec", "lines.ts", "--max-output", "10mb"]],
  ["one huge value", ["exec", "value.ts", "--max-output", "10mb"]],
  ["a huge JSON answer", ["--json", "exec", "value.ts", "--max-output", "10mb"]],
  ["a huge answer of a tool", ["call", "big/big"]],
])("a reader that stops early (head -1) is no error: %s", async (_what, args) => {
  const child = startCli(folder.path, args);
  let stderr = "";
  child.stderr.on("data", (text) => {
    stderr += String(text);
  });
  child.stdin.end();
  child.stdout.once("data", () => child.stdout.destroy());
  const code = await new Promise((resolve) => child.on("close", resolve));
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
});

test.each<[string, readonly string[], (text: string) => number]>([
  ["exec", ["exec", "value.ts", "--max-output", "10mb"], (text) => text.length - 1],
  [
    "exec --json",
    ["--json", "exec", "value.ts", "--max-output", "10mb"],
    (text) => JSON.parse(text).value.length,
  ],
  ["call", ["call", "big/big"], (text) => text.length - 1],
  ["call --json", ["--json", "call", "big/big"], (text) => JSON.parse(text).value.length],
])("a value of 5 MB arrives whole through a pipe whose reader is slow: %s", async (_what, args, lengthOf) => {
  const child = startCli(folder.path, args);
  child.stdin.end();
  const closed = new Promise((resolve) => child.on("close", resolve));
  const chunks: string[] = [];
  child.stdout.setEncoding("utf8");
  await new Promise((resolve) => child.stdout.once("readable", resolve));
  await new Promise((resolve) => setTimeout(resolve, 500));
  child.stdout.on("data", (text: string) => chunks.push(text));
  expect(await closed).toBe(0);
  expect(lengthOf(chunks.join(""))).toBe(VALUE_BYTES);
});

test("lines and value arrive in order and complete", async () => {
  const { code, stdout } = await runCli(folder.path, ["exec", "lines.ts", "--max-output", "10mb"]);
  expect(code).toBe(0);
  const lines = stdout.split("\n");
  expect(lines).toHaveLength(20_002);
  expect([lines[0], lines[19_999], lines[20_000]]).toEqual(["line 0", "line 19999", "end"]);
});

test.skipIf(!existsSync("/dev/full"))("an answer that the disk has no room for is an error", async () => {
  const full = openSync("/dev/full", "w");
  const child = spawn(
    process.execPath,
    [packageFile("dist/cli.js"), "exec", "value.ts", "--max-output", "10mb"],
    {
      cwd: folder.path,
      stdio: ["ignore", full, "pipe"],
    },
  );
  closeSync(full);
  let stderr = "";
  child.stderr?.on("data", (text) => {
    stderr += String(text);
  });
  expect(await new Promise((resolve) => child.on("close", resolve))).toBe(1);
  expect(stderr).toContain("error FILE_FAILED: The answer could not be written to standard output (ENOSPC).");
});
