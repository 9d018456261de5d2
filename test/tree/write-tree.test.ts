import {
  chmod,
  lstat,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  rm,
  stat,
  symlink,
  utimes,
  writeFile,
} from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { fileDigest } from "../../src/tree/tree-path.ts";
import { applyTree, planTree, type TreePlan } from "../../src/tree/write-tree.ts";

let root: string;

beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), "mcpfs-tree-"));
});

afterEach(async () => {
  await rm(root, { recursive: true, force: true });
});

type Texts = Readonly<Record<string, string>>;

function wantedOf(texts: Texts): ReadonlyMap<string, string> {
  return new Map(Object.entries(texts));
}

function knownOf(texts: Texts): ReadonlyMap<string, string> {
  return new Map(Object.entries(texts).map(([path, text]) => [path, fileDigest(text)]));
}

async function put(path: string, text: string): Promise<void> {
  await mkdir(dirname(join(root, path)), { recursive: true });
  await writeFile(join(root, path), text);
}

async function disk(): Promise<Record<string, string>> {
  const entries = await readdir(root, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  const texts = await Promise.all(
    files.map(async (file) => [file.slice(root.length + 1), await readFile(file, "utf8")]),
  );
  return Object.fromEntries(texts.toSorted());
}

async function bring(wanted: Texts, known: Texts = {}): Promise<TreePlan> {
  const plan = await planTree(root, wantedOf(wanted), knownOf(known));
  await applyTree(root, plan);
  return plan;
}

const crm = {
  "servers/crm/getContact.ts": "get",
  "servers/crm/index.ts": "index",
  "servers/crm/.definitions.json": "{}",
  "client.ts": "client",
};

test("a first sync writes every file, and a second one changes nothing", async () => {
  expect(await bring(crm)).toMatchObject({ delete: [], unchanged: 0, edited: [], foreign: [], stale: [] });
  expect(await disk()).toEqual(crm);
  const past = new Date(1_000_000_000_000);
  for (const path of Object.keys(crm)) await utimes(join(root, path), past, past);
  expect(await bring(crm, crm)).toEqual({
    noted: [],
    write: [],
    delete: [],
    unchanged: 4,
    edited: [],
    foreign: [],
    stale: [],
  });
  for (const path of Object.keys(crm)) expect((await stat(join(root, path))).mtime).toEqual(past);
});

test("a plan changes nothing by itself", async () => {
  await planTree(root, wantedOf(crm), new Map());
  expect(await readdir(root)).toEqual([]);
});

test("files that are no longer wanted go, with folders that became empty; foreign neighbours stay", async () => {
  await bring({ ...crm, "servers/old/a.ts": "a", "servers/kept/b.ts": "b" });
  await put("servers/kept/notes.md", "mine");
  const plan = await bring(crm, { ...crm, "servers/old/a.ts": "a", "servers/kept/b.ts": "b" });
  expect(plan.delete).toEqual(["servers/kept/b.ts", "servers/old/a.ts"]);
  expect(await disk()).toEqual({ ...crm, "servers/kept/notes.md": "mine" });
  expect(await readdir(join(root, "servers"))).toEqual(["crm", "kept"]);
});

test("a hand-edited file is reported and replaced; one that is not wanted any more is reported and stays", async () => {
  await bring({ ...crm, "servers/crm/old.ts": "old" });
  await put("servers/crm/getContact.ts", "get // mine");
  await put("servers/crm/old.ts", "old // mine");
  const plan = await bring(crm, { ...crm, "servers/crm/old.ts": "old" });
  expect(plan).toMatchObject({ edited: ["servers/crm/getContact.ts", "servers/crm/old.ts"], delete: [] });
  expect(await disk()).toEqual({ ...crm, "servers/crm/old.ts": "old // mine" });
});

test("a foreign file, folder or link in the way is reported and never touched", async () => {
  await put("AGENTS.md", "mine");
  await mkdir(join(root, "servers/crm/getContact.ts"), { recursive: true });
  await put("secret.txt", "secret");
  await symlink(join(root, "secret.txt"), join(root, "servers/crm/index.ts"));
  const plan = await bring({ ...crm, "AGENTS.md": "ours" }, { "servers/crm/index.ts": "secret" });
  expect(plan.foreign).toEqual(["AGENTS.md", "servers/crm/getContact.ts", "servers/crm/index.ts"]);
  expect(await disk()).toMatchObject({ "AGENTS.md": "mine", "secret.txt": "secret", "client.ts": "client" });
  expect((await lstat(join(root, "servers/crm/index.ts"))).isSymbolicLink()).toBe(true);
});

test("a file that has the wanted text already is ours, whoever wrote it", async () => {
  await put("client.ts", "client");
  expect(await bring(crm)).toMatchObject({ unchanged: 1, foreign: [] });
});

test("line ends that Git turned are no edit", async () => {
  const texts = { "a.ts": "one\ntwo\n", "b.ts": "three\nfour\n" };
  await put("a.ts", "one\r\ntwo\r\n");
  await put("b.ts", "three\r\nfour\r\n");
  const plan = await bring({ "a.ts": "one\ntwo\n" }, texts);
  expect(plan).toMatchObject({ unchanged: 1, write: [], edited: [], delete: ["b.ts"] });
});

test("links among the folders are not followed, when writing and when deleting", async () => {
  await mkdir(join(root, "outside"));
  await put("outside/old.ts", "old");
  await mkdir(join(root, "servers"));
  await symlink(join(root, "outside"), join(root, "servers/crm"));
  const plan = await bring(crm, { "servers/crm/old.ts": "old" });
  expect(plan).toMatchObject({ delete: [], edited: ["servers/crm/old.ts"] });
  expect(plan.foreign).toHaveLength(3);
  expect(await readdir(join(root, "outside"))).toEqual(["old.ts"]);
});

test("a link that was made after the plan is not followed either", async () => {
  await mkdir(join(root, "outside"));
  await put("secret.txt", "secret");
  const plan = await planTree(root, wantedOf(crm), new Map());
  await mkdir(join(root, "servers"));
  await symlink(join(root, "outside"), join(root, "servers/crm"));
  await symlink(join(root, "secret.txt"), join(root, "client.ts"));
  await expect(applyTree(root, plan)).rejects.toMatchObject({ code: "DISK_FAILED" });
  expect(await readdir(join(root, "outside"))).toEqual([]);
  expect(await readFile(join(root, "secret.txt"), "utf8")).toBe("secret");
});

test.each([
  "../out.ts",
  "/etc/passwd",
  "servers/../../x",
  "servers//x",
  "a\\b",
  "C:/x",
  "servers/\0",
  "",
  ".",
])("a record that names %j stops the plan", async (path) => {
  await expect(planTree(root, new Map(), new Map([[path, "00"]]))).rejects.toMatchObject({
    code: "FILE_OUTSIDE_WORKSPACE",
  });
  await expect(planTree(root, new Map([[path, "text"]]), new Map())).rejects.toMatchObject({
    code: "FILE_OUTSIDE_WORKSPACE",
  });
});

test("a reader never sees an index that names a missing file, nor definitions before what they record", async () => {
  const names = Array.from({ length: 60 }, (_, at) => `servers/crm/tool${at}.ts`);
  const versionOf = (version: number): Texts => {
    const files = names.slice(version % 2 === 0 ? 0 : 20, version % 2 === 0 ? 40 : 60);
    const list = JSON.stringify(files);
    return {
      ...Object.fromEntries(files.map((file) => [file, `${file} of ${version}`.repeat(200)])),
      "servers/crm/index.ts": list,
      "servers/crm/.definitions.json": list,
    };
  };
  let last: Texts = {};
  let isDone = false;
  const faults: string[] = [];
  const reader = (async () => {
    while (!isDone) {
      const index = await readFile(join(root, "servers/crm/index.ts"), "utf8").catch(() => "[]");
      const files = JSON.parse(index) as string[];
      const texts = await Promise.all(
        files.map((file) => readFile(join(root, file), "utf8").catch(() => "missing")),
      );
      const now = await readFile(join(root, "servers/crm/index.ts"), "utf8").catch(() => "[]");
      if (now !== index) continue;
      for (const [at, text] of texts.entries())
        if (text.length % 200 !== 0) faults.push(`${files[at]}: ${text.slice(0, 30)}`);
    }
  })();
  for (let version = 0; version < 12; version += 1) {
    await bring(versionOf(version), last);
    last = versionOf(version);
  }
  isDone = true;
  await reader;
  expect(faults).toEqual([]);
  expect(Object.keys(await disk())).toEqual(Object.keys(last).toSorted());
});

test("after a writer that died half-way its files are ours: replaced when wanted, deleted when not", async () => {
  const first = { "servers/crm/a.ts": "a1", "servers/crm/b.ts": "b1", "servers/crm/.definitions.json": "d1" };
  const plan = await planTree(root, wantedOf(first), new Map());
  await mkdir(join(root, "servers/crm/.definitions.json"), { recursive: true });
  await expect(applyTree(root, plan)).rejects.toMatchObject({
    data: { paths: ["servers/crm/.definitions.json"] },
  });
  await rm(join(root, "servers/crm/.definitions.json"), { recursive: true });

  const second = { "servers/crm/a.ts": "a2", "servers/crm/.definitions.json": "d2" };
  const repaired = await bring(second);
  expect(repaired).toMatchObject({ edited: [], foreign: [], delete: ["servers/crm/b.ts"] });
  // Nor is a note left of what is settled now.
  expect(await disk()).toEqual(second);
});

test("a note of a dead writer that cannot be read is no note", async () => {
  await put(".mcpfs/writing.json", '{"servers/crm/a');
  await bring(crm);
  expect(await disk()).toEqual(crm);
});

test("temporary files of crashed writers are cleaned, other files that end in digits are not", async () => {
  await bring(crm);
  await put("servers/crm/getContact.ts.3812736", "half");
  await put("servers/crm/notes.md.1", "mine");
  const plan = await bring(crm, crm);
  expect(plan).toMatchObject({ stale: ["servers/crm/getContact.ts.3812736"], write: [], unchanged: 4 });
  expect(await disk()).toEqual({ ...crm, "servers/crm/notes.md.1": "mine" });
});

test("one file that cannot be replaced is named after all others were done, and its folder keeps its old index", async () => {
  const files = Object.fromEntries(
    Array.from({ length: 40 }, (_, at) => [`servers/big/tool${at}.ts`, `${at}`]),
  );
  const before = { ...files, "servers/big/index.ts": "old", "servers/big/gone.ts": "gone" };
  await bring({ ...before, ...crm });
  const changed = Object.fromEntries(Object.keys(files).map((path) => [path, `new ${path}`]));
  const wanted = { ...changed, "servers/big/index.ts": "new", ...crm, "client.ts": "new" };
  const plan = await planTree(root, wantedOf(wanted), knownOf({ ...before, ...crm }));
  // A folder in the file's place is something that no system replaces.
  await rm(join(root, "servers/big/tool7.ts"));
  await mkdir(join(root, "servers/big/tool7.ts"));
  await expect(applyTree(root, plan)).rejects.toMatchObject({
    code: "DISK_FAILED",
    message: expect.stringContaining("1 file could not be replaced: servers/big/tool7.ts"),
    data: { paths: ["servers/big/tool7.ts"] },
  });
  const { "servers/big/tool7.ts": _missing, ...others } = changed;
  expect(await disk()).toMatchObject({ ...others, ...crm, "client.ts": "new" });
  expect(await disk()).toMatchObject({ "servers/big/index.ts": "old", "servers/big/gone.ts": "gone" });
  expect(Object.keys(await disk()).filter((path) => /\.\d+$/.test(path))).toEqual([]);
});

test("a name that changes in case only is one file on some disks: the old name goes before the new one comes", async () => {
  const before = { "servers/crm/getitem.ts": "same", "servers/crm/index.ts": "old" };
  await bring(before);
  const after = { "servers/crm/getItem.ts": "same", "servers/crm/index.ts": "new" };
  const plan = await bring(after, before);
  expect(plan).toMatchObject({ delete: ["servers/crm/getitem.ts"], foreign: [], edited: [] });
  expect(await disk()).toEqual(after);
});

test.skipIf(process.platform === "win32")("files keep the permissions that somebody gave them", async () => {
  await bring(crm);
  await chmod(join(root, "client.ts"), 0o600);
  await bring({ ...crm, "client.ts": "new" }, crm);
  expect((await stat(join(root, "client.ts"))).mode & 0o777).toBe(0o600);
});
