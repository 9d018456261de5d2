import { execFile } from "node:child_process";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Bundler, createBundler } from "../../src/bundle/bundler.ts";
import { analyzeScript } from "../../src/check/analyze-script.ts";
import { packageFile } from "../../src/kernel/paths.ts";
import { prepareSkill, saveSkill } from "../../src/skills/save-skill.ts";
import { functionNameOf } from "../../src/syntax/identifier.ts";
import { runInGuest } from "../bundle/guest.ts";
import { makeWorkspace, worldOf } from "../bundle/workspace.ts";

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

async function run(text: string, args?: unknown) {
  const bundle = await bundler.bundle({ path: undefined, name: "<stdin>", text }, worldOf(workspace.root));
  const end = await runInGuest(bundle.code, (name, given) => ({ name, given }), args);
  if (end.error) throw new Error(`${end.error.message}\n${end.error.stack}`);
  return end;
}

const SCRIPTS: readonly [skill: string, script: string, args: unknown][] = [
  [
    "statements",
    'import { query } from "./servers/salesforce";\nconst rows = await query({ n: 1 });\nconsole.log(JSON.stringify(rows));\n',
    undefined,
  ],
  [
    "value",
    'import * as s from "./servers/salesforce";\nconst rows: any = await s.query({ n: args?.n });\nexport default rows.given;\n',
    { n: 3 },
  ],
  [
    "returns",
    "const rows = await salesforce_query({ n: 1 });\nif (!rows) return 0;\nreturn rows.name;\n",
    undefined,
  ],
  [
    "default-function",
    'import { query } from "./servers/salesforce";\nexport default async function (input: { n: number }) {\n  return await query({ n: input.n });\n}\n',
    { n: 4 },
  ],
  ["arrow", "export default async ({ n }: { n: number }) => n + 1;\n", { n: 4 }],
  [
    "named",
    'import { query } from "../servers/salesforce.js";\nexport async function fetchAll(n?: number): Promise<any> {\n  return await query({ n });\n}\n',
    undefined,
  ],
  [
    "typed",
    'interface Row { id: string }\nenum Mode { A = "a" }\nconst rows = [{ id: Mode.A }] satisfies Row[];\nawait Promise.resolve();\nexport default rows[0]!.id;\n',
    undefined,
  ],
];

describe("a script that was saved as a skill does what it did", () => {
  it.each(SCRIPTS)("%s", async (skill, script, args) => {
    const source = { path: undefined, name: "script.ts", text: script };
    const before = await run(script, args);
    const draft = await prepareSkill(workspace.root, { name: skill, description: "Does it: [all].", source });
    const { exports } = analyzeScript(draft.text, draft.file);
    await saveSkill(workspace.root, draft, { servers: [], tools: [], exports, overwrite: false });

    const main = exports.find((item) => item.kind === "function");
    const name = main?.name ?? "";
    expect([functionNameOf(skill), "fetchAll"]).toContain(name);
    const argument = (main?.parameters.length ?? 0) > 0 && args !== undefined ? "args" : "";
    const after = await run(
      `import { ${name} } from "./skills/${skill}";\nexport default await ${name}(${argument});`,
      args,
    );
    const itself = await run(
      await readFile(join(workspace.root, draft.file), "utf8").then((text) =>
        text.replaceAll("../../servers", "./servers"),
      ),
      args,
    );
    if (skill !== "named") {
      expect(after.value).toEqual(before.value);
      expect(after.calls.map((call) => call.args)).toEqual(before.calls.map((call) => call.args));
      expect(after.printed).toEqual(before.printed);
    }
    expect(itself.value).toEqual(after.value);
    const imported = await run(
      `import * as skill from "./skills/${skill}";\nexport default Object.keys(skill).length > 0;`,
    );
    expect(imported.calls).toEqual([]);
  });

  it("and all of them pass the compiler in the workspace", async () => {
    await writeFile(
      join(workspace.root, "globals.d.ts"),
      "declare const args: any;\ndeclare const console: { log(...values: unknown[]): void };\ndeclare function salesforce_query(input?: Record<string, unknown>): Promise<any>;\n",
    );
    const compilerOptions = {
      strict: true,
      noImplicitAny: false,
      noEmit: true,
      lib: ["ES2023"],
      types: [],
      target: "ES2023",
      module: "ESNext",
      moduleResolution: "bundler",
      moduleDetection: "force",
      allowImportingTsExtensions: true,
    };
    await writeFile(
      join(workspace.root, "tsconfig.json"),
      JSON.stringify({ compilerOptions, include: ["globals.d.ts", "skills"] }),
    );
    const tsc = packageFile("node_modules/typescript/bin/tsc");
    const { stdout } = await promisify(execFile)(process.execPath, [tsc, "-p", workspace.root]).catch(
      (error: { stdout: string }) => error,
    );
    expect(stdout).toBe("");
  });
});
