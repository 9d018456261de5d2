import { describe, expect, test } from "vitest";
import { resultOf, run } from "./run-script.ts";

// M16
describe("timers", () => {
  const cases: readonly (readonly [name: string, code: string, value: unknown])[] = [
    ["one parameter is enough", "await new Promise((r) => setTimeout(r)); export default 1;", 1],
    [
      "extra parameters reach the callback",
      "export default await new Promise((r) => setTimeout((a, b) => r([a, b]), 2, 'x', 'y'));",
      ["x", "y"],
    ],
    [
      "a cleared timer never fires",
      "let n = 0; const t = setTimeout(() => n++, 5); clearTimeout(t); await new Promise((r) => setTimeout(r, 20)); export default n;",
      0,
    ],
    [
      "an interval repeats until it is cleared",
      "let n = 0; const i = setInterval(() => { if (++n === 3) clearInterval(i); }, 2); await new Promise((r) => setTimeout(r, 80)); export default n;",
      3,
    ],
    [
      "the shorter fires first",
      "const s = []; setTimeout(() => s.push(2), 40); setTimeout(() => s.push(1), 5); await new Promise((r) => setTimeout(r, 80)); export default s;",
      [1, 2],
    ],
    ["setImmediate", "export default await new Promise((r) => setImmediate(r, 4));", 4],
    [
      "microtasks go first",
      "const s = []; setTimeout(() => s.push('t')); queueMicrotask(() => s.push('m')); s.push('s'); await new Promise((r) => setTimeout(r, 10)); export default s;",
      ["s", "m", "t"],
    ],
    [
      "a timer is an object with unref, and a number",
      "const t = setTimeout(() => {}, 5e6).unref(); export default Number(t) > 0;",
      true,
    ],
    [
      "a timer cleared by its number",
      "let n = 0; const t = +setTimeout(() => n++, 2); clearTimeout(t); await new Promise((r) => setTimeout(r, 10)); export default n;",
      0,
    ],
    [
      "clearing what is no timer",
      "clearTimeout(undefined); clearTimeout(null); clearTimeout(99); export default 1;",
      1,
    ],
  ];
  test.each(cases)("%s", async (_name, code, value) => {
    expect(await resultOf(code)).toEqual(value);
  });
});

test("a pending timer does not keep a run alive, but one of the next tick still fires and its error is told", async () => {
  const code =
    "setTimeout(() => {}, 10_000); setInterval(() => {}, 1);\nsetTimeout(() => { throw new Error('late'); }, 1);\nexport default 3;";
  const end = await run(code);
  expect(end).toMatchObject({ kind: "value", text: "3", unhandled: [{ message: "late" }] });
  expect(end.unhandled[0]?.stack).toMatch(/^ {4}at <anonymous> \(script\.js:2:\d+\)$/);
  expect(end.wallMs).toBeLessThan(5_000);
});

test("a timer takes a function", async () => {
  expect(await run("setTimeout('alert(1)', 1);")).toMatchObject({
    kind: "threw",
    error: { name: "TypeError" },
  });
});
