import { existsSync, readFileSync } from "node:fs";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { buildCatalog } from "../../src/catalog/build.ts";
import type { Json } from "../../src/kernel/json.ts";
import { renderServer } from "../../src/render/server-files.ts";
import { server as listing } from "../catalog/definitions.ts";
import { compile } from "./compile.ts";

/** One case of the bank of public bugs, as far as this test reads it. */
interface BugCase {
  readonly id: string;
  readonly kind: string;
  readonly input: {
    readonly form: string;
    readonly server?: string;
    readonly tools?: readonly Json[];
    readonly schema?: Json;
    readonly text?: string;
    readonly files?: Readonly<Record<string, string>>;
  };
}

const bank = fileURLToPath(new URL("../../../shared/bugbank.md", import.meta.url));
const cases: readonly BugCase[] = existsSync(bank)
  ? [...readFileSync(bank, "utf8").matchAll(/```json\n([\s\S]*?)\n```/g)].map(
      ([, text = ""]) => JSON.parse(text) as BugCase,
    )
  : [];

/** What a tool's server lists, of any case that has schemas or names in it. */
function toolsOf({ input }: BugCase): readonly Json[] {
  if (input.form === "tools-list") return input.tools ?? [];
  if (input.form === "schema") return [{ name: "t", inputSchema: input.schema ?? {} }];
  if (input.form === "raw-json") return [{ name: "t", inputSchema: JSON.parse(input.text ?? "{}") as Json }];
  return [];
}

/** Lines of TypeScript that must hold for a case, with its server's tools as `s`; `// @ts-expect-error` for what is refused. */
const SCRIPTS: Readonly<Record<string, readonly string[]>> = {
  "schema-title-steals-name": [
    "{ const a: s.SearchIssuesInput = { q: 'x' }; const b: s.StatsInput = { y: 1 }; const c: s.LaunchInput = { go: true }; void [a, b, c]; }",
  ],
  "schema-property-proto": [
    "await s.t({ ['__proto__']: 'x', constructor: 1, hasOwnProperty: 2 });",
    "// @ts-expect-error",
    "await s.t({ constructor: 1 });",
  ],
  "schema-anyof-required-groups": [
    "await s.t({ email: 'a' }); await s.t({ phone: 'b' }); await s.t({ email: 'a', phone: 'b' });",
    "// @ts-expect-error",
    "await s.t({});",
    "// @ts-expect-error",
    "await s.t({ email: 1 });",
    "// @ts-expect-error",
    "await s.t({ email: 'a', fax: 'b' });",
  ],
  "schema-bounded-array-blowup": [
    "{ const v: s.TInput = { grid: [[['a']]], ips: ['b'] }; v.grid?.map((row) => row.map((cell) => cell.join())); void v; }",
  ],
  "schema-recursive-output": [
    "{ const { root } = await s.getTree({ id: '1' }); root.kids?.[0]?.kids?.[0]?.name.trim(); await s.ping(); }",
  ],
  "schema-anchor-and-root-ref": [
    "await s.a({ c: { z: 'x' } }); await s.b({ pos: [1, 'x'] }); await s.c({ self: { self: {} } });",
    "// @ts-expect-error",
    "await s.b({ pos: ['x', 1] });",
  ],
  "schema-empty-or-missing": [
    "await s.now(); await s.any(); await s.none(); await s.nullish(); await s.half({ q: 1, r: [2] });",
  ],
  "schema-ref-with-siblings": [
    "await s.t({ a: { x: 1 }, b: { x: 2 }, c: { x: 3 } });",
    "// @ts-expect-error",
    "await s.t({ b: {} });",
  ],
  "schema-unknown-or-wrong-type": [
    "await s.t({ n: 1, f: {}, d: [], fistName: 'x' });",
    "// @ts-expect-error",
    "await s.t({ n: 1 });",
  ],
  "schema-contradictory-allof": [
    "await s.t({ p: { id: 'x', n: 1 } });",
    "// @ts-expect-error",
    "await s.t({ p: { id: 'x' } });",
  ],
};

/** Tools of which something must be reported. */
const REPORTED = ["schema-unknown-or-wrong-type", "schema-contradictory-allof", "schema-empty-or-missing"];

test.skipIf(cases.length === 0)(
  "public bugs of schemas and names: every tool has a file of its own that compiles and does what it should",
  async () => {
    const folder = await mkdtemp(join(tmpdir(), "mcpfs-bugs-"));
    const before = process.cwd();
    const chosen = cases.filter(
      (one) => ["schema", "naming", "security"].includes(one.kind) && toolsOf(one).length > 0,
    );
    expect(chosen.length).toBeGreaterThan(14);
    try {
      const all = new Map<string, string>();
      for (const [index, one] of chosen.entries()) {
        for (const [path, text] of Object.entries(one.input.files ?? {}))
          await writeFile(join(folder, path), text);
        process.chdir(folder);
        const listed = JSON.parse(
          JSON.stringify(toolsOf(one)).replaceAll("{{WORKSPACE}}", folder),
        ) as readonly Json[];
        const definitions = listing(`s${index}`, listed);
        const [server] = buildCatalog([definitions], { servers: new Map(), files: new Map() }).servers;
        if (server === undefined) throw new Error(one.id);
        const { files, problems } = await renderServer(server);

        // Nothing is lost, shared, or outside its folder, also on a disk that folds case or composes letters.
        expect(definitions.tools.length, one.id).toBe(listed.length);
        expect(files.size, one.id).toBe(listed.length + 1);
        const folded = [...files.keys()].map((path) => path.normalize("NFC").toLowerCase());
        expect(new Set(folded).size, one.id).toBe(files.size);
        for (const path of files.keys())
          expect(path, one.id).toMatch(/^servers\/s\d+\/[^./\\~%\p{C}][^/\\\p{C}]*\.ts$/u);
        expect(new Set(server.tools.map(({ wire }) => wire)).size, one.id).toBe(listed.length);
        for (const { wire } of server.tools) expect(wire, one.id).toMatch(/^\w{1,64}$/);

        const texts = [...files.values(), ...problems.map(({ message }) => message)].join("\n");
        expect(texts, one.id).not.toMatch(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u2028\u2029\u202e]/);
        expect(texts, one.id).not.toMatch(/TOPSECRET|s3cr3t/);
        expect(texts.includes(folder), one.id).toBe(false);
        const code = [...files.values()]
          .join("\n")
          .replace(/"(?:[^"\\]|\\.)*"|\/\*[\s\S]*?\*\/|\/\/.*$/gm, "");
        expect(code, one.id).not.toMatch(/leak/);
        if (REPORTED.includes(one.id)) expect(problems.length, one.id).toBeGreaterThan(0);
        for (const [path, text] of files) all.set(path, text);
        const imports = server.tools.map((tool) => tool.export).join(", ");
        all.set(
          `script${index}.ts`,
          [
            `import * as s from "./servers/${server.folder}";`,
            `import { ${imports} } from "./servers/${server.folder}";`,
            `void [${imports}];`,
            ...(SCRIPTS[one.id] ?? []),
            "void s;",
          ].join("\n"),
        );
      }
      expect(Object.keys(SCRIPTS).filter((id) => !chosen.some((one) => one.id === id))).toEqual([]);
      expect(await compile(all)).toBe("");
      const textOf = (id: string, file: string): string =>
        all.get(`servers/s${chosen.findIndex((one) => one.id === id)}/${file}`) ?? "";
      expect(textOf("schema-bounded-array-blowup", "t.ts").length).toBeLessThan(400);
      expect(textOf("schema-bounded-array-blowup", "t.ts")).toContain("1–20 items");
      expect(textOf("schema-ref-with-siblings", "t.ts").match(/type Pt\w* =/g)).toEqual(["type Pt ="]);
      expect(textOf("schema-ref-with-siblings", "t.ts")).toContain("second corner");
      expect(textOf("schema-title-steals-name", "searchIssues.ts")).not.toMatch(/type Q\b|Arguments/);
    } finally {
      process.chdir(before);
      await rm(folder, { recursive: true, force: true });
    }
  },
);
