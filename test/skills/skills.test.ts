import {
  chmod,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  realpath,
  rm,
  stat,
  symlink,
  writeFile,
} from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { ScriptSource } from "../../src/model/bundle.ts";
import { listSkills } from "../../src/skills/list-skills.ts";
import { prepareSkill, saveSkill } from "../../src/skills/save-skill.ts";

let base: string;
let root: string;

beforeEach(async () => {
  base = await realpath(await mkdtemp(join(tmpdir(), "mcpfs-skills-")));
  root = join(base, "root");
  await mkdir(root);
});
afterEach(() => rm(base, { recursive: true, force: true }));

async function put(files: Readonly<Record<string, string | Buffer>>): Promise<void> {
  for (const [path, text] of Object.entries(files)) {
    await mkdir(dirname(join(root, path)), { recursive: true });
    await writeFile(join(root, path), text);
  }
}

const skillMd = (name: string, description = "d"): string =>
  `---\nname: ${name}\ndescription: ${description}\n---\nBody\n`;

/** Every path below the workspace's `skills/`, hidden ones too. */
async function tree(): Promise<readonly string[]> {
  const entries = await readdir(join(root, "skills"), { recursive: true }).catch(() => []);
  return entries.sort();
}

// M24
describe("listing", () => {
  it("a workspace without skills has none", async () => expect(await listSkills(root)).toEqual([]));

  it("a folder that cannot be read is an error, and not a workspace without skills", async () => {
    await symlink("skills", join(root, "skills"));
    await expect(listSkills(root)).rejects.toMatchObject({ code: "ELOOP", path: join(root, "skills") });
  });

  it.skipIf(process.getuid?.() === 0 || process.platform === "win32")(
    "so is one without permission",
    async () => {
      await mkdir(join(root, "skills"), { mode: 0 });
      await expect(listSkills(root)).rejects.toMatchObject({ code: "EACCES" });
    },
  );

  it("shows names, files, servers and exports, sorted by name", async () => {
    await put({
      "skills/zeta/SKILL.md": `---\nname: zeta\ndescription: last\nmetadata:\n  servers: docs, crm\n---\n`,
      "skills/zeta/index.ts":
        'import { x } from "../../servers/slack";\nexport async function zeta() { return x; }\nexport default zeta;\n',
      "skills/alpha/SKILL.md": skillMd("alpha", "instructions alone"),
      "skills/draft.ts": 'import * as crm from "./servers/crm";\nexport const draft = () => crm;\n',
      "skills/types.d.ts": "export {};\n",
      "skills/README.md": "# Skills\n",
      "skills/notes/README.md": "no skill",
      "skills/.hidden/SKILL.md": skillMd("hidden"),
    });
    expect(await listSkills(root)).toEqual([
      {
        name: "alpha",
        description: "instructions alone",
        folder: "skills/alpha",
        file: "",
        servers: [],
        tools: [],
        exports: [],
        problems: [],
        isDraft: false,
      },
      {
        name: "draft",
        description: "",
        folder: "skills",
        file: "skills/draft.ts",
        servers: ["crm"],
        tools: [],
        exports: ["draft"],
        problems: [],
        isDraft: true,
      },
      {
        name: "zeta",
        description: "last",
        folder: "skills/zeta",
        file: "skills/zeta/index.ts",
        servers: ["crm", "docs", "slack"],
        tools: [],
        exports: ["zeta", "default"],
        problems: [],
        isDraft: false,
      },
    ]);
  });

  it("shows a bad skill with its own problem, and its neighbours as ever", async () => {
    const utf16 = Buffer.from(skillMd("utf16"), "utf16le");
    await put({
      "skills/a/SKILL.md": "---\ndescription: no name here\n---\nx\n",
      "skills/b/SKILL.md": "# only markdown\n",
      "skills/c/SKILL.md": "",
      "skills/d/SKILL.md": "---\nname: d\ndescription: never closed\n# Body\n",
      "skills/e/README.md": "not a skill",
      "skills/f/SKILL.md": "---\nname: f\n---\n",
      "skills/g/SKILL.md": skillMd("other"),
      "skills/h/SKILL.md": skillMd("H_h"),
      "skills/i/skill.md": skillMd("i"),
      "skills/j/SKILL.md": utf16,
      "skills/k/SKILL.md": Buffer.concat([Buffer.from([0xff, 0xfe]), utf16]),
      "skills/l/SKILL.md": Buffer.from([0x2d, 0x2d, 0x2d, 0x0a, 0xc3, 0x28]),
      "skills/m/SKILL.md": "../../SKILL.md",
      "skills/n/SKILL.md": skillMd("n"),
      "skills/n/index.ts": "const = (",
      "skills/o/SKILL.md": `---\nname: o\ndescription: ${"x".repeat(1025)}\n---\n`,
      "skills/p/SKILL.md/x": "a folder",
      "skills/z/SKILL.md": skillMd("z"),
    });
    const found = new Map((await listSkills(root)).map((skill) => [skill.folder, skill]));
    const problem = (name: string): string => found.get(`skills/${name}`)?.problems.join(" ") ?? "absent";
    expect(problem("a")).toBe("A skill needs a name.");
    expect(found.get("skills/a")).toMatchObject({ name: "a", description: "no name here" });
    expect(problem("b")).toMatch(/no front matter/);
    expect(problem("c")).toMatch(/empty/);
    expect(problem("d")).toMatch(/not closed/);
    expect(found.get("skills/d")).toMatchObject({ name: "d", description: "never closed" });
    expect(problem("e")).toBe("absent");
    expect(problem("f")).toMatch(/needs a description/);
    expect(problem("g")).toMatch(/Its name is other and its folder g/);
    expect(problem("h")).toMatch(/small letters/);
    expect(problem("i")).toMatch(/in capitals/);
    expect(problem("j")).toMatch(/UTF-16/);
    expect(problem("k")).toMatch(/UTF-16/);
    expect(problem("l")).toMatch(/not UTF-8/);
    expect(problem("m")).toMatch(/symbolic link/);
    expect(problem("n")).toMatch(/does not parse/);
    expect(problem("o")).toMatch(/at most 1024/);
    expect(problem("p")).toMatch(/not a file/);
    expect(problem("z")).toBe("");
  });

  it.skipIf(process.getuid?.() === 0 || process.platform === "win32")(
    "what may not be read is broken, and says by which code; its neighbours are as ever",
    async () => {
      await put({
        "skills/a/SKILL.md": skillMd("a"),
        "skills/b/SKILL.md": skillMd("b"),
        "skills/c/SKILL.md": skillMd("c"),
        "skills/c/index.ts": "export const c = 1;\n",
        "skills/d.ts": "export const d = 1;\n",
        "skills/z/SKILL.md": skillMd("z"),
      });
      const closed = ["skills/a", "skills/b/SKILL.md", "skills/c/index.ts", "skills/d.ts"];
      for (const path of closed) await chmod(join(root, path), 0);
      try {
        expect((await listSkills(root)).map(({ name, problems }) => [name, problems.join(" ")])).toEqual([
          ["a", "It cannot be read (EACCES)."],
          ["b", "skills/b/SKILL.md cannot be read (EACCES)."],
          ["c", "skills/c/index.ts cannot be read (EACCES)."],
          ["d", "skills/d.ts cannot be read (EACCES)."],
          ["z", ""],
        ]);
      } finally {
        for (const path of closed) await chmod(join(root, path), 0o700);
      }
    },
  );

  it("follows links inside the workspace, names those out of it, and ends in a loop", async () => {
    await put({
      "shared/linked/SKILL.md": skillMd("linked"),
      "shared/file.md": skillMd("filelink"),
      "skills/self/SKILL.md": skillMd("self"),
    });
    await mkdir(join(base, "outside/evil"), { recursive: true });
    await writeFile(join(base, "outside/evil/SKILL.md"), skillMd("evil", "SECRET"));
    await mkdir(join(root, "skills/filelink"));
    await mkdir(join(root, "skills/filelink-out"));
    await symlink(join(root, "shared/linked"), join(root, "skills/linked"));
    await symlink("../../shared/file.md", join(root, "skills/filelink/SKILL.md"));
    await symlink(join(base, "outside/evil/SKILL.md"), join(root, "skills/filelink-out/SKILL.md"));
    await symlink(join(base, "outside/evil"), join(root, "skills/evil"));
    await symlink("..", join(root, "skills/loop"));
    await symlink("round", join(root, "skills/round"));
    await symlink("nowhere", join(root, "skills/dangling"));
    const found = await listSkills(root);
    expect(found.map((skill) => [skill.name, skill.problems.join(" ")])).toEqual([
      ["dangling", "It is a link to nothing."],
      ["evil", "It is a link out of the workspace, which is not followed."],
      ["filelink", ""],
      ["filelink-out", "skills/filelink-out/SKILL.md is a link out of the workspace, which is not followed."],
      ["linked", ""],
      ["round", "It is a link to nothing."],
      ["self", ""],
    ]);
    expect(JSON.stringify(found)).not.toContain("SECRET");
  });

  it("of two spellings the one that keeps the rules wins, and the other says so", async () => {
    await put({
      "skills/report/skill.md": skillMd("report", "lower"),
      "skills/Report/SKILL.md": skillMd("report", "upper"),
    });
    const found = await listSkills(root);
    // A disk that ignores case holds one folder only.
    if (found.length === 2) {
      const shadowed = found.filter((skill) => skill.problems.join().includes("shadowed"));
      expect(shadowed.map((skill) => skill.folder)).toEqual(["skills/report"]);
    }
    await put({ "skills/twice.ts": "export const a = 1;\n", "skills/twice/SKILL.md": skillMd("twice") });
    const twice = (await listSkills(root)).filter((skill) => skill.name === "twice");
    expect(twice.find((skill) => !skill.isDraft)?.problems).toEqual(["It is shadowed by skills/twice.ts."]);
  });
});

const SOURCE = {
  path: undefined,
  name: "script.ts",
  text: 'import * as crm from "./servers/crm";\nexport default await crm.list({});\n',
};
const FACTS = { servers: ["crm"], tools: [], exports: [], overwrite: false };
const prepare = (name: string, source: ScriptSource = SOURCE) =>
  prepareSkill(root, { name, description: "Counts rows.", source });

describe("saving", () => {
  it("writes a folder that the next listing shows without a problem", async () => {
    const draft = await prepare("weekly-report");
    expect(draft.file).toBe("skills/weekly-report/index.ts");
    expect(await tree()).toEqual([]);
    expect(await saveSkill(root, draft, FACTS)).toEqual({
      name: "weekly-report",
      path: "skills/weekly-report",
      changed: true,
    });
    expect(await tree()).toEqual(["weekly-report", "weekly-report/SKILL.md", "weekly-report/index.ts"]);
    // Another user of the machine may read it, as far as the umask lets.
    await mkdir(join(root, "usual"));
    expect((await stat(join(root, "skills/weekly-report"))).mode).toBe(
      (await stat(join(root, "usual"))).mode,
    );
    expect(await listSkills(root)).toEqual([
      {
        name: "weekly-report",
        description: "Counts rows.",
        folder: "skills/weekly-report",
        file: "skills/weekly-report/index.ts",
        servers: ["crm"],
        tools: [],
        exports: ["weeklyReport", "default"],
        problems: [],
        isDraft: false,
      },
    ]);
  });

  it("the same once more changes nothing; another text needs overwrite, and other files of the skill stay", async () => {
    await saveSkill(root, await prepare("a"), FACTS);
    expect(await saveSkill(root, await prepare("a"), FACTS)).toMatchObject({ changed: false });
    await put({ "skills/a/data.json": "{}" });
    const other = await prepare("a", { ...SOURCE, text: "export default 2;" });
    await expect(saveSkill(root, other, FACTS)).rejects.toMatchObject({ code: "FILE_IN_THE_WAY" });
    expect(await readFile(join(root, "skills/a/index.ts"), "utf8")).toContain("crm.list");
    expect(await saveSkill(root, other, { ...FACTS, overwrite: true })).toMatchObject({ changed: true });
    expect(await readFile(join(root, "skills/a/index.ts"), "utf8")).toContain("return 2;");
    expect(await tree()).toEqual(["a", "a/SKILL.md", "a/data.json", "a/index.ts"]);
  });

  it.each(["../../outside", "/etc/x", "..", "a/b", "A", "con", ""])(
    "refuses the name %j and writes nothing",
    async (name) => {
      await expect(prepare(name)).rejects.toMatchObject({ code: "SKILL_INVALID" });
      expect(await tree()).toEqual([]);
    },
  );

  it("refuses a script that cannot become a skill, at its line", async () => {
    const source = { ...SOURCE, text: "export function f() {}\nf();\n" };
    await expect(prepare("a", source)).rejects.toMatchObject({
      code: "SKILL_INVALID",
      data: { file: "script.ts", line: 2 },
    });
  });

  it("writes through no link, and makes no second spelling", async () => {
    await mkdir(join(base, "outside"));
    await mkdir(join(root, "skills"));
    await symlink(join(base, "outside"), join(root, "skills/evil"));
    await put({
      "skills/Report/SKILL.md": skillMd("report"),
      "skills/lone.ts": "export const a = 1;\n",
      "skills/file": "x",
    });
    await mkdir(join(root, "skills/inner"));
    await writeFile(join(base, "outside/index.ts"), "outside");
    await symlink(join(base, "outside/index.ts"), join(root, "skills/inner/index.ts"));
    const before = await tree();
    for (const name of ["evil", "report", "lone", "file", "inner"])
      await expect(saveSkill(root, await prepare(name), { ...FACTS, overwrite: true })).rejects.toMatchObject(
        { code: "FILE_IN_THE_WAY" },
      );
    expect(await tree()).toEqual(before);
    expect(await readdir(join(base, "outside"))).toEqual(["index.ts"]);
    expect(await readFile(join(base, "outside/index.ts"), "utf8")).toBe("outside");
  });

  it("refuses a folder skills that is a link", async () => {
    await mkdir(join(base, "outside"));
    await symlink(join(base, "outside"), join(root, "skills"));
    await expect(saveSkill(root, await prepare("a"), FACTS)).rejects.toMatchObject({
      code: "FILE_IN_THE_WAY",
    });
    expect(await readdir(join(base, "outside"))).toEqual([]);
  });

  it("of many who save one new skill at once exactly one succeeds, and nothing half is left", async () => {
    const drafts = await Promise.all(
      Array.from({ length: 6 }, (_, i) => prepare("a", { ...SOURCE, text: `export default ${i};` })),
    );
    const ends = await Promise.allSettled(drafts.map((draft) => saveSkill(root, draft, FACTS)));
    expect(ends.filter((end) => end.status === "fulfilled")).toHaveLength(1);
    for (const end of ends)
      if (end.status === "rejected") expect(end.reason).toMatchObject({ code: "FILE_IN_THE_WAY" });
    expect(await tree()).toEqual(["a", "a/SKILL.md", "a/index.ts"]);
  });

  it("imports lead from where the script was", async () => {
    await put({ "lib/script.ts": "" });
    const text =
      'import { part } from "./part";\nimport { x } from "../servers/crm";\nconsole.log(part, x);\n';
    const draft = await prepare("a", { path: join(root, "lib/script.ts"), name: "lib/script.ts", text });
    expect(draft.text.split("\n").slice(0, 2)).toEqual([
      'import { part } from "../../lib/part";',
      'import { x } from "../../servers/crm";',
    ]);
  });
});
