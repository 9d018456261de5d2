import { error, family, SHORT_WALL, value, wall } from "./probe.mjs";

const chain = (count) =>
  `let sum = 0; for (let i = 0; i < ${count}; i++) sum += (await callMCPTool('s__echo', { i })).i;\nexport default sum;`;
const sumTo = (count) => (count * (count - 1)) / 2;
const LONG = { wallMs: 60_000, cpuMs: 60_000, maxCalls: 20_000, callsPerSecond: 1_000_000 };

export const CALLS = family("calls", [
  ...[5, 100, 1_000, 10_000].map((count) => ({
    id: `await-chain-${count}`,
    code: chain(count),
    limits: LONG,
    want: value(sumTo(count)),
  })),
  ...[10, 100, 1_000].map((count) => ({
    id: `all-at-once-${count}`,
    code: `const all = await Promise.all(Array.from({ length: ${count} }, (_, i) => callMCPTool('s__echo', { i })));\nexport default all.every((answer, i) => answer.i === i);`,
    limits: LONG,
    want: value(true),
  })),
  {
    id: "calls-run-side-by-side",
    isTimed: true,
    code: "await Promise.all(Array.from({ length: 8 }, () => callMCPTool('s__slow')));\nexport default 'done';",
    // One after the other they would take 1.6 seconds.
    limits: { wallMs: 1_300 },
    want: value("done"),
  },
  {
    id: "calls-in-nested-functions",
    code: "const twice = async (f) => [await f(), await f()];\nconst out = await twice(() => twice(async () => (await callMCPTool('s__echo', { n: 1 })).n));\nexport default out.flat();",
    want: value([1, 1, 1, 1]),
  },
  {
    id: "calls-in-then-chains",
    code: "const n = await callMCPTool('s__echo', { n: 1 }).then((a) => callMCPTool('s__echo', { n: a.n + 1 })).then((b) => b.n).finally(() => callMCPTool('s__one'));\nexport default n;",
    want: value(2),
  },
  {
    id: "calls-in-async-generators",
    code: "async function* pages() { for (let i = 0; i < 5; i++) yield (await callMCPTool('s__echo', { i })).i; }\nconst seen = []; for await (const page of pages()) seen.push(page);\nexport default seen;",
    want: value([0, 1, 2, 3, 4]),
  },
  {
    id: "call-in-finally",
    code: "const seen = []; try { throw new Error('x'); } catch { seen.push((await callMCPTool('s__one')).n); } finally { seen.push((await callMCPTool('s__one')).n + 1); }\nexport default seen;",
    want: value([1, 2]),
  },
  {
    id: "all-settled",
    code: "const all = await Promise.allSettled([callMCPTool('s__one'), callMCPTool('s__fail'), callMCPTool('s__one')]);\nexport default all.map((one) => one.status);",
    want: value(["fulfilled", "rejected", "fulfilled"]),
  },
  {
    id: "tool-error-caught",
    code: "let said = ''; try { await callMCPTool('s__fail', {}); } catch (e) { said = e.message; }\nexport default said;",
    want: value((said) => String(said).includes("denied by the tool")),
  },
  {
    id: "tool-error-ends-the-script",
    code: "const a = 1;\nawait callMCPTool('s__fail', {});\nexport default a;",
    want: { end: "error", code: "TOOL_ERROR", message: /denied by the tool/, line: 2 },
  },
  {
    id: "tool-error-has-its-facts",
    code: "let e; try { await callMCPTool('s__fail', {}); } catch (x) { e = x; }\nexport default [e instanceof MCPToolError, e.code, e.server, e.tool, e.retry];",
    want: value([true, "TOOL_ERROR", "s", "fail", "unsafe"]),
    peers: false,
  },
  {
    id: "tool-never-settles",
    code: "await callMCPTool('s__hang', {});\nexport default 'unreachable';",
    limits: SHORT_WALL,
    want: wall({ message: /s__hang|tim|exceed/i }),
  },
  {
    id: "tool-never-settles-beside-others",
    code: "const [a] = await Promise.all([callMCPTool('s__one'), callMCPTool('s__hang')]);\nexport default a;",
    limits: SHORT_WALL,
    want: wall(),
  },
  {
    id: "slow-tool-is-not-computing",
    code: "for (let i = 0; i < 4; i++) await callMCPTool('s__slow');\nexport default 'done';",
    limits: { cpuMs: 400, wallMs: 10_000 },
    want: value("done"),
    peers: "no limit apart from wall time",
  },
  {
    id: "unknown-tool",
    code: "let code; try { await callMCPTool('s__nope'); } catch (e) { code = e.code; }\nexport default code;",
    want: value("TOOL_UNKNOWN"),
    peers: false,
  },
  {
    id: "arguments-that-do-not-fit",
    code: "let e; try { await callMCPTool('s__picky', { id: 'x', more: 1 }); } catch (x) { e = x; }\nexport default [e.code, /id/.test(e.message), e.retry];",
    want: value(["ARGUMENTS_INVALID", true, "safe"]),
    peers: false,
  },
  {
    id: "arguments-too-large",
    code: "let code; try { await callMCPTool('s__echo', { t: 'x'.repeat(300_000) }); } catch (e) { code = e.code; }\nexport default code;",
    limits: { argumentBytes: 100_000 },
    want: value("LIMIT_ARGUMENTS"),
    peers: false,
  },
  {
    id: "answer-too-large",
    code: "let code; try { await callMCPTool('s__big'); } catch (e) { code = e.code; }\nexport default code;",
    limits: { resultBytes: 100_000 },
    want: value("LIMIT_RESULT"),
    peers: false,
  },
  {
    id: "answer-of-thirty-megabytes",
    code: "let got; try { got = (await callMCPTool('s__huge')).length; } catch (e) { got = e.code; }\nexport default got;",
    want: value((got) => got === "LIMIT_RESULT" || got === 30_000_000),
  },
  {
    id: "too-many-calls",
    code: "let code; for (let i = 0; i < 20; i++) try { await callMCPTool('s__one'); } catch (e) { code = [i, e.code]; break; }\nexport default code;",
    limits: { maxCalls: 10 },
    want: value([10, "LIMIT_CALLS"]),
    peers: false,
  },
  {
    id: "more-than-ten-thousand-open-calls",
    code: "let refused = 0; const all = []; for (let i = 0; i < 10_050; i++) all.push(callMCPTool('s__one').catch((e) => { if (e.code === 'LIMIT_AT_ONCE') refused += 1; }));\nawait Promise.all(all); export default refused;",
    limits: { ...LONG, wallMs: 60_000 },
    want: value(50),
    peers: false,
  },
  {
    id: "call-without-await-is-finished",
    code: "callMCPTool('s__slow');\nexport default 'done';",
    want: value("done", { also: ({ calls }) => (calls.ok === 1 ? "" : "the call was not finished") }),
  },
  {
    id: "wrong-kinds-of-arguments",
    code: "const out = []; for (const args of ['text', 7, null, [1]]) try { await callMCPTool('s__echo', args); out.push('went'); } catch (e) { out.push(e.name); }\nexport default out;",
    want: value((out) => out.every((one) => one !== "went")),
    peers: false,
  },
  {
    id: "an-error-of-the-script-between-calls",
    code: "await callMCPTool('s__one');\nconst nothing = undefined;\nnothing.x;\nawait callMCPTool('s__one');\nexport default 1;",
    want: error({ line: 3, also: ({ calls }) => (calls.total === 1 ? "" : "the second call went out") }),
  },
]);
