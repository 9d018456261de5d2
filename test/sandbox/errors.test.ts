import { describe, expect, test } from "vitest";
import { run, toolFailure } from "./run-script.ts";

const fail = {
  s__fail: () => {
    throw toolFailure({ message: "denied", code: "POLICY_DENIED", hint: "ask" });
  },
};

describe("an error that ends the script tells its name, message and the script's own frames", () => {
  const cases: readonly (readonly [name: string, code: string, error: object])[] = [
    [
      "thrown",
      "function f() {\n  throw new RangeError('no');\n}\nf();",
      {
        name: "RangeError",
        message: "no",
        stack: expect.stringMatching(
          /^ {4}at f \(script\.js:2:\d+\)\n {4}at <anonymous> \(script\.js:4:\d+\)$/,
        ),
      },
    ],
    [
      "after an await",
      "await null;\nnull.x;",
      {
        name: "TypeError",
        message: "cannot read property 'x' of null",
        stack: expect.stringContaining("script.js:2:"),
      },
    ],
    [
      "in the exported function",
      "export default async () => {\n  await null;\n  throw new Error('in');\n};",
      { message: "in", stack: expect.stringContaining("script.js:3:") },
    ],
    [
      "syntax",
      "let a = 1;\nlet b = ;",
      { name: "SyntaxError", stack: expect.stringContaining("script.js:2:") },
    ],
    [
      "a class of the script",
      "class Own extends Error { name = 'Own'; }\nthrow new Own('x');",
      { name: "Own", message: "x" },
    ],
    [
      "a text",
      "throw 'just text';",
      { name: "Error", message: "The script threw a value that is not an error: just text" },
    ],
    [
      "an object",
      "throw { a: [1] };",
      { name: "Error", message: "The script threw a value that is not an error: { a: [ 1 ] }" },
    ],
    ["NUL and a lone surrogate", "throw new Error('a\\0b\\ud800');", { message: "a\0b\ud800" }],
    [
      "a tool's error",
      "await callMCPTool('s__fail');",
      {
        name: "MCPToolError",
        message: "denied",
        code: "POLICY_DENIED",
        hint: "ask",
        server: "s",
        tool: "fail",
        stack: expect.stringContaining("script.js:1:"),
      },
    ],
  ];
  test.each(cases)("%s", async (_name, code, error) => {
    expect(await run(code, { tools: fail })).toMatchObject({ kind: "threw", error, unhandled: [] });
  });
});

describe("a name that the sandbox has not says what to use instead", () => {
  const cases: readonly (readonly [code: string, hint: string])[] = [
    ["await fetch('https://example.com');", "call a tool of a server"],
    ["console.log(process.env.HOME);", "global args"],
    ["const fs = require('fs');", "import"],
    ["Buffer.from('x');", "Uint8Array"],
    ["new XMLHttpRequest();", "no network"],
    ["window.alert(1);", "globalThis"],
    ["document.title;", "no page"],
    ["Deno.readTextFile('x');", "fs"],
    ["new Intl.NumberFormat();", "toFixed"],
    ["new WebSocket('ws://x');", "no network"],
    ["localStorage.getItem('x');", "fs.writeFile"],
    ["Bun.file('x');", "fs"],
    ["__dirname + '/x';", "relative to the workspace"],
    ["module.exports = 1;", "export default"],
    ["navigator.userAgent;", "no browser"],
    ["new EventTarget();", "AbortSignal"],
    ["prompt('name?');", "args"],
  ];
  test.each(cases)("%s", async (code, hint) => {
    const end = await run(code);
    expect(end).toMatchObject({ kind: "threw", error: { name: "ReferenceError", code: "IMPORT_REFUSED" } });
    if (end.kind === "threw") expect(end.error.hint).toContain(hint);
  });
});

test("a name of the script's own that is missing is an ordinary error", async () => {
  const end = await run("missing();");
  expect(end).toMatchObject({ kind: "threw", error: { message: "'missing' is not defined" } });
  if (end.kind === "threw") expect(end.error.code).toBeUndefined();
});

test("rejections that nobody handled are told with their lines, the value stays", async () => {
  const code =
    "(async () => { throw new Error('lost one'); })();\ncallMCPTool('s__fail', {});\nPromise.reject(3);\nqueueMicrotask(() => { throw new TypeError('micro'); });\nexport default 'done';";
  const end = await run(code, { tools: fail });
  expect(end).toMatchObject({ kind: "value", text: '"done"' });
  expect(end.unhandled.map(({ message, stack }) => [message, /script\.js:(\d+)/.exec(stack)?.[1]])).toEqual([
    ["lost one", "1"],
    ["The script threw a value that is not an error: 3", undefined],
    ["micro", "4"],
    ["denied", "2"],
  ]);
});

test("a rejection that is handled later is not lost", async () => {
  const code =
    "const p = Promise.reject(new Error('late')); await new Promise((r) => setTimeout(r, 5));\nexport default await p.catch((e) => e.message);";
  expect(await run(code)).toMatchObject({ kind: "value", text: '"late"', unhandled: [] });
});

test("a script that rejects without end tells the first hundred and ends", async () => {
  const end = await run(
    "for (let i = 0; i < 50_000; i++) Promise.reject(new Error('n' + i)); export default 1;",
  );
  expect(end).toMatchObject({ kind: "value" });
  expect(end.unhandled.length).toBe(100);
  expect(end.unhandled[99]?.message).toBe("n99");
});

test("an error whose own members loop or throw does not take the deadline", async () => {
  const loop = "const e = new Error('x'); Object.defineProperty(e, 'message', { get() { for (;;); } });\n";
  for (const code of [
    `${loop}throw e;`,
    `${loop}await null; throw e;`,
    "throw new Proxy(new Error('x'), { get() { throw 1; } });",
  ]) {
    const end = await run(code, { limits: { cpuMs: 8_000 } });
    expect(end).toMatchObject({ kind: "threw" });
    expect(end.wallMs).toBeLessThan(3_000);
  }
});

test("calls that nobody awaited are finished before the end, also when the script throws", async () => {
  const done: string[] = [];
  const tools = {
    s__slow: async () => {
      await new Promise((resolve) => setTimeout(resolve, 100));
      done.push("slow");
    },
  };
  expect(await run("callMCPTool('s__slow'); export default 1;", { tools })).toMatchObject({ kind: "value" });
  expect(await run("callMCPTool('s__slow'); throw new Error('x');", { tools })).toMatchObject({
    kind: "threw",
  });
  expect(done).toEqual(["slow", "slow"]);
});

test("an error's stack holds no frame of the guest library", async () => {
  const code =
    "const stacks = []; const note = (f) => { try { f(); } catch (e) { stacks.push(e.stack); } };\n" +
    "note(() => fs.readFileSync('x')); await fs.readFile('x').catch((e) => stacks.push(e.stack));\n" +
    "await new Promise((r) => setTimeout(() => { stacks.push('ok'); r(); }, 1)); export default stacks.join('\\n');";
  const end = await run(code);
  expect(end.kind === "value" && end.text).not.toContain("mcpfs:prelude");
  expect(end.kind === "value" && end.text).toContain("script.js:2:");
});

test("an error is told although a call that nobody awaited stays open until the wall", async () => {
  const tools = { s__hang: () => new Promise(() => {}) };
  const end = await run("callMCPTool('s__hang'); throw new Error('mine');", {
    tools,
    limits: { wallMs: 600 },
  });
  expect(end).toMatchObject({ kind: "threw", error: { message: "mine" } });
  const finished = await run("callMCPTool('s__hang'); export default 1;", { tools, limits: { wallMs: 600 } });
  expect(finished).toMatchObject({ code: "LIMIT_WALL", message: expect.stringContaining("had finished") });
});
