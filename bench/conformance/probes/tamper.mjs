import { error, family, value } from "./probe.mjs";

const CALL = "const got = await callMCPTool('s__echo', { a: 1, b: [2, { c: 'x' }] });\nexport default got;";
const ECHOED = { a: 1, b: [2, { c: "x" }] };

/** What a script replaces before its call; the call has to go out and come back as if nothing had happened. */
const ATTACKS = {
  json: "JSON.stringify = () => '{\"forged\":1}'; JSON.parse = () => 'forged';",
  "json-getter": "Object.defineProperty(globalThis, 'JSON', { get() { throw new Error('no JSON'); } });",
  "promise-then":
    "Promise.prototype.then = function () { return this; }; Promise.prototype.catch = null; Promise.prototype.finally = null;",
  "promise-constructor": "globalThis.Promise = class { constructor() { throw new Error('no promise'); } };",
  "promise-statics":
    "for (const k of ['resolve', 'reject', 'all', 'race', 'withResolvers']) Promise[k] = () => { throw new Error(k); };",
  "promise-species":
    "Object.defineProperty(Promise, Symbol.species, { get() { throw new Error('species'); } });",
  "array-prototype":
    "for (const k of ['push', 'pop', 'map', 'filter', 'forEach', 'join', 'slice', 'splice', 'indexOf', 'includes', 'concat', 'reduce', 'some', 'at']) Array.prototype[k] = () => { throw new Error(k); };",
  "array-iterator": "Array.prototype[Symbol.iterator] = function* () { yield 'forged'; };",
  "array-iterator-next":
    "const P = Object.getPrototypeOf([][Symbol.iterator]()); P.next = () => ({ done: true });",
  "array-species":
    "Object.defineProperty(Array, Symbol.species, { get() { throw new Error('species'); } }); Array.isArray = () => false; Array.from = null;",
  "object-statics":
    "for (const k of ['keys', 'entries', 'values', 'assign', 'defineProperty', 'getPrototypeOf', 'hasOwn', 'freeze', 'fromEntries']) Object[k] = () => { throw new Error(k); };",
  "object-values":
    "Object.prototype.server = 'other'; Object.prototype.name = 'other'; Object.prototype.tool = 'other'; Object.prototype.code = 'forged';",
  "object-to-json": "Object.prototype.toJSON = undefined;",
  "string-prototype":
    "for (const k of Object.getOwnPropertyNames(String.prototype)) if (k !== 'constructor') try { String.prototype[k] = () => { throw new Error(k); }; } catch {}",
  "string-constructor":
    "globalThis.String = () => 'forged'; globalThis.Number = () => 7; globalThis.BigInt = () => 7n;",
  "map-prototype":
    "for (const k of ['get', 'set', 'has', 'delete', 'forEach', 'clear', 'entries']) Map.prototype[k] = () => { throw new Error(k); }; Object.defineProperty(Map.prototype, 'size', { get() { return 0; } });",
  "set-prototype":
    "for (const k of ['add', 'has', 'delete', 'forEach']) Set.prototype[k] = () => { throw new Error(k); };",
  "weak-map-prototype":
    "for (const k of ['get', 'set', 'has', 'delete']) WeakMap.prototype[k] = () => { throw new Error(k); };",
  "reg-exp-prototype":
    "for (const k of ['exec', 'test']) RegExp.prototype[k] = () => { throw new Error(k); }; RegExp.prototype[Symbol.replace] = RegExp.prototype[Symbol.split] = () => 'forged';",
  "function-prototype":
    "Function.prototype.call = Function.prototype.apply = Function.prototype.bind = () => { throw new Error('call'); }; Function.prototype.toString = () => 'forged';",
  "has-instance":
    "for (const k of ['Error', 'Map', 'Promise', 'Array', 'Object', 'ArrayBuffer']) Object.defineProperty(globalThis[k], Symbol.hasInstance, { value() { throw new Error(k); } });",
  reflect: "for (const k of Object.getOwnPropertyNames(Reflect)) Reflect[k] = () => { throw new Error(k); };",
  symbol: "globalThis.Symbol = undefined;",
  error: "globalThis.Error = globalThis.TypeError = undefined;",
  "error-stack":
    "Object.defineProperty(Error.prototype, 'stack', { get() { return 'forged'; }, set() { throw new Error('stack'); } }); Error.prototype.toString = () => { throw 1; };",
  "all-globals":
    "for (const k of Object.getOwnPropertyNames(globalThis)) if (!['callMCPTool', 'tools', 'env', 'globalThis', 's__echo', '__s__echo_impl', 'JSON', 'Error'].includes(k) && !k.startsWith('__')) try { globalThis[k] = undefined; } catch {}",
  "setter-on-index-0":
    "Object.defineProperty(Object.prototype, '0', { set() { throw new Error('index 0'); }, configurable: true });",
  "setter-on-index-1":
    "Object.defineProperty(Object.prototype, '1', { set() { throw new Error('index 1'); }, configurable: true });",
  "setter-on-array-index-0":
    "Object.defineProperty(Array.prototype, '0', { set() { throw new Error('index 0'); }, configurable: true });",
  "getter-on-indexes":
    "for (let i = 0; i < 8; i++) Object.defineProperty(Object.prototype, String(i), { get() { return 'forged'; }, configurable: true });",
  "silent-setter-on-index-0":
    "Object.defineProperty(Object.prototype, '0', { set() {}, configurable: true });",
  "read-only-index-0":
    "Object.defineProperty(Object.prototype, '0', { value: 'forged', configurable: true });",
  "getters-on-object-prototype":
    "for (const k of ['server', 'tool', 'text', 'level', 'resolve', 'reject', 'id', 'kind', 'path', 'ms', 'isError', 'depth']) Object.defineProperty(Object.prototype, k, { get() { throw new Error(k); }, configurable: true });",
  "setters-on-object-prototype":
    "for (const k of ['a', 'b', 'c', 'n', 'name', 'message', 'code', 'hint', 'server', 'tool', 'content', 'retry']) Object.defineProperty(Object.prototype, k, { set() { throw new Error(k); }, configurable: true });",
  "descriptor-fields":
    "for (const k of ['get', 'set']) Object.prototype[k] = function () { return 'forged'; };",
  "descriptor-fields-false":
    "for (const k of ['writable', 'enumerable', 'configurable', 'value']) Object.defineProperty(Object.prototype, k, { __proto__: null, get() { throw new Error(k); }, configurable: true });",
  "then-on-object-prototype": "Object.prototype.then = undefined;",
  "frozen-intrinsics":
    "for (const k of Object.getOwnPropertyNames(globalThis)) { try { Object.freeze(globalThis[k]); Object.freeze(globalThis[k]?.prototype); } catch {} }",
  "prototype-of-prototype":
    "try { Object.setPrototypeOf(Array.prototype, new Proxy({}, { get() { throw new Error('trap'); }, has() { throw new Error('has'); } })); } catch {}",
  "own-call-tool": "const mine = callMCPTool; globalThis.callMCPTool = () => 'forged';",
};

export const TAMPER = family("tampering", [
  ...Object.entries(ATTACKS).map(([id, code]) => ({
    id: `tamper-${id}`,
    code:
      id === "own-call-tool"
        ? `${code} const got = await mine('s__echo', { a: 1, b: [2, { c: 'x' }] });\nexport default got;`
        : `${code}\n${CALL}`,
    // These two reach the script's own awaits and arrays: an error of its own is as right as the value.
    want: value(ECHOED, ["promise-species", "prototype-of-prototype"].includes(id) ? { orError: true } : {}),
    ...(id === "own-call-tool" ? { peers: false } : {}),
  })),
  {
    id: "tamper-promise-constructor-getter",
    code: "Object.defineProperty(Promise.prototype, 'constructor', { get() { throw new Error('constructor'); }, configurable: true });\nlet got; callMCPTool('s__echo', { a: 1 }); \nexport default 'went';",
    want: value("went", { also: ({ calls }) => (calls.ok === 1 ? "" : "the call did not go out") }),
    peers: false,
  },
  {
    id: "tamper-then-error-of-a-tool",
    code: "for (const k of ['get', 'set']) Object.prototype[k] = function () {}; Object.defineProperty(Object.prototype, '0', { set() { throw 1; } });\nlet e; try { await callMCPTool('s__fail'); } catch (x) { e = x; }\nexport default e.message;",
    want: value((said) => String(said).includes("denied by the tool")),
  },
  {
    id: "tamper-then-throw",
    code: "for (const k of ['get', 'set']) Object.prototype[k] = function () {}; Object.defineProperty(Object.prototype, '0', { set() { throw 1; } }); JSON.stringify = String.prototype.slice = null;\nthrow new RangeError('the real one');\nexport default 1;",
    want: error({ message: /the real one/, line: 2 }),
  },
  {
    id: "tamper-then-console",
    code: "Object.defineProperty(Object.prototype, '0', { set() { throw 1; } }); Object.prototype.get = () => {}; JSON.stringify = null; Array.prototype.join = String.prototype.replace = null;\nconsole.log('line', 7);\nexport default 1;",
    want: value(1, {
      also: ({ output }) => (output[0] === "line 7" ? "" : `printed ${JSON.stringify(output)}`),
    }),
    peers: false,
  },
  {
    id: "tamper-then-timer",
    code: "for (const k of ['get', 'set', 'has', 'delete']) Map.prototype[k] = null; Promise.prototype.then = null; Math.trunc = Math.min = null; globalThis.Number = null;\nawait new Promise((r) => setTimeout(r, 5));\nexport default 'fired';",
    want: value("fired"),
    peers: ["sebastianwessel"],
  },
  {
    id: "tamper-then-files",
    code: "JSON.stringify = JSON.parse = null; String.prototype.toLowerCase = null; Promise.prototype.then = null; Array.prototype.push = null;\nawait fs.writeFile('./workspace/tamper.txt', 'text'); const back = await fs.readFile('./workspace/tamper.txt', 'utf8');\nexport default back;",
    want: value("text"),
    peers: false,
  },
  {
    id: "tamper-value",
    code: "Object.defineProperty(Object.prototype, '0', { set() { throw 1; } }); Object.prototype.get = () => {}; JSON.stringify = null; Object.keys = null;\nexport default { list: [1, { x: 'y' }], big: 2n ** 70n, map: new Map([['k', 1]]) };",
    want: value({ list: [1, { x: "y" }], big: 2n ** 70n, map: { k: 1 } }),
    peers: false,
  },
  {
    id: "tamper-is-gone-in-the-next-run",
    code: "const clean = typeof ({}).polluted + typeof [].map; Object.prototype.polluted = 1; Array.prototype.map = null; globalThis.left = 1;\nexport default clean + typeof left;",
    times: 2,
    want: value((said) => said === "undefinedfunctionnumber"),
  },
]);
