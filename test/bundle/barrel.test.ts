import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Bundler, createBundler } from "../../src/bundle/bundler.ts";
import { indexPart } from "../../src/bundle/index-part.ts";
import { runInGuest } from "./guest.ts";
import { makeWorkspace, worldOf } from "./workspace.ts";

/** M2: an index is made for reading; what a script does not ask of it costs nothing. */
const TOOLS = Array.from({ length: 60 }, (_, n) => `tool${n}`);
const wrapper = (name: string): string =>
  `import { callMCPTool } from "../../client.js";\n\nexport function ${name}(input: any = {}): Promise<any> {\n  return callMCPTool("wide__${name}", input);\n}\n`;

let workspace: Awaited<ReturnType<typeof makeWorkspace>>;
let bundler: Bundler;

beforeAll(async () => {
  bundler = createBundler();
  workspace = await makeWorkspace({
    "servers/wide/index.ts": `${TOOLS.map((name) => `export * from "./${name}.js"; // Does ${name}.`).join("\n")}\nexport * from "./gone.js";\n`,
    ...Object.fromEntries(TOOLS.map((name) => [`servers/wide/${name}.ts`, wrapper(name)])),
    "skills/wide/index.ts":
      'import { tool3, tool4 } from "../../servers/wide";\nexport const three = tool3;\nexport const four = () => tool4({});\n',
    "skills/list/index.ts":
      'import * as wide from "../../servers/wide";\nexport const names = () => Object.keys(wide);\n',
  });
});
afterAll(async () => {
  await bundler.close();
  await workspace.remove();
});

async function run(text: string, retired: readonly string[] = []) {
  const world = worldOf(workspace.root, {
    folders: ["wide"],
    retired: new Map([["wide", retired.map((name) => ({ export: name, wire: `wide__${name}` }))]]),
  });
  const bundle = await bundler.bundle({ path: undefined, name: "<stdin>", text }, world);
  const end = await runInGuest(bundle.code, (name) => name);
  return { bundle, ...end };
}

describe("a script that names its tools loads those only", () => {
  // `gone.js` is missing: who loads the whole index hears of it.
  const cases: readonly (readonly [name: string, text: string, value: unknown])[] = [
    [
      "in braces",
      'import { tool1, tool2 as two } from "./servers/wide";\nexport default [await tool1(), await two()];',
      ["wide__tool1", "wide__tool2"],
    ],
    [
      "as members of a namespace",
      'import * as wide from "./servers/wide";\nexport default await wide.tool5({});',
      "wide__tool5",
    ],
    [
      "in a skill and in the script",
      'import { tool3 } from "./servers/wide";\nimport { three, four } from "./skills/wide";\nexport default [three === tool3, await four()];',
      [true, "wide__tool4"],
    ],
    [
      "with a top-level return",
      'import * as wide from "./servers/wide";\nreturn await wide.tool6({});',
      "wide__tool6",
    ],
  ];
  test.each(cases)("%s", async (_name, text, value) => {
    const end = await run(text);
    expect(end.error).toBeUndefined();
    expect(end.value).toEqual(value);
  });

  test("and beside stubs of tools that are gone", async () => {
    const end = await run(
      'import * as wide from "./servers/wide";\nconst lost = await wide.old({}).catch((e) => e.code);\nexport default [lost, await wide.tool7({})];',
      ["old"],
    );
    expect(end.value).toEqual(["TOOL_UNAVAILABLE", "wide__tool7"]);
  });

  test("and a name that no tool has is a stub, as ever", async () => {
    const end = await run(
      'import * as wide from "./servers/wide";\nexport default await wide.toool1({}).catch((e) => e.code);',
    );
    expect(end.value).toBe("TOOL_UNKNOWN");
  });
});

test("a script that lists a namespace gets all of it", async () => {
  const text = 'import * as wide from "./servers/wide";\nexport default Object.keys(wide).length;';
  await expect(run(text)).rejects.toMatchObject({
    code: "IMPORT_REFUSED",
    data: { file: "servers/wide/index.ts", line: 61 },
  });
  await expect(
    run('import { names } from "./skills/list";\nexport default names().length;'),
  ).rejects.toMatchObject({
    code: "IMPORT_REFUSED",
  });
});

describe("the part of an index", () => {
  const index =
    'export * from "./a.js"; // Does a.\nexport { b, type B } from "./b.js";\nexport * from "./c.ts";\n';

  test("keeps its lines where they stand", () => {
    expect(indexPart(index, new Set(["b"]))).toBe('\nexport { b, type B } from "./b.js";\n\n');
    expect(indexPart(index, new Set(["c", "x"]))).toBe('\n\nexport * from "./c.ts";\n');
  });

  test("is the whole where somebody edited it", () => {
    for (const line of ["export const own = 1;", 'import "./x.js";', "// mine", '  export * from "./d.js";'])
      expect(indexPart(`${index}${line}\n`, new Set(["b"]))).toBe(`${index}${line}\n`);
  });
});
