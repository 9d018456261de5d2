import { mkdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Bundler, createBundler } from "../../src/bundle/bundler.ts";
import { runInGuest } from "./guest.ts";
import { makeWorkspace, worldOf } from "./workspace.ts";

let workspace: Awaited<ReturnType<typeof makeWorkspace>>;
let bundler: Bundler;

beforeAll(async () => {
  bundler = createBundler();
  workspace = await makeWorkspace();
});
afterAll(async () => {
  await bundler.close();
  await workspace.remove();
});

const bundle = (text: string, file?: string) =>
  bundler.bundle(
    { path: file === undefined ? undefined : join(workspace.root, file), name: file ?? "<stdin>", text },
    worldOf(workspace.root),
  );

async function run(text: string, args?: unknown, file?: string): Promise<unknown> {
  const end = await runInGuest((await bundle(text, file)).code, (name) => name, args);
  if (end.error) throw new Error(`${end.error.message}\n${end.error.stack}`);
  return end.value;
}

describe("the value of a script", () => {
  const cases: readonly [name: string, script: string, value: unknown][] = [
    ["an exported value", "export default [1, 2];", [1, 2]],
    [
      "an exported function, called with the arguments",
      "export default async (input: any) => input.id + 1;",
      8,
    ],
    [
      "a named function, called with the arguments",
      "export default function main({ id }: { id: number }) {\n  return id;\n}",
      7,
    ],
    ["an export list", "const x = 3;\nexport { x as default };", 3],
    ["none", "const x = 3;", undefined],
    ["none, of a script with other exports", "export const x = 3;", undefined],
    ["a top-level return", "return 5;", 5],
    ["a top-level return behind await", "const x = await Promise.resolve(2);\nreturn x * 2;", 4],
    [
      "a top-level return in a block",
      "for (const x of [1, 2, 3]) {\n  if (x === 2) return x;\n}\nreturn 0;",
      2,
    ],
    ["a top-level return without a value", "if (args.id) return;\nreturn 1;", undefined],
    ["a top-level return of an object", "return {\n  a: 1,\n};", { a: 1 }],
    ["a top-level return and a comment at the end", "return 1; // the end", 1],
    [
      "a top-level return in a try",
      "try {\n  throw new Error();\n} catch {\n  return 'caught';\n}",
      "caught",
    ],
    [
      "a top-level return with imports of every form",
      'import * as s from "./servers/salesforce"\nimport { query /* } */, updateRecord as u } from "./servers/salesforce";import type { A } from "./servers/slack";\nimport fs1,\n  { readFile } from "node:fs/promises"\nreturn [typeof s.query, typeof u, typeof query, fs1 === fs, typeof readFile];',
      ["function", "function", "function", true, "function"],
    ],
    [
      "a top-level return in a script with functions of its own",
      "function f() {\n  return 1;\n}\nclass A {\n  m() {\n    return 2;\n  }\n}\nreturn f() + new A().m();",
      3,
    ],
    [
      "a top-level return behind an enum, an interface and a type",
      "enum A { B = 'b' }\ninterface C { d: A }\ntype D = C;\nreturn A.B satisfies string as unknown;",
      "b",
    ],
    ["returns in functions alone are none", "const f = () => {\n  return 1;\n};\nexport default f();", 1],
    ["the word in a string is none", "export default 'return 1';", "return 1"],
  ];
  it.each(cases)("%s", async (_name, script, value) => expect(await run(script, { id: 7 })).toEqual(value));
});

describe("TypeScript is read as it is", () => {
  const cases: readonly [name: string, script: string, value: unknown][] = [
    [
      "type imports, enums, satisfies, as and const assertions",
      'import type { GetInput } from "./servers/salesforce/query";\nimport { query } from "./servers/salesforce";\nenum Mode { A = "a" }\nconst arg = { id: "1" } satisfies GetInput;\nconst r = (await query(arg)) as string;\nexport default <const>[Mode.A, r.length];',
      ["a", 17],
    ],
    [
      "const enums and namespaces",
      "const enum A { B = 4 }\nnamespace N { export const x = 2; }\nexport default A.B + N.x;",
      6,
    ],
    [
      "generics, overloads and abstract classes",
      "abstract class A<T> { constructor(protected readonly x: T) {} }\nclass B extends A<number> { get() { return this.x; } }\nfunction f(a: string): string;\nfunction f(a: any) { return a; }\nexport default [new B(3).get(), f('x')];",
      [3, "x"],
    ],
    [
      "decorators",
      "function tag(value: any, context: { name: string }) { return function (this: any) { return context.name; }; }\nclass A { @tag m() { return 1; } }\nexport default new A().m();",
      "m",
    ],
    [
      "definite assignment, optional chaining and non-null",
      "let a!: number;\na = 1;\nconst o: { p?: { q: number } } = { p: { q: 2 } };\nexport default a + o.p!.q + (o?.p?.q ?? 0);",
      5,
    ],
    [
      "using",
      "const log: string[] = [];\n{\n  using x = { [Symbol.dispose]: () => log.push('closed') };\n}\nexport default log;",
      ["closed"],
    ],
    [
      "names of types that exist nowhere",
      "const m = new Map<string, LogEntry>();\nexport default m.size;",
      0,
    ],
  ];
  it.each(cases)("%s", async (_name, script, value) => expect(await run(script)).toEqual(value));
  it("a .js file is JavaScript, an .mts file TypeScript", async () => {
    expect(await run("export default 1 < 2 > (3);", undefined, "a.js")).toBe(false);
    expect(await run("const a: number = 1;\nexport default a;", undefined, "a.mts")).toBe(1);
    await expect(bundle("const a: number = 1;", "b.js")).rejects.toMatchObject({ code: "SCRIPT_ERROR" });
  });
  it("CommonJS has no meaning, and a warning says so", async () => {
    const built = await bundle("module.exports = 1;\nawait 1;");
    expect(built.warnings.join()).toMatch(/^<stdin>:1: /);
  });
});

describe("nothing outside the workspace's scripts is read", () => {
  it("no file that a sourceMappingURL names, in any spelling", async () => {
    const map = {
      version: 3,
      sources: ["secret.ts"],
      sourcesContent: ["TOP SECRET"],
      mappings: "AAAA",
      names: [],
    };
    for (const folder of [workspace.root, workspace.outside])
      await writeFile(join(folder, "secret.map"), JSON.stringify(map));
    const inline = `data:application/json;base64,${Buffer.from(JSON.stringify(map)).toString("base64")}`;
    const targets = [
      pathToFileURL(join(workspace.outside, "secret.map")).href,
      join(workspace.outside, "secret.map"),
      "secret.map",
      "../outside/secret.map",
      inline,
    ];
    await mkdir(join(workspace.root, "skills"), { recursive: true });
    for (const target of targets) {
      const comments = [
        `//# sourceMappingURL=${target}`,
        `//@ sourceMappingURL=${target}`,
        `/*# sourceMappingURL=${target} */`,
        `/* text # sourceMappingURL=${target} */`,
        `//# sourceMappingURL=${target}\n//# sourceMappingURL=${target}`,
      ];
      for (const comment of comments) {
        await writeFile(join(workspace.root, "skills/mapped.ts"), `export const mapped = 1; ${comment}`);
        for (const text of [
          `export default 1; ${comment}`,
          `${comment}\nexport default 1;`,
          `return 1; ${comment}`,
          'import { mapped } from "./skills/mapped";\nexport default mapped;',
        ]) {
          const built = await bundle(text, "script.ts");
          expect(built.map).not.toMatch(/SECRET|secret/);
          expect(built.code).not.toMatch(/SECRET|sourceMappingURL/);
        }
      }
    }
    await rm(join(workspace.root, "skills/mapped.ts"));
  });
  it("the text itself stays what it is in a string", async () => {
    const script = 'export default "//# sourceMappingURL=x".length + `//# sourceMappingURL=y`.length;';
    expect(await run(script)).toBe(44);
  });
  it("no tsconfig.json and no package.json has a say", async () => {
    const tsconfig = {
      compilerOptions: { paths: { "./servers/*": ["./nowhere/*"] }, jsxFactory: "x", target: "es5" },
    };
    await writeFile(join(workspace.root, "tsconfig.json"), JSON.stringify(tsconfig));
    await writeFile(
      join(workspace.root, "package.json"),
      '{ "browser": { "./servers/slack/index.ts": false }, "imports": { "#x": "./x.ts" } }',
    );
    expect(
      await run(
        'import { query } from "./servers/salesforce";\nclass A { x = 1; }\nexport default await query({});',
      ),
    ).toBe("salesforce__query");
  });
});

describe("a script that would harm the bundler", () => {
  it.each([
    ["brackets", `export default ${"[".repeat(200_000)}${"]".repeat(200_000)};`],
    ["parentheses", "(".repeat(3_000_000)],
  ])("is refused before it is parsed: %s", async (_name, text) => {
    await expect(bundle(text)).rejects.toMatchObject({ code: "SCRIPT_ERROR", message: /nested too deeply/ });
  });
  it("also as an import", async () => {
    await writeFile(join(workspace.root, "deep.ts"), `export default ${"[".repeat(200_000)};`);
    const bundling = bundle('import deep from "./deep";\nexport default deep;');
    await expect(bundling).rejects.toMatchObject({ code: "IMPORT_REFUSED", message: /nested too deeply/ });
  });
  it("deep but sane nesting is fine", async () => {
    const depth = 500;
    expect(await run(`export default ${"(".repeat(depth)}7${")".repeat(depth)};`)).toBe(7);
  });
  it("a bundler closed by its owner costs another one nothing", async () => {
    const other = createBundler();
    const source = { path: undefined, name: "<stdin>", text: "export default 1;" };
    const [, built] = await Promise.all([other.close(), bundler.bundle(source, worldOf(workspace.root))]);
    expect(built.code).toContain("export");
    await expect(bundler.bundle(source, worldOf(workspace.root))).resolves.toBeDefined();
  });
  it("scripts bundled at once do not mix", async () => {
    const values = await Promise.all(Array.from({ length: 8 }, (_, i) => run(`const a = ${i};\nreturn a;`)));
    expect(values).toEqual([0, 1, 2, 3, 4, 5, 6, 7]);
  });
});
