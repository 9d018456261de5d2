import variant from "@jitl/quickjs-wasmfile-release-sync";
import { newQuickJSWASMModuleFromVariant, type QuickJSHandle } from "quickjs-emscripten-core";

/** How a bundle ended in a bare engine. */
export interface GuestEnd {
  readonly value: unknown;
  readonly error:
    | {
        readonly name: string;
        readonly message: string;
        readonly stack: string;
        readonly code?: string;
        readonly hint?: string;
      }
    | undefined;
  /** Calls through the door, in order: name and JSON of the arguments. */
  readonly calls: readonly { readonly name: string; readonly args: string; readonly stack: string }[];
  readonly printed: readonly string[];
}

/** The globals that a bundle may count on, as small as they can be; the real ones belong to the sandbox. */
const PRELUDE = `
globalThis.MCPToolError = class MCPToolError extends Error {
  constructor(fields) { super(fields.message); this.name = "MCPToolError"; Object.assign(this, fields); }
};
globalThis.callMCPTool = (name, args) => {
  const caller = new Error("x").stack;
  const answer = JSON.parse(door(name, JSON.stringify(args ?? {}), caller));
  if (!answer.isError) return Promise.resolve(answer.value);
  const error = new MCPToolError({ message: "refused", code: "TOOL_ERROR", hint: "" });
  error.stack = caller;
  return Promise.reject(error);
};
for (const name of ["dispose", "asyncDispose"]) Symbol[name] ??= Symbol.for("Symbol." + name);
globalThis.tool = (name) => (input) => callMCPTool(name, input);
globalThis.mcp = { callTool: callMCPTool };
globalThis.console = { log: (...values) => print(values.join(" ")) };
const files = new Map();
globalThis.fs = {
  readFile: async (path) => files.get(path),
  writeFile: async (path, text) => { files.set(path, text); },
  readFileSync: () => { throw new Error("Use await fs.readFile(path)."); },
};
Object.defineProperty(fs, "promises", { value: fs });
let clock = 0;
globalThis.setTimeout = (callback, ms) => { clock += ms ?? 0; Promise.resolve().then(callback); };
`;

/** Runs a bundle in QuickJS under the name \`script.js\`, as the sandbox does. \`answer\` is what tools answer. */
export async function runInGuest(
  code: string,
  answer: (name: string, args: any) => unknown = () => null,
  args: unknown = undefined,
): Promise<GuestEnd> {
  const quickjs = await newQuickJSWASMModuleFromVariant(variant as any);
  const context = quickjs.newContext();
  const calls: { name: string; args: string; stack: string }[] = [];
  const printed: string[] = [];
  try {
    define("door", (name, argsText, stack) => {
      calls.push({ name: name ?? "", args: argsText ?? "", stack: stack ?? "" });
      const value = answer(name ?? "", JSON.parse(argsText ?? "{}"));
      return JSON.stringify(value instanceof Error ? { isError: true } : { value });
    });
    define("print", (line) => {
      printed.push(line ?? "");
      return "";
    });
    context.unwrapResult(context.evalCode(PRELUDE, "prelude.js")).dispose();
    context
      .unwrapResult(context.evalCode(`globalThis.args = ${JSON.stringify(args) ?? "undefined"}`))
      .dispose();
    const evaluated = context.evalCode(code, "script.js", { type: "module" });
    if (evaluated.error) return { value: undefined, error: errorOf(evaluated.error), calls, printed };
    const settled = context.resolvePromise(evaluated.value);
    context.runtime.executePendingJobs();
    const result = await settled;
    evaluated.value.dispose();
    if (result.error) return { value: undefined, error: errorOf(result.error), calls, printed };
    const exported = context.getProp(result.value, "default");
    result.value.dispose();
    if (context.typeof(exported) !== "function")
      return { value: take(exported), error: undefined, calls, printed };
    const called = context.unwrapResult(context.evalCode("(f) => Promise.resolve(f(args))"));
    const promise = context.unwrapResult(context.callFunction(called, context.undefined, exported));
    const answered = context.resolvePromise(promise);
    context.runtime.executePendingJobs();
    const end = await answered;
    for (const handle of [called, promise, exported]) handle.dispose();
    if (end.error) return { value: undefined, error: errorOf(end.error), calls, printed };
    return { value: take(end.value), error: undefined, calls, printed };
  } finally {
    context.dispose();
  }

  function define(name: string, run: (...texts: (string | undefined)[]) => string): void {
    const handle = context.newFunction(name, (...handles) =>
      context.newString(run(...handles.map((item) => context.getString(item)))),
    );
    context.setProp(context.global, name, handle);
    handle.dispose();
  }

  function take(handle: QuickJSHandle): any {
    const value: unknown = context.dump(handle);
    handle.dispose();
    return value;
  }

  function errorOf(handle: QuickJSHandle): GuestEnd["error"] {
    return take(handle) as GuestEnd["error"];
  }
}
