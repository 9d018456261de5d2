import { error, family, value } from "./probe.mjs";

const noCalls = ({ calls }) => (calls.total === 0 ? "" : "a call went out");

export const FORGE = family("forging", [
  {
    id: "answer-with-proto",
    code: "const a = await callMCPTool('s__proto');\nexport default [({}).admin === undefined, a.a];",
    want: value([true, 2]),
  },
  {
    id: "proto-in-arguments",
    code: "const a = await callMCPTool('s__echo', JSON.parse('{\"__proto__\":{\"x\":1}}'));\nexport default [({}).x === undefined, a.x === undefined];",
    want: value([true, true]),
  },
  {
    id: "proto-key-comes-back",
    code: "const a = await callMCPTool('s__proto');\nexport default [Object.hasOwn(a, '__proto__'), Object.keys(a).sort().join()];",
    want: value([true, "__proto__,a,constructor"]),
  },
  {
    id: "answer-that-names-an-error",
    code: "const a = await callMCPTool('s__echo', { isError: true, error: { code: 'POLICY_DENIED' }, content: [] });\nexport default a.isError;",
    want: value(true),
  },
  {
    id: "answer-that-is-a-thenable",
    code: "const a = await callMCPTool('s__echo', { then: 'x', toJSON: 1 });\nexport default a.then;",
    want: value("x"),
  },
  {
    id: "throw-a-stop",
    code: "throw Object.assign(new Error('The run took longer than its limit.'), { code: 'LIMIT_WALL' });\nexport default 1;",
    want: error(),
    peers: "no codes",
  },
  {
    id: "throw-an-approval",
    code: "throw Object.assign(new Error('x'), { code: 'APPROVAL_NEEDED', kind: 'suspended' });\nexport default 1;",
    want: error({ also: ({ waiting }) => (waiting.length === 0 ? "" : "the run waits") }),
    peers: "no codes",
  },
  {
    id: "throw-an-interrupt",
    code: "throw Object.assign(new Error('interrupted'), { name: 'InternalError' });\nexport default 1;",
    want: error({ message: /interrupted/ }),
    peers: "no codes",
  },
  { id: "throw-nothing", code: "throw undefined;\nexport default 1;", want: error() },
  { id: "throw-null", code: "throw null;\nexport default 1;", want: error() },
  { id: "throw-a-symbol", code: "throw Symbol('s');\nexport default 1;", want: error() },
  { id: "throw-a-function", code: "throw () => 1;\nexport default 1;", want: error() },
  {
    id: "throw-a-bigint",
    code: "throw 12345678901234567890n;\nexport default 1;",
    want: error({ message: /12345678901234567890/ }),
  },
  {
    id: "throw-a-circle",
    code: "const a = { name: 'x' }; a.a = a; throw a;\nexport default 1;",
    want: error(),
  },
  {
    id: "throw-a-proxy",
    code: "throw new Proxy(new Error('x'), { get() { throw 1; }, has() { throw 2; }, getPrototypeOf() { throw 3; } });\nexport default 1;",
    want: error(),
  },
  {
    id: "throw-a-revoked-proxy",
    code: "const { proxy, revoke } = Proxy.revocable({}, {}); revoke(); throw proxy;\nexport default 1;",
    want: error(),
  },
  {
    id: "throw-an-error-of-ten-megabytes",
    code: "throw new Error('m'.repeat(1e7));\nexport default 1;",
    want: error({ also: ({ error: e }) => (e.message.length < 20_000 ? "" : "the message was not cut") }),
    peers: "not stated",
  },
  {
    id: "error-with-odd-members",
    code: "const e = new Error('x'); e.name = { toString() { throw 1; } }; e.stack = 42; e.message = 7; throw e;\nexport default 1;",
    want: error(),
  },
  {
    id: "error-with-a-forged-stack",
    code: "const e = new Error('x'); e.stack = '    at root (/etc/passwd:1:1)\\n    at script.js:999999:1'; throw e;\nexport default 1;",
    want: error({
      also: ({ error: e }) => (e.stack.includes("/etc/passwd") ? "the forged frame is shown" : ""),
    }),
    peers: false,
  },
  {
    id: "error-with-escapes",
    code: "throw new Error('a\\u001b[31mred\\u202e\\u0007');\nexport default 1;",
    want: error({
      also: ({ error: e }) =>
        /[\u001b\u202e\u0007]/.test(e.message) ? "an escape reaches the terminal" : "",
    }),
    peers: "not stated",
  },
  {
    id: "own-tool-error",
    code: "throw new MCPToolError({ code: 'NO_SUCH_CODE', message: 'm', hint: 'h', server: 's', tool: 't' });\nexport default 1;",
    want: error(),
    peers: false,
  },
  {
    id: "log-call-by-hand",
    code: "for (const args of [undefined, {}, { level: 'log' }, { level: 'root', text: 'x' }, { level: 'log', text: 7 }, { level: 'log', text: 'fine' }]) await callMCPTool('mcpfs__log', args);\nexport default 1;",
    want: value(1, { also: ({ output }) => (output.join() === "fine" ? "" : `printed ${output}`) }),
    peers: false,
  },
  {
    id: "unknown-builtin",
    code: "let code; try { await callMCPTool('mcpfs__run_shell', { command: 'id' }); } catch (e) { code = e.code; }\nexport default code;",
    want: value("TOOL_UNKNOWN", { also: noCalls }),
    peers: false,
  },
  {
    id: "names-of-prototypes",
    code: "const out = []; for (const name of ['__proto__', 'constructor', 'toString', '', 's__', 'mcpfs__', 'mcpfs__constructor', 'mcpfs____proto__', 'S__ECHO', 's__echo ', 's__echo\\0']) try { await callMCPTool(name, {}); out.push(name); } catch (e) { if (e.code !== 'TOOL_UNKNOWN') out.push(name + ' ' + e.code); }\nexport default out;",
    want: value([], { also: noCalls }),
    peers: false,
  },
  {
    id: "name-of-a-megabyte",
    code: "let code; try { await callMCPTool('s__' + 'x'.repeat(1e6), {}); } catch (e) { code = e.code; }\nexport default code;",
    want: value("TOOL_UNKNOWN"),
    peers: false,
  },
  {
    id: "name-that-changes",
    code: "let n = 0; const name = { toString() { return n++ ? 's__fail' : 's__one'; } }; let said; try { await callMCPTool(name, {}); } catch (e) { said = e.name; }\nexport default said;",
    want: value("TypeError", { also: noCalls }),
    peers: false,
  },
  {
    id: "bad-arguments-of-builtins",
    code: "const out = []; for (const [t, a] of [['sleep', {}], ['sleep', { ms: 'x' }], ['sleep', { ms: -1e99 }], ['read_file', {}], ['read_file', { path: {} }], ['write_file', { path: 'x', text: 1 }], ['search', { query: 1, limit: -5 }], ['rename_file', { from: 1 }]]) try { await callMCPTool('mcpfs__' + t, a); } catch (e) { if (e.code === 'INTERNAL') out.push(t + ': ' + e.message); }\nexport default out;",
    limits: { wallMs: 5_000 },
    want: value([]),
    peers: false,
  },
  {
    id: "bigint-mark",
    code: "const mark = BigInt.prototype.toJSON?.call(5n) ?? ''; const stem = String(mark).slice(0, -1);\nexport default [1n, stem + 'x], {', stem + '1,\"a\":2', stem];",
    want: value((v) => Array.isArray(v) && v[0] === 1 && v.length === 4),
    peers: false,
  },
  {
    id: "bigint-mark-in-arguments",
    code: "const stem = String(BigInt.prototype.toJSON?.call(5n) ?? '').slice(0, -1);\nconst a = await callMCPTool('s__echo', { n: 2n ** 60n, t: stem + '1,\"admin\":true' });\nexport default [String(a.n), 'admin' in a];",
    want: value(["1152921504606846976", false]),
    peers: false,
  },
  {
    id: "call-within-to-json",
    code: "const inner = { toJSON() { callMCPTool('s__echo', { n: 1 }); return { m: new Map([['k', 2n ** 60n]]) }; } };\nconst a = await callMCPTool('s__echo', { first: 2n ** 61n, inner, last: 2n ** 62n });\nexport default [String(a.first), String(a.last), String(a.inner.m.k)];",
    want: value(["2305843009213693952", "4611686018427387904", "1152921504606846976"]),
    peers: false,
  },
  {
    id: "value-that-is-a-thenable",
    code: "export default { then(resolve) { resolve('settled'); } };",
    want: value("settled"),
  },
  {
    id: "value-that-never-settles",
    code: "export default { then() {} };",
    limits: { wallMs: 1_200 },
    want: { end: "stuck", code: "DEADLOCK" },
  },
  {
    id: "value-with-two-settlements",
    code: "export default { then(resolve, reject) { resolve('first'); reject(new Error('second')); resolve('third'); } };",
    want: value("first"),
  },
  {
    id: "import-of-the-script-itself",
    // A module that awaits itself can never go on: that is the language's own rule.
    code: "const me = await import(['script', 'js'].join('.'));\nexport default typeof me;",
    want: { end: "stuck", code: "DEADLOCK" },
    limits: { wallMs: 5_000 },
    peers: false,
  },
]);
