import { family, value } from "./probe.mjs";

/** Each is to end as an error that the script can catch, or to give a value; never to take the host with it. */
const CAUGHT = {
  recursion: "(function f() { f(); })();",
  "recursion-of-two": "const a = () => b(), b = () => a(); a();",
  "recursion-by-getter": "({ get a() { return this.a; } }).a;",
  "recursion-by-setter": "({ set a(v) { this.a = v; } }).a = 1;",
  "recursion-by-proxy": "let p = {}; for (let i = 0; i < 1e5; i++) p = new Proxy(p, {}); p.x;",
  "recursion-by-to-string": "const o = { toString() { return `${o}`; } }; String(o);",
  "recursion-by-constructor": "class A { constructor() { new A(); } } new A();",
  "recursion-by-spread": "const f = (...a) => f(...a, 1); f();",
  "recursion-by-async": "const f = async () => await f(); await f();",
  "recursion-by-generator": "function* g() { yield* g(); } g().next();",
  "recursion-by-replace": "const f = () => 'a'.replace(/a/, f); f();",
  "recursion-by-sort": "const f = () => [2, 1].sort(f); f();",
  "recursion-by-reduce": "const f = (a, b) => [1, 2].reduce(f); f();",
  "recursion-by-apply": "const f = () => Reflect.apply(f, null, []); f();",
  "recursion-by-bind": "let f = () => 1; for (let i = 0; i < 3e3; i++) f = f.bind(); f();",
  "recursion-by-reviver": "const f = () => JSON.parse('[1]', f); f();",
  "recursion-by-to-json": "const o = { toJSON() { return JSON.stringify(o); } }; JSON.stringify(o);",
  "recursion-by-prototype-chain":
    "let o = {}; for (let i = 0; i < 1e6; i++) o = Object.create(o); o.missing;",
  "recursion-by-eval": "const f = (n) => (0, eval)('globalThis.f(' + n + ')'); globalThis.f = f; f(1);",
  "json-parse-deep-arrays": "JSON.parse('['.repeat(200_000) + ']'.repeat(200_000));",
  "json-parse-deep-objects": "JSON.parse('{\"a\":'.repeat(200_000) + '1' + '}'.repeat(200_000));",
  "json-stringify-deep": "let a = []; for (let i = 0; i < 100_000; i++) a = [a]; JSON.stringify(a);",
  "string-of-deep-arrays": "let a = []; for (let i = 0; i < 100_000; i++) a = [a]; String(a);",
  "flat-of-deep-arrays": "let a = []; for (let i = 0; i < 100_000; i++) a = [a]; a.flat(Infinity);",
  "source-of-many-parentheses": "(0, eval)('('.repeat(10_000) + '1' + ')'.repeat(10_000));",
  "source-of-many-braces": "(0, eval)('{'.repeat(50_000) + '}'.repeat(50_000));",
  "regex-of-many-groups": "new RegExp('('.repeat(1e5) + ')'.repeat(1e5));",
  "regex-of-many-classes": "/x/.test(new RegExp('(?:'.repeat(5e4) + 'a' + ')*'.repeat(5e4)).source);",
};
/** Printing deep data takes time that grows with the square of its depth. */
const PATIENT = { wallMs: 60_000, cpuMs: 60_000 };
const deep = "let a = []; for (let i = 0; i < 100_000; i++) a = [a];";

export const DEPTH = family("depth", [
  ...Object.entries(CAUGHT).map(([id, code]) => ({
    id,
    code: `let ended = 'went on'; try { ${code} } catch (e) { ended = e.name; }\nexport default ended;`,
    limits: PATIENT,
    want: value((ended) => /Error$|^went on$/.test(ended)),
  })),
  {
    id: "arguments-deep",
    limits: PATIENT,
    code: `${deep} let said; try { await callMCPTool('s__echo', { a }); said = 'went'; } catch (e) { said = e.name; }\nexport default said;`,
    want: value((said) => /Error$/.test(said)),
  },
  {
    id: "value-deep",
    limits: PATIENT,
    code: `${deep}\nexport default a;`,
    want: { end: "error", code: "SCRIPT_ERROR", message: /nested too deeply/ },
    peers: "values do not leave as JSON",
  },
  { id: "console-deep", limits: PATIENT, code: `${deep} console.log(a);\nexport default 1;`, want: value(1) },
  {
    id: "answer-deep",
    // Five thousand levels: all of them, the text as it came, or a plain refusal.
    code: "let n = 0; try { const a = await callMCPTool('s__deep'); if (typeof a === 'string') n = 'text'; else for (let at = a; at?.length; at = at[0]) n++; } catch (e) { n = e.code ?? e.name; }\nexport default n;",
    want: value((n) => [4_999, "text", "LIMIT_RESULT"].includes(n)),
  },
  {
    id: "clone-deep",
    limits: PATIENT,
    code: `${deep} let said = 'went on'; try { structuredClone(a); } catch (e) { said = e.name; }\nexport default said;`,
    want: value((said) => /Error$|^went on$/.test(said)),
    peers: false,
  },
  {
    id: "uncaught-recursion",
    code: "\nfunction f() { f(); }\nf();\nexport default 1;",
    want: { end: "error", code: "SCRIPT_ERROR", message: /stack/i, line: 2 },
  },
  {
    id: "uncaught-deep-json",
    code: "JSON.parse('['.repeat(200_000));\nexport default 1;",
    want: { end: "error", code: "SCRIPT_ERROR" },
  },
]);
