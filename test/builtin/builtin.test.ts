import { Ajv2020 } from "ajv/dist/2020.js";
import { describe, expect, test } from "vitest";
import { createBuiltin, DEFAULT_BUILTIN_LIMITS } from "../../src/builtin/builtin.ts";
import { BUILTIN_TOOLS } from "../../src/builtin/builtin-tools.ts";
import type { Json, JsonObject } from "../../src/kernel/json.ts";
import { createWorkbench } from "./workbench.ts";

const ajv = new Ajv2020({ strict: true, allowUnionTypes: true });

// B7
describe("the definitions", () => {
  test.each(BUILTIN_TOOLS.map((tool) => [tool.name, tool] as const))("%s is complete", (name, tool) => {
    expect(name).toMatch(/^[a-z]+(_[a-z]+)*$/);
    expect(tool).toMatchObject({
      title: expect.any(String),
      description: expect.stringMatching(/\.$/),
      annotations: expect.any(Object),
    });
    for (const schema of [tool.inputSchema, tool.outputSchema]) ajv.compile(schema as object);
  });
});

describe("every answer fits the tool's output schema", () => {
  const calls: readonly (readonly [string, JsonObject])[] = [
    ["sleep", { ms: 1 }],
    ["make_folder", { path: "./workspace/out" }],
    ["write_file", { path: "./workspace/out/a.txt", text: "a" }],
    ["read_file", { path: "./workspace/out/a.txt" }],
    ["list_files", { path: "./workspace" }],
    ["stat_file", { path: "./workspace/out/a.txt" }],
    ["rename_file", { from: "./workspace/out/a.txt", to: "./workspace/b.txt" }],
    ["remove_file", { path: "./workspace/b.txt" }],
    ["search_tools", { query: "x" }],
  ];

  test("in a round of calls to all of them", async () => {
    await using bench = await createWorkbench();
    for (const [tool, args] of calls) {
      const schema = BUILTIN_TOOLS.find((one) => one.name === tool)?.outputSchema;
      const validate = ajv.compile(schema as object);
      expect(validate(await bench.call(tool, args)), `${tool}: ${ajv.errorsText(validate.errors)}`).toBe(
        true,
      );
    }
    // What a model is asked for is the broker's to decide.
    const called = [...calls.map(([tool]) => tool), "log", "extract"].sort();
    expect(called).toEqual(BUILTIN_TOOLS.map((tool) => tool.name).sort());
  });
});

describe("arguments that do not fit are refused with the reason", () => {
  test.each<[string, JsonObject, string]>([
    ["read_file", {}, "path is required."],
    ["read_file", { path: 7 }, "path must be string, got 7."],
    ["read_file", { path: "./workspace/a", encoding: "latin1" }, 'encoding must be one of "utf8", "base64"'],
    ["read_file", { path: "./workspace/a", pathh: "x" }, "pathh is not known"],
    ["write_file", { path: "./workspace/a" }, "Give either text or base64."],
    ["write_file", { path: "./workspace/a", text: "", base64: "" }, "Give either text or base64."],
    ["write_file", { path: "./workspace/a", base64: "abc" }, "base64 is not base64."],
    ["write_file", { path: "./workspace/a", base64: "a b=" }, "base64 is not base64."],
    ["sleep", { ms: -1 }, "ms must be >= 0"],
    ["sleep", { ms: 2 ** 31 }, "ms must be <= 2147483647"],
    ["search_tools", { query: "", limit: 0 }, "limit must be >= 1"],
    ["search_tools", { query: "x", limit: 0.5 }, "limit must be"],
  ])("%s %j", async (tool, args, reason) => {
    await using bench = await createWorkbench();
    const error = await bench.fault(tool, args);
    expect(error.code).toBe("ARGUMENTS_INVALID");
    expect(error.message).toContain(reason);
    expect(error.message).toContain(`mcpfs/${tool}`);
  });

  test.each(["read", "constructor", "__proto__", "log", ""])("the tool %j does not exist", async (tool) => {
    await using bench = await createWorkbench();
    const error = await bench.fault(tool, {});
    expect(error.code).toBe("TOOL_UNKNOWN");
    if (tool === "read") expect(error.hint).toContain("read_file");
  });
});

describe("sleep", () => {
  test("ends at once when the run is stopped", async () => {
    await using bench = await createWorkbench();
    const stop = new AbortController();
    const asleep = bench.call("sleep", { ms: 60_000 }, stop.signal);
    stop.abort();
    expect(await asleep).toBeNull();
  });

  test("refuses more timers at once than the limit, and takes new ones when old ones ended", async () => {
    await using bench = await createWorkbench({ maxTimers: 3 });
    const stop = new AbortController();
    const asleep = [1, 2, 3].map(() => bench.call("sleep", { ms: 60_000 }, stop.signal));
    await bench.call("stat_file", { path: "./workspace" });
    expect((await bench.fault("sleep", { ms: 1 })).code).toBe("LIMIT_CALLS");
    stop.abort();
    await Promise.all(asleep);
    expect(await bench.call("sleep", { ms: 1 })).toBeNull();
  });

  test("waits as long as the host's pause does", async () => {
    const waits: number[] = [];
    const builtin = createBuiltin({
      filesFolder: "/nowhere",
      search: async (): Promise<Json> => [],
      pause: async (ms) => void waits.push(ms),
      limits: DEFAULT_BUILTIN_LIMITS,
    });
    await builtin.call("sleep", { ms: 5_000 }, new AbortController().signal);
    expect(waits).toEqual([5_000]);
  });
});

test("search hands the query and the limit to the host, five where none is given", async () => {
  await using bench = await createWorkbench();
  expect(await bench.call("search_tools", { query: "send mail" })).toMatchObject([
    { tool: "send mail", description: "5" },
  ]);
  expect(await bench.call("search_tools", { query: "x", limit: 9 })).toMatchObject([{ description: "9" }]);
});
