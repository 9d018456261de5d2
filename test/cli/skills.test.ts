import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { scripted, temporaryFolder } from "../servers/servers.ts";
import { jsonOf, makeWorkspace, runCli, writeFiles } from "./run-cli.ts";

const tools = [{ name: "get_rows", inputSchema: { type: "object" } }];
const answers = { get_rows: { text: '[["a","b"],["c","d"]]' } };

test("M24 a skill saved by one process is imported by scripts in the next ones", async () => {
  using folder = temporaryFolder();
  const root = folder.path;
  await makeWorkspace(root, { sheets: scripted({ tools, answers }) });
  writeFiles(root, {
    "rows-to-csv.ts": `import * as sheets from "./servers/sheets";

export async function rowsToCsv(name: string): Promise<string> {
  const rows = await sheets.getRows();
  const path = \`./workspace/\${name}.csv\`;
  await fs.writeFile(path, rows.map((row: string[]) => row.join(",")).join("\\n"));
  return path;
}
`,
    "count.ts":
      'import * as sheets from "./servers/sheets";\nreturn (await sheets.getRows()).length * args.times;\n',
  });
  const description = "Writes the sheet's rows to a CSV file. Use it for any export.";
  const words = ["--name", "rows-to-csv", "--description", description];
  expect(await jsonOf(root, ["skills", "save", "rows-to-csv.ts", ...words])).toEqual({
    name: "rows-to-csv",
    path: "skills/rows-to-csv",
    changed: true,
  });
  // A whole script becomes a function of its args; this one comes from standard input.
  const saved = await runCli(
    root,
    ["skills", "save", "-", "--name", "count-rows", "--description", "Counts rows."],
    { stdin: readFileSync(join(root, "count.ts"), "utf8") },
  );
  expect(saved).toMatchObject({ code: 0, stdout: "" });

  // The next process: by the line that AGENTS.md gives.
  const agents = readFileSync(join(root, "AGENTS.md"), "utf8");
  const line = /import \{ rowsToCsv \} from "\.\/skills\/rows-to-csv";/.exec(agents)?.[0];
  expect(line).toBeDefined();
  expect(agents).toContain("Writes the sheet's rows to a CSV file.");
  writeFileSync(join(root, "later.ts"), `${line}\nexport default await rowsToCsv("all");`);
  expect(await runCli(root, ["exec", "later.ts"])).toEqual({
    code: 0,
    stdout: "./workspace/all.csv\n",
    stderr: "",
  });
  expect(readFileSync(join(root, "workspace/all.csv"), "utf8")).toBe("a,b\nc,d");
  const both = `${line}
import { countRows } from "./skills/count-rows";
export default [await countRows({ times: 2 }), await rowsToCsv("again")];`;
  expect((await runCli(root, ["exec", "-"], { stdin: both })).stdout).toBe('[4,"./workspace/again.csv"]\n');

  expect(await jsonOf(root, ["skills", "list"])).toEqual([
    {
      name: "count-rows",
      description: "Counts rows.",
      path: "skills/count-rows",
      status: "ok",
      servers: ["sheets"],
    },
    { name: "rows-to-csv", description, path: "skills/rows-to-csv", status: "ok", servers: ["sheets"] },
  ]);
});

test("AGENTS.md names the first ten skills by name, and none that is broken or shadowed", async () => {
  using folder = temporaryFolder();
  const root = folder.path;
  const skillMd = (name: string): string => `---\nname: ${name}\ndescription: Does ${name}.\n---\n`;
  const names = Array.from({ length: 12 }, (_, index) => `s${String(index).padStart(2, "0")}`);
  writeFiles(root, {
    "skills/broken/SKILL.md": "no front matter",
    "skills/broken/index.ts": "export const b = 1;",
  });
  for (const name of [...names, "a"])
    writeFiles(root, {
      [`skills/${name}/SKILL.md`]: skillMd(name),
      [`skills/${name}/index.ts`]: `export const ${name} = 1;`,
    });
  // It wins, since an import finds it first.
  writeFiles(root, { "skills/a.ts": "export const a = 2;" });
  await makeWorkspace(root, {});
  const agents = readFileSync(join(root, "AGENTS.md"), "utf8");
  const named = [...agents.matchAll(/^- (\S+): .*from "(.*)";/gm)].map(([, name, from]) => [name, from]);
  expect(named).toEqual(["a", ...names.slice(0, 9)].map((name) => [name, `./skills/${name}`]));
  expect(agents).toContain("- 3 more: `mcpfs skills list`");
});

test("M24 a skill whose tools are not what they were says so, until it is saved anew", async () => {
  using folder = temporaryFolder();
  const root = folder.path;
  const other = { name: "other", inputSchema: { type: "object" } };
  await makeWorkspace(root, { sheets: scripted({ tools: [...tools, other], answers }) });
  const script = 'import * as sheets from "./servers/sheets";\nexport default await sheets.getRows({});\n';
  writeFiles(root, { "rows.ts": script });
  const save = ["skills", "save", "rows.ts", "--name", "rows", "--description", "Gives the rows."];
  await jsonOf(root, save);
  const status = async (): Promise<string> => (await jsonOf(root, ["skills", "list"]))[0].status;
  expect(await status()).toBe("ok");

  // A tool that it does not use may change.
  const changedOther = { ...other, description: "Now with words." };
  await makeWorkspace(root, { sheets: scripted({ tools: [...tools, changedOther], answers }) });
  expect(await status()).toBe("ok");
  const changed = { ...tools[0], description: "Gives other rows." };
  await makeWorkspace(root, { sheets: scripted({ tools: [changed], answers }) });
  expect(await status()).toBe("changed");
  const { stdout, stderr } = await runCli(root, ["skills", "list"]);
  expect(stdout).toContain("rows (changed)  Gives the rows.");
  expect(stderr).toContain("sheets__get_rows is not what it was when the skill was saved");
  await jsonOf(root, [...save, "--overwrite"]);
  expect(await status()).toBe("ok");
  await makeWorkspace(root, { sheets: scripted({ tools: [other], answers }) });
  expect(await status()).toBe("changed");
});
