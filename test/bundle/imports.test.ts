import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Bundler, createBundler } from "../../src/bundle/bundler.ts";
import type { Bundle } from "../../src/model/bundle.ts";
import { runInGuest } from "./guest.ts";
import { makeWorkspace, worldOf } from "./workspace.ts";

let workspace: Awaited<ReturnType<typeof makeWorkspace>>;
let bundler: Bundler;

beforeAll(async () => {
  bundler = createBundler();
  workspace = await makeWorkspace({
    "lib/helper.ts": 'export { deep } from "./more/deep.js";\nexport enum Mode { A = "a" }\n',
    "lib/more/deep.ts": "export const deep = (x: number): number => x * 2;\n",
    "skills/one/index.ts": [
      'import { query } from "../../servers/salesforce";',
      'import { query as sameQuery } from "../servers/salesforce";',
      'import * as salesforce from "./servers/salesforce/index.js";',
      'import { part } from "./part";',
      'import { two } from "../two";',
      'import { two as sameTwo } from "./skills/two/index.ts";',
      'import { callMCPTool as own } from "./client";',
      "export async function one(): Promise<unknown> {",
      "  const isSame = query === sameQuery && query === salesforce.query && two === sameTwo;",
      "  return [isSame, part, two, own, await query({ q: 1 })];",
      "}",
    ].join("\n"),
    "skills/one/part.ts": 'export const part = "part";\n',
    "skills/one/client.ts": 'export const callMCPTool = "the skill\'s own";\n',
    "skills/two/index.ts": 'export const two = "two";\n',
    "skills/flat.ts":
      "export const flat = async (): Promise<unknown> => await slack_getChannelHistory({ c: 1 });\n",
  });
});
afterAll(async () => {
  await bundler.close();
  await workspace.remove();
});

async function bundle(text: string, path?: string): Promise<Bundle> {
  const absolute = path === undefined ? undefined : join(workspace.root, path);
  return await bundler.bundle({ path: absolute, name: path ?? "<stdin>", text }, worldOf(workspace.root));
}

async function resultOf(text: string, path?: string): Promise<unknown> {
  const end = await runInGuest((await bundle(text, path)).code, (name, args) => [name, args]);
  if (end.error) throw new Error(`${end.error.message}\n${end.error.stack}`);
  return end.value;
}

describe("every way to name the workspace's own means the same", () => {
  const call = "export default await query({ n: 1 });";
  const forms: readonly string[] = [
    "./servers/salesforce",
    "./servers/salesforce/",
    "./servers/salesforce.js",
    "./servers/salesforce.ts",
    "./servers/salesforce/index",
    "./servers/salesforce/index.ts",
    "./servers/salesforce/index.js",
    "./servers/salesforce/query",
    "./servers/salesforce/query.ts",
    "./servers/salesforce/query.js",
    "../servers/salesforce",
    "../../servers/salesforce/query",
    "././servers/salesforce",
  ];
  const want = ["salesforce__query", { n: 1 }];
  it.each(forms)("%s", async (form) => {
    const text = `import { query } from ${JSON.stringify(form)};\n${call}`;
    expect(await resultOf(text)).toEqual(want);
    expect(await resultOf(text, "scripts/deep/report.ts")).toEqual(want);
    const outside = { path: join(workspace.outside, "x.ts"), name: "x.ts", text };
    const built = await bundler.bundle(outside, worldOf(workspace.root));
    expect((await runInGuest(built.code, (name, args) => [name, args])).value).toEqual(want);
  });
  it("also behind a namespace, a re-export and a dynamic import", async () => {
    expect(
      await resultOf('import * as s from "./servers/salesforce";\nexport default await s.query({ n: 1 });'),
    ).toEqual(want);
    expect(
      await resultOf(
        'const s = await import("./servers/salesforce");\nexport default await s.query({ n: 1 });',
      ),
    ).toEqual(want);
    const code = (await bundle('export { query as default } from "./servers/salesforce";')).code;
    expect((await runInGuest(code, (name) => name)).value).toBe("salesforce__query");
  });
  it("callMCPTool, mcp and MCPToolError come from ./client, and are globals too", async () => {
    const text =
      'import { mcp } from "./client.js";\nexport default [await mcp.callTool("a__b", {}), await callMCPTool("c__d", {})];';
    expect(await resultOf(text)).toEqual([
      ["a__b", {}],
      ["c__d", {}],
    ]);
  });
});

it("a skill imports servers in three ways, files of its own and other skills; its own client.ts comes first", async () => {
  expect(await resultOf('import { one } from "./skills/one";\nexport default await one();')).toEqual([
    true,
    "part",
    "two",
    "the skill's own",
    ["salesforce__query", { q: 1 }],
  ]);
});

it("a script in the workspace imports its neighbours, and one on stdin those of the root", async () => {
  expect(await resultOf('import { deep } from "./helper";\nexport default deep(2);', "lib/script.ts")).toBe(
    4,
  );
  expect(
    await resultOf('import { deep, Mode } from "./lib/helper";\nexport default [deep(2), Mode.A];'),
  ).toEqual([4, "a"]);
});

describe("fs is one object under all its names", () => {
  const forms: readonly string[] = [
    'import fs1 from "fs"; await fs1.writeFile("a", "text"); export default await fs1.readFile("a");',
    'import * as fs1 from "node:fs/promises"; await fs1.writeFile("a", "text"); export default await fs.readFile("a");',
    'import { readFile, writeFile } from "fs/promises"; await writeFile("a", "text"); export default await readFile("a");',
    'import { promises as p } from "node:fs"; await p.writeFile("a", "text"); export default p === fs && await p.readFile("a");',
    'const { writeFile } = await import("node:fs/promises"); await writeFile("a", "text"); export default await fs.readFile("a");',
  ];
  it.each(forms)("%s", async (text) => expect(await resultOf(text)).toBe("text"));
  it("its sync names are importable, and say what to use instead", async () => {
    const text = 'import { readFileSync } from "node:fs";\nexport default readFileSync("x");';
    const end = await runInGuest((await bundle(text)).code);
    expect(end.error?.message).toBe("Use await fs.readFile(path).");
  });
});

describe("names that need no import", () => {
  it("are bound where nothing in the script declares them", async () => {
    expect(await resultOf("export default await logging_getLogs({ level: 'error' });")).toEqual([
      "logging__get_logs",
      { level: "error" },
    ]);
    expect(
      await resultOf("const logging_getLogs = (x: number) => x;\nexport default logging_getLogs(5);"),
    ).toBe(5);
    expect(await resultOf("export default [1].map((logging_getLogs) => logging_getLogs + 1);")).toEqual([2]);
  });
  it("work inside a skill", async () => {
    expect(await resultOf('import { flat } from "./skills/flat";\nexport default await flat();')).toEqual([
      "slack__get_channel_history",
      { c: 1 },
    ]);
  });
  it("cost nothing when they stand in a string only", async () => {
    const built = await bundle('export default "logging_getLogs";');
    expect(built.code).not.toContain("callMCPTool");
    expect(built.folders).toEqual([]);
  });
});

describe("what a bundle says of itself", () => {
  it("files and folders are those that are used, sorted", async () => {
    const built = await bundle(
      'import * as salesforce from "./servers/salesforce";\nimport * as slack from "./servers/slack";\nslack;\nexport default salesforce.query;',
      "report.ts",
    );
    expect(built.files).toEqual(["client.ts", "report.ts", "servers/salesforce/query.ts"]);
    expect(built.folders).toEqual(["salesforce"]);
    expect(built.code).not.toContain("updateRecord");
  });
  it("a generated wrapper that no script uses is left out", async () => {
    const built = await bundle('import * as logging from "./servers/logging";\nlogging;\nexport default 1;');
    expect(built.code).not.toContain("logging__get_logs");
    expect(built.folders).toEqual([]);
  });
  it("no path of this machine is in code or map", async () => {
    const text = 'import { deep } from "./lib/helper";\nexport default deep;';
    const built = await bundler.bundle(
      { path: join(workspace.root, "a.ts"), name: "a.ts", text },
      worldOf(workspace.root),
    );
    expect(built.code + built.map).not.toContain(workspace.root);
  });
  it("the same script gives the same bytes", async () => {
    const text =
      'import * as s from "./servers/salesforce";\nawait s.nope();\nexport default await logging_getLogs();';
    const [a, b] = [await bundle(text), await bundle(text)];
    expect(a).toEqual(b);
  });
  it("a member that a helper lacks is a warning at its line", async () => {
    const built = await bundle('import * as h from "./lib/helper";\nexport default typeof h.nope;');
    expect(built.warnings).toEqual(['<stdin>:2: "./lib/helper" exports no nope, so that it is undefined.']);
  });
});

describe("a bundle has a size", () => {
  it("of the script, of each import and of the whole", async () => {
    const small = worldOf(workspace.root, { maxBytes: 2000 });
    const filler = `export const filler = "${"x".repeat(1500)}";\n`;
    await writeFile(join(workspace.root, "lib/large.ts"), filler + filler.replace("filler", "filler2"));
    await writeFile(join(workspace.root, "lib/half.ts"), filler);
    await writeFile(join(workspace.root, "lib/half2.ts"), filler);
    const bundled = (text: string) => bundler.bundle({ path: undefined, name: "<stdin>", text }, small);
    await expect(bundled(`/*${"x".repeat(2000)}*/`)).rejects.toMatchObject({ code: "LIMIT_BUNDLE" });
    await expect(
      bundled('import { filler } from "./lib/large"; export default filler;'),
    ).rejects.toMatchObject({
      code: "LIMIT_BUNDLE",
      message: expect.stringContaining("lib/large.ts"),
      data: { file: "<stdin>", line: 1, column: 24 },
    });
    const two =
      'import { filler as a } from "./lib/half"; import { filler as b } from "./lib/half2"; export default a + b;';
    await expect(bundled(two)).rejects.toMatchObject({ code: "LIMIT_BUNDLE" });
  });
});
