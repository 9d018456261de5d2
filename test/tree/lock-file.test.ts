import { chmod, mkdir, mkdtemp, readFile, rm, stat, utimes, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterEach, beforeEach, expect, test } from "vitest";
import { assignNames } from "../../src/catalog/naming.ts";
import { EMPTY_LOCK, type Lock } from "../../src/model/lock.ts";
import type { ListingKey, RawToolName, ServerName } from "../../src/model/names.ts";
import { LOCK_FILE, lockText, readLock, writeLock } from "../../src/tree/lock-file.ts";

let root: string;

beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), "mcpfs-lock-file-"));
});

afterEach(async () => {
  await rm(root, { recursive: true, force: true });
});

function lockOf(servers: Readonly<Record<string, readonly string[]>>): Lock {
  const requests = Object.entries(servers).map(([name, raws]) => ({
    name: name as ServerName,
    tools: raws.map((raw) => ({
      key: raw as ListingKey,
      raw: raw as RawToolName,
      renamed: raw,
      digest: "d".repeat(64),
    })),
  }));
  return assignNames(EMPTY_LOCK, requests);
}

// B5
test("the lock is sorted, one tool a line, and ends with a newline", () => {
  const lock = {
    ...lockOf({ crm: ["b", "a"], "a-1": [] }),
    files: new Map([["client.ts", "0123456789abcdef"]]),
  };
  const digest = "d".repeat(64);
  expect(lockText(lock)).toBe(`{
  "version": 1,
  "servers": {
    "a-1": {
      "folder": "a-1",
      "tools": {}
    },
    "crm": {
      "folder": "crm",
      "tools": {
        "a": {"wire":"crm__a","export":"a","digest":"${digest}"},
        "b": {"wire":"crm__b","export":"b","digest":"${digest}"}
      }
    }
  },
  "files": {
    "client.ts": "0123456789abcdef"
  }
}
`);
});

test("what is written is read again, whatever tools are called, and nothing hidden stands in the file", async () => {
  const raws = [
    "__proto__",
    "constructor",
    "1",
    "a\u001b[2J\u202e\u200b\u{e0041}",
    "\ud800",
    "café",
    "cafe\u0301",
    "",
  ];
  const before = lockOf({ evil: raws, ["__proto__"]: ["x"], mcpfs: ["log"] });
  const lock = assignNames(before, [{ name: "evil" as ServerName, tools: [] }]);
  await writeLock(root, lock);
  const again = await readLock(root);
  expect(again).toEqual(lock);
  expect([...(again.servers.get("evil" as ServerName)?.tools.keys() ?? [])].toSorted()).toEqual(
    raws.toSorted(),
  );
  expect(await readFile(join(root, LOCK_FILE), "utf8")).toMatch(/^(?:[\n\x20-\x7eé]|\u0301)+$/);
});

test.each([
  ["tools whose names differ only in case", { raw: ["echo", "Echo", "ECHO"] }],
  ["servers whose keys differ only in case", { docs: ["get"], Docs: ["get"] }],
])("the lock of %s is read again", async (_what, servers) => {
  const lock = lockOf(servers);
  await writeLock(root, lock);
  expect(await readLock(root)).toEqual(lock);
});

/** Names that are easily taken for each other: by case, Unicode form, separators, or nothing but what nobody sees. */
const likeName = fc.oneof(
  fc.string({ unit: fc.constantFrom(..."aAéK\u212ae\u0301_-./ 1\u200dß", "ﬁ", "fi"), maxLength: 4 }),
  fc.string({ unit: "binary", maxLength: 90 }),
  fc.constantFrom(
    "echo",
    "Echo",
    "mcpfs",
    "MCPFS",
    "__proto__",
    "x".repeat(80),
    "X".repeat(80),
    "con",
    "\ud800",
  ),
);
const likeNames = fc.uniqueArray(likeName, { maxLength: 12 });
const listed = fc.dictionary(likeName, fc.record({ tools: likeNames, prompts: likeNames }), { maxKeys: 5 });

function nameAll(before: Lock, servers: Readonly<Record<string, ListedNames>>): Lock {
  const requests = Object.entries(servers).map(([name, { tools, prompts }]) => ({
    name: name as ServerName,
    tools: tools.map((raw) => ({
      key: raw as ListingKey,
      raw: raw as RawToolName,
      renamed: raw,
      digest: "d".repeat(64),
    })),
    offers: [
      ...prompts.map((raw) => ({ key: `prompt:${raw}`, raw, renamed: raw, prefix: "prompt_" })),
      ...["read", "list"].map((raw) => ({ key: `resource:${raw}`, raw, renamed: raw, prefix: "resource_" })),
    ],
  }));
  return assignNames(before, requests);
}

interface ListedNames {
  readonly tools: readonly string[];
  readonly prompts: readonly string[];
}

test("every lock that naming can make is read again as it was written", async () => {
  await fc.assert(
    fc.asyncProperty(listed, listed, async (first, then) => {
      for (const lock of [nameAll(EMPTY_LOCK, first), nameAll(nameAll(EMPTY_LOCK, first), then)]) {
        await writeLock(root, lock);
        expect(await readLock(root)).toEqual(lock);
      }
    }),
    { numRuns: 60 },
  );
});

test("a lock that has not changed is not written again", async () => {
  await writeLock(root, lockOf({ crm: ["a"] }));
  const past = new Date(1_000_000_000_000);
  await utimes(join(root, LOCK_FILE), past, past);
  await writeLock(root, lockOf({ crm: ["a"] }));
  expect((await stat(join(root, LOCK_FILE))).mtime).toEqual(past);
});

test("a missing lock is a workspace that was never synced", async () => {
  expect(await readLock(root)).toBe(EMPTY_LOCK);
});

test("line ends that Git turned do not matter", async () => {
  const lock = lockOf({ crm: ["a"] });
  await writeFile(join(root, LOCK_FILE), lockText(lock).replaceAll("\n", "\r\n"));
  expect(await readLock(root)).toEqual(lock);
});

const good = lockText(lockOf({ crm: ["a", "b"] }));

test.each([
  ["empty", ""],
  ["cut off", good.slice(0, -20)],
  ["with merge marks", `<<<<<<< ours\n${good}=======\n${good}>>>>>>> theirs\n`],
  ["of another version", good.replace('"version": 1', '"version": 2')],
  ["an array", "[]"],
  ["without servers", '{"version":1,"files":{}}'],
  ["with servers as a list", '{"version":1,"servers":[],"files":{}}'],
  ["with a folder that leads out", good.replace('"folder": "crm"', '"folder": "../../out"')],
  ["with a hidden folder", good.replace('"folder": "crm"', '"folder": ".git"')],
  ["with the folder of the built-in server", good.replace('"folder": "crm"', '"folder": "mcpfs"')],
  ["with a folder with a drive", good.replace('"folder": "crm"', '"folder": "C:"')],
  ["with an export that leads out", good.replace('"export":"a"', '"export":"../a"')],
  ["with an export that is code", good.replace('"export":"a"', '"export":"a(){}; evil"')],
  ["with a wire name that is none", good.replace("crm__a", "crm a")],
  ["with one wire name twice", good.replace("crm__a", "crm__b")],
  ["with one export twice but for case", good.replace('"export":"a"', '"export":"B"')],
  ["with a digest that is a number", good.replace(/"digest":"d+"/, '"digest":1')],
  ["with a file that leads out", good.replace('"files": {}', '"files": {"../../x": "00"}')],
  ["with an absolute file", good.replace('"files": {}', '"files": {"/etc/x": "00"}')],
  ["with a file of backslashes", good.replace('"files": {}', '"files": {"..\\\\x": "00"}')],
])("a lock %s stops the command instead of trusting everything anew", async (_what, text) => {
  expect(text).not.toBe(good);
  await writeFile(join(root, LOCK_FILE), text);
  await expect(readLock(root)).rejects.toMatchObject({
    code: "CONFIG_INVALID",
    hint: expect.stringContaining("version control"),
  });
});

test("a lock that cannot be read stops the command", async () => {
  await mkdir(join(root, LOCK_FILE));
  await expect(readLock(root)).rejects.toMatchObject({ code: "CONFIG_INVALID" });
});

test.skipIf(process.getuid?.() === 0 || process.platform === "win32")(
  "a lock without permission stops the command",
  async () => {
    await writeFile(join(root, LOCK_FILE), good);
    await chmod(join(root, LOCK_FILE), 0);
    await expect(readLock(root)).rejects.toMatchObject({ code: "CONFIG_INVALID" });
  },
);

test("a lock whose line ends Git turned is not written again", async () => {
  const lock = lockOf({ crm: ["get"] });
  const turned = lockText(lock).replaceAll("\n", "\r\n");
  await writeFile(join(root, LOCK_FILE), turned);
  await writeLock(root, lock);
  expect(await readFile(join(root, LOCK_FILE), "utf8")).toBe(turned);
});
