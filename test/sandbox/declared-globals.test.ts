import variant from "@jitl/quickjs-wasmfile-release-sync";
import { newQuickJSWASMModuleFromVariant } from "quickjs-emscripten-core";
import { Project, type SourceFile } from "ts-morph";
import { describe, expect, test } from "vitest";
import { SANDBOX_TYPES } from "../../src/render/sandbox-types.ts";
import { resultOf } from "./run-script.ts";

/** M14: what `sandbox.d.ts` declares is what a script finds, and nothing else. */
const declarations: SourceFile = new Project({
  useInMemoryFileSystem: true,
  compilerOptions: { noLib: true },
}).createSourceFile("sandbox.d.ts", SANDBOX_TYPES);

/** The names that the bare engine has: the language. */
async function namesOfTheLanguage(): Promise<readonly string[]> {
  const engine = await newQuickJSWASMModuleFromVariant(variant as never);
  const context = engine.newContext();
  try {
    const names = context.unwrapResult(context.evalCode("Object.getOwnPropertyNames(globalThis)"));
    return names.consume((handle) => context.dump(handle) as string[]);
  } finally {
    context.dispose();
  }
}

function declaredGlobals(): readonly string[] {
  return [
    ...declarations.getVariableDeclarations().map((one) => one.getName()),
    ...declarations.getFunctions().map((one) => one.getName() ?? ""),
    ...declarations.getClasses().map((one) => one.getName() ?? ""),
  ].filter((name, index, all) => all.indexOf(name) === index);
}

/** Names of the members of an interface or class; static ones apart. */
function declaredMembers(name: string, areStatic = false): readonly string[] {
  const kind = declarations.getInterface(name) ?? declarations.getClassOrThrow(name);
  const members = [...kind.getProperties(), ...kind.getMethods()];
  const wanted = members.filter((member) => ("isStatic" in member ? member.isStatic() : false) === areStatic);
  return [...new Set(wanted.map((member) => member.getName()))]
    .filter((member) => !member.startsWith("["))
    .sort();
}

test("the globals that are declared are those that exist", async () => {
  const code =
    "new URL('a:b'); export default Object.getOwnPropertyNames(globalThis).filter((name) => !args.includes(name));";
  const real = (await resultOf(code, { args: await namesOfTheLanguage() })) as string[];
  // `Date` is the language's, replaced in place.
  expect([...declaredGlobals()].sort()).toEqual(real.sort());
});

describe("the members that are declared are those that exist", () => {
  const OWN = (expression: string): string => `Object.getOwnPropertyNames(${expression})`;
  const cases: readonly (readonly [declared: string, expression: string])[] = [
    ["Console", OWN("console")],
    ["FileSystem", `${OWN("fs")}.filter((name) => !/Sync$|Stream$/.test(name))`],
    ["Timeout", OWN("Object.getPrototypeOf(setTimeout(() => {}, 1))")],
    ["TextEncoder", `[...${OWN("TextEncoder.prototype")}, ...Object.keys(new TextEncoder())]`],
    ["TextDecoder", `[...${OWN("TextDecoder.prototype")}, ...Object.keys(new TextDecoder())]`],
    ["AbortSignal", `[...${OWN("AbortSignal.prototype")}, ...Object.keys(AbortSignal.abort())]`],
    ["AbortController", `[...${OWN("AbortController.prototype")}, ...Object.keys(new AbortController())]`],
    ["DOMException", OWN("DOMException.prototype")],
    ["URL", OWN("URL.prototype")],
    ["URLSearchParams", OWN("URLSearchParams.prototype")],
    ["FileStats", "Object.keys(await fs.stat('x'))"],
    ["FileEntry", "Object.keys((await fs.readdir('x', { withFileTypes: true }))[0])"],
  ];
  const tools = {
    mcpfs__stat_file: () => ({ kind: "file", size: 1, modifiedMs: 1 }),
    mcpfs__list_files: () => [{ name: "a", kind: "file" }],
  };
  test.each(cases)("%s", async (declared, expression) => {
    const code = `new URL('a:b'); export default (${expression}).filter((name) => name !== 'constructor');`;
    const real = (await resultOf(code, { tools })) as string[];
    expect(declaredMembers(declared)).toEqual([...new Set(real)].sort());
  });

  const statics: readonly (readonly [declared: string, expression: string])[] = [
    ["AbortSignal", "AbortSignal"],
    ["URL", "URL"],
  ];
  test.each(statics)("static members of %s", async (declared, expression) => {
    const code = `new URL('a:b'); export default Object.getOwnPropertyNames(${expression}).filter((name) => !['length', 'name', 'prototype'].includes(name));`;
    expect(declaredMembers(declared, true)).toEqual(((await resultOf(code)) as string[]).sort());
  });

  test("crypto and performance", async () => {
    const code = "export default [Object.keys(crypto).sort(), Object.keys(performance).sort()];";
    const members = ["crypto", "performance"].map((name) =>
      declarations
        .getVariableDeclarationOrThrow(name)
        .getType()
        .getProperties()
        .map((property) => property.getName())
        .sort(),
    );
    expect(await resultOf(code)).toEqual(members);
  });
});

test("names of Node's fs that only say what to use are not declared, and say it", async () => {
  const code =
    "const out = []; for (const name of Object.keys(fs)) if (/Sync$|Stream$/.test(name)) try { fs[name]('x'); out.push(name); } catch (e) { if (e.code !== 'IMPORT_REFUSED') out.push(name); } export default out;";
  expect(await resultOf(code)).toEqual([]);
  expect(SANDBOX_TYPES).not.toMatch(/Sync\b|Stream\b/);
});
