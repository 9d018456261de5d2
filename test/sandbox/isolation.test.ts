import { execFile } from "node:child_process";
import { join, sep } from "node:path";
import { pathToFileURL } from "node:url";
import { promisify } from "node:util";
import { afterAll, describe, expect, test } from "vitest";
import { packageFile } from "../../src/kernel/paths.ts";
import { permissionFlags } from "../../src/sandbox/permission-flags.ts";
import { createSandbox } from "../../src/sandbox/sandbox.ts";
import { echo, MIB, run, TEST_LIMITS } from "./run-script.ts";

const sandboxes = {
  worker: createSandbox({ memoryBytes: TEST_LIMITS.memoryBytes }),
  process: createSandbox({ isolation: "process", memoryBytes: TEST_LIMITS.memoryBytes }),
};
afterAll(() => Promise.all(Object.values(sandboxes).map((sandbox) => sandbox.close())));

describe.each(["worker", "process"] as const)("isolation %s", (isolation) => {
  const sandbox = sandboxes[isolation];
  const hang = { s__hang: () => new Promise(() => {}) };

  test("values, calls, lines, arguments and long integers cross", async () => {
    const end = await run(
      "console.log('hi', args); export default [await callMCPTool('s__echo', { id: 12345678901234567890n }), args.text];",
      { sandbox, tools: echo, args: { text: "ü\ud800\0" } },
    );
    expect(end).toMatchObject({
      kind: "value",
      text: String.raw`[{"id":12345678901234567890},"ü\ud800\u0000"]`,
    });
    expect(end.logs.map(({ level }) => level)).toEqual(["log"]);
  });

  test("an error has its name, message and line", async () => {
    const end = await run("function f() {\n  null.x;\n}\nf();", { sandbox });
    expect(end).toMatchObject({
      kind: "threw",
      error: { name: "TypeError", stack: expect.stringContaining("script.js:2:") },
    });
  });

  test.each([
    ["a loop", "for (;;);", "LIMIT_CPU"],
    ["a native loop", "[].indexOf.call({ length: 2 ** 53 - 1 }, 1);", "LIMIT_CPU"],
    ["memory", "const keep = []; for (;;) keep.push(new ArrayBuffer(1e6));", "LIMIT_MEMORY"],
    ["a tool that never answers", "await callMCPTool('s__hang');", "LIMIT_WALL"],
    ["a promise that nothing settles", "await new Promise(() => {});", "DEADLOCK"],
  ])("%s ends by its limit", async (_name, code, limit) => {
    const limits = { cpuMs: 500, wallMs: limit === "LIMIT_WALL" ? 500 : 20_000, memoryBytes: 32 * MIB };
    expect(await run(code, { sandbox, tools: hang, limits })).toMatchObject({ kind: "stopped", code: limit });
  });

  test("an abort ends it with the reason's message", async () => {
    const stop = new AbortController();
    const tools = { s__stop: () => stop.abort(new Error("enough")) };
    const code = "await callMCPTool('s__stop'); await new Promise((resolve) => setTimeout(resolve, 60_000));";
    expect(await run(code, { sandbox, tools, signal: stop.signal })).toMatchObject({
      code: "ABORTED",
      message: "enough",
    });
  });
});

test("a run's process is gone with it, and closing ends the spare", async () => {
  const sandbox = createSandbox({ isolation: "process", memoryBytes: TEST_LIMITS.memoryBytes });
  await sandbox.warm();
  const children = await childrenOf(process.pid);
  expect(children.length).toBeGreaterThan(0);
  await run("export default 1;", { sandbox });
  await sandbox.warm();
  await sandbox.close();
  const left = await childrenOf(process.pid);
  expect(left.filter((line) => line.includes("process-main"))).toEqual([]);
});

/** Command lines of living children, as the system lists them. */
async function childrenOf(pid: number): Promise<readonly string[]> {
  const { stdout } = await promisify(execFile)("ps", ["-eo", "ppid=,stat=,args="]);
  return stdout
    .split("\n")
    .filter((line) => Number.parseInt(line, 10) === pid && !/^\s*\d+\s+Z/.test(line))
    .filter((line) => line.includes("process-main"));
}

describe("the flags of a process without permissions", () => {
  test.each([
    ["20.19.0", "--experimental-permission"],
    ["20.20.2", "--experimental-permission"],
    ["22.12.0", "--experimental-permission"],
    ["22.13.0", "--permission"],
    ["22.23.3", "--permission"],
    ["24.21.0", "--permission"],
  ])("Node %s: %s", (version, flag) => {
    expect(permissionFlags(version, ["/a/dist/", "/a/package.json"])).toEqual([
      flag,
      "--allow-worker",
      "--allow-fs-read=/a/dist/",
      "--allow-fs-read=/a/package.json",
    ]);
  });

  test("hold in this version: also in a thread, nothing else can be read, written or started", async () => {
    const attempt = `
      const tries = { read: () => require("fs").readFileSync("/etc/hostname"), write: () => require("fs").writeFileSync("/tmp/x", ""), start: () => require("child_process").execSync("true") };
      const codes = Object.entries(tries).map(([name, work]) => { try { work(); return name; } catch (error) { return error.code; } });
      require("worker_threads").parentPort.postMessage([...codes, Object.keys(process.env).length]);`;
    const main = `new (require("worker_threads").Worker)(${JSON.stringify(attempt)}, { eval: true, env: {} }).on("message", (m) => console.log(JSON.stringify(m)))`;
    const flags = permissionFlags(process.versions.node, [process.execPath]);
    const { stdout } = await promisify(execFile)(process.execPath, [...flags, "-e", main], { env: {} });
    expect(JSON.parse(stdout)).toEqual(["ERR_ACCESS_DENIED", "ERR_ACCESS_DENIED", "ERR_ACCESS_DENIED", 0]);
  });
});

test("a thread without permissions has nothing to start threads with, however it asks", async () => {
  const thread = `
    const { createRequire } = await import("node:module");
    const require = createRequire("file:///");
    const { parentPort } = require("node:worker_threads");
    const asked = async () => [
      require("node:worker_threads").Worker,
      require("worker_threads").Worker,
      (await import("node:worker_threads")).Worker,
      (await import("node:worker_threads")).default.Worker,
      process.getBuiltinModule?.("worker_threads").Worker,
    ].map((found) => typeof found);
    const before = await asked();
    await import(${JSON.stringify(pathToFileURL(packageFile("dist/sandbox/worker.js")).href)});
    parentPort.postMessage({ before, after: await asked() });`;
  const host = `
    const { Worker } = await import("node:worker_threads");
    const { compileEngine } = await import(${JSON.stringify(pathToFileURL(packageFile("dist/sandbox/engine-module.js")).href)});
    const workerData = { engine: await compileEngine(), memoryBytes: ${32 * MIB}, control: new SharedArrayBuffer(64), logs: new SharedArrayBuffer(65_536) };
    const worker = new Worker(${JSON.stringify(thread)}, { eval: true, workerData });
    worker.on("message", (message) => {
      if (message.kind !== undefined) return;
      console.log(JSON.stringify(message));
      process.exit();
    });`;
  const folder = packageFile("");
  const flags = permissionFlags(process.versions.node, [join(folder, sep)]);
  const options = [...flags, "--input-type=module", "-e", host];
  const { stdout } = await promisify(execFile)(process.execPath, options);
  const { before, after } = JSON.parse(stdout) as Record<"before" | "after", readonly string[]>;
  expect(new Set(before?.slice(0, 4))).toEqual(new Set(["function"]));
  expect(new Set(after)).toEqual(new Set(["undefined"]));
});
