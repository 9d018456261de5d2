import { family, value } from "./probe.mjs";

const nothing = (code, more = {}) => ({
  code: `${code}`,
  want: value((found) => found === "undefined" || found === "none" || /Error/.test(String(found))),
  ...more,
});
const caught = (expression) =>
  `let found; try { found = ${expression}; } catch (e) { found = e.name; }\nexport default String(found);`;

export const ESCAPE = family("escapes", [
  { id: "function-constructor", ...nothing(caught("(() => {}).constructor('return typeof process')()")) },
  {
    id: "function-constructor-require",
    ...nothing(caught("(() => {}).constructor('return typeof require')()")),
  },
  {
    id: "async-function-constructor",
    ...nothing(caught("await (async () => {}).constructor('return typeof process')()")),
  },
  {
    id: "generator-function-constructor",
    ...nothing(caught("(function* () {}).constructor('yield typeof process')().next().value")),
  },
  {
    id: "async-generator-constructor",
    ...nothing(caught("(await (async function* () {}).constructor('yield typeof process')().next()).value")),
  },
  { id: "constructor-of-the-door", ...nothing(caught("callMCPTool.constructor('return typeof process')()")) },
  {
    id: "constructor-of-an-answer",
    ...nothing(caught("(await callMCPTool('s__one')).constructor.constructor('return typeof process')()")),
  },
  {
    id: "constructor-of-a-tool-error",
    code: "let found; try { await callMCPTool('s__fail'); } catch (e) { found = e.constructor.constructor('return typeof process')(); }\nexport default found;",
    want: value("undefined"),
  },
  {
    id: "constructor-of-a-promise",
    ...nothing(caught("callMCPTool('s__one').constructor.constructor('return typeof process')()")),
  },
  { id: "constructor-of-console", ...nothing(caught("console.log.constructor('return typeof process')()")) },
  {
    id: "constructor-of-a-stack",
    ...nothing(caught("new Error().stack.constructor.constructor('return typeof process')()")),
  },
  { id: "direct-eval", ...nothing(caught("eval('typeof process')")) },
  { id: "indirect-eval", ...nothing(caught("(0, eval)('typeof require')")) },
  {
    id: "import-node",
    ...nothing(
      "let found; try { const name = 'node:' + 'fs'; found = typeof (await import(name)).readFileSync; } catch (e) { found = e.name; }\nexport default found;",
      { peers: ["executor", "tanstack"] },
    ),
  },
  {
    id: "import-from-disk",
    ...nothing(
      "let found; try { const name = '/etc/' + 'hostname'; found = JSON.stringify(await import(name)); } catch (e) { found = e.name; }\nexport default found;",
    ),
  },
  {
    id: "import-from-a-url",
    ...nothing(
      "let found; try { const name = 'https://example.com/' + 'x.js'; found = typeof await import(name); } catch (e) { found = e.name; }\nexport default found;",
    ),
  },
  {
    id: "import-in-evaluated-source",
    ...nothing(
      "let found; try { found = typeof (await (0, eval)(\"import('node:child_process')\")).execSync; } catch (e) { found = e.name; }\nexport default found;",
    ),
  },
  {
    id: "global-names-of-the-host",
    code: "const names = ['process', 'require', 'Buffer', 'global', 'Deno', 'Bun', 'WebAssembly', '__dirname', 'XMLHttpRequest', 'WebSocket'];\nexport default names.filter((n) => typeof globalThis[n] !== 'undefined');",
    want: value([]),
  },
  {
    id: "prototype-of-global",
    ...nothing(
      caught("Object.getPrototypeOf(globalThis).constructor.constructor('return typeof process')()"),
    ),
  },
  { id: "caller-of-the-door", ...nothing(caught("typeof callMCPTool.caller")) },
  {
    id: "arguments-callee",
    ...nothing(caught("(function () { return typeof arguments.callee.caller; })()")),
  },
  {
    id: "atomics-wait",
    ...nothing(caught("Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 60_000)"), {
      limits: { wallMs: 5_000 },
    }),
  },
  {
    id: "finalization",
    code: "let n = 0; const r = new FinalizationRegistry(() => { n++; callMCPTool('s__one'); }); for (let i = 0; i < 1_000; i++) r.register({}, i); await callMCPTool('s__one');\nexport default 'done';",
    want: value("done"),
  },
  {
    id: "host-paths-in-a-stack",
    code: "const stacks = [new Error('a').stack]; try { await callMCPTool('s__fail'); } catch (e) { stacks.push(e.stack); } try { null.x; } catch (e) { stacks.push(e.stack); }\nexport default stacks.join('\\n');",
    want: value((stack) => !/node_modules|\/home\/|\/tmp\/|\.wasm|file:\/\//.test(String(stack))),
  },
  {
    id: "library-frames-in-a-stack",
    code: "const stacks = []; try { await callMCPTool('s__fail'); } catch (e) { stacks.push(e.stack); } try { fs.readFileSync('x'); } catch (e) { stacks.push(e.stack); } try { await fs.readFile('./workspace/none'); } catch (e) { stacks.push(e.stack); }\nexport default stacks.join('\\n').includes('mcpfs');",
    want: value(false),
    peers: false,
  },
  {
    id: "import-meta",
    code: "let said; try { said = JSON.stringify(import.meta); } catch (e) { said = e.name; }\nexport default said;",
    want: value((said) => !/\/tmp|\/home|file:/.test(String(said))),
    peers: ["sebastianwessel"],
  },
  {
    id: "wrapper-variables",
    code: "const names = ['door', 'deliver', 'mcpfsHooks', 'outcome', 'waiting', 'hostFunction'];\nexport default names.filter((n) => { try { return typeof (0, eval)(n) !== 'undefined'; } catch { return false; } });",
    want: value([]),
    peers: false,
  },
  {
    id: "only-one-host-function",
    code: "const native = (f) => typeof f === 'function' && /native code/.test(Function.prototype.toString.call(f));\nexport default ['callMCPTool', 'console', 'fs', 'setTimeout', 'structuredClone', 'crypto', 'performance', 'mcp'].filter((n) => native(globalThis[n]) || Object.values(globalThis[n] ?? {}).some(native));",
    want: value([]),
    peers: false,
  },
  {
    id: "static-import-of-node",
    code: 'import { execSync } from "node:child_process";\nexport default execSync;',
    want: { end: "error", code: "IMPORT_REFUSED", line: 1 },
    peers: ["sebastianwessel"],
  },
  ...[
    "../outside/secret.txt",
    "./.mcpfs/lock",
    "/etc/passwd",
    "https://example.com/x.js",
    "data:text/javascript,1",
    "./workspace/inside.txt",
    "./servers/../../outside/x",
    "#internal",
    "lodash",
    "./servers%2fs",
  ].map((specifier, index) => ({
    id: `import-refused-${index + 1}`,
    code: `import * as x from ${JSON.stringify(specifier)};\nexport default Object.keys(x);`,
    want: { end: "error", code: "IMPORT_REFUSED", line: 1 },
    peers: false,
  })),
  {
    id: "source-map-comment",
    code: "export default 1;\n//# sourceMappingURL=file:///etc/passwd",
    want: value(1),
    peers: false,
  },
]);
