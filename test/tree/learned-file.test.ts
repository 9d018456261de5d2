import { mkdtemp, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import type { Json } from "../../src/kernel/json.ts";
import type { Learned } from "../../src/learning/learned.ts";
import { shapeOf } from "../../src/learning/shape-of.ts";
import type { ListingKey, ServerName } from "../../src/model/names.ts";
import { LEARNED_FILE, learnedText, readLearned, writeLearned } from "../../src/tree/learned-file.ts";

let root: string;

beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), "mcpfs-learned-file-"));
});

afterEach(async () => {
  await rm(root, { recursive: true, force: true });
});

function learnedOf(servers: Readonly<Record<string, Readonly<Record<string, Json>>>>): Learned {
  return new Map(
    Object.entries(servers).map(([name, tools]) => [
      name as ServerName,
      new Map(Object.entries(tools).map(([key, value]) => [key as ListingKey, shapeOf(value)])),
    ]),
  );
}

test("the file is sorted, one fact a line, and ends with a newline", () => {
  const text = learnedText(
    learnedOf({ b: { z: "x", a: { rows: [{ id: 1, name: null }], at: "x" } }, a: {} }),
  );
  expect(text).toBe(`{
  "version": 1,
  "servers": {
    "a": {},
    "b": {
      "a": {
        "at": "string",
        "rows": [
          {
            "id": "number",
            "name": "null"
          }
        ]
      },
      "z": "string"
    }
  }
}
`);
  const swapped = learnedOf({ a: {}, b: { a: { at: "y", rows: [{ name: null, id: 2 }] }, z: "" } });
  expect(learnedText(swapped)).toBe(text);
});

test("what a terminal would not show stands as an escape, and is read again", async () => {
  const learned = learnedOf({ s: { "to\u202eol\u200b": 1 } });
  expect(learnedText(learned)).toContain('"to\\u202eol\\u200b": "number"');
  await writeLearned(root, learned);
  expect(await readLearned(root)).toEqual(learned);
});

test("names that objects have by birth are names like others", async () => {
  const learned = learnedOf({ constructor: { toString: { constructor: 1, ["__proto__"]: 2 } } });
  await writeLearned(root, learned);
  expect(learnedText(await readLearned(root))).toBe(learnedText(learned));
});

test("nothing learned is no file, and an equal text is not written again", async () => {
  await writeLearned(root, new Map());
  await expect(stat(join(root, LEARNED_FILE))).rejects.toMatchObject({ code: "ENOENT" });
  expect(await readLearned(root)).toEqual(new Map());
  await writeLearned(root, learnedOf({ s: { t: 1 } }));
  const before = await stat(join(root, LEARNED_FILE));
  await writeLearned(root, learnedOf({ s: { t: 2 } }));
  expect((await stat(join(root, LEARNED_FILE))).ino).toBe(before.ino);
  await writeLearned(root, new Map());
  expect(await readFile(join(root, LEARNED_FILE), "utf8")).toBe('{\n  "version": 1,\n  "servers": {}\n}\n');
});

test.each([
  "",
  "[]",
  "<<<<<<< ours",
  '{"version":1}',
  '{"version":2,"servers":{}}',
  '{"version":1,"servers":[]}',
  '{"version":1,"servers":{"s":[]}}',
  '{"version":1,"servers":{"s":{"t":"text"}}}',
  '{"version":1,"servers":{"s":{"t":{"ada@example.com":"string"}}}}',
  `{"version":1,"servers":{"s":{"t":${"[".repeat(50_000)}${"]".repeat(50_000)}}}}`,
])("a file that cannot be understood is refused, and left as it is: %#", async (text) => {
  await writeFile(join(root, LEARNED_FILE), text);
  await expect(readLearned(root)).rejects.toMatchObject({ code: "CONFIG_INVALID" });
  expect(await readFile(join(root, LEARNED_FILE), "utf8")).toBe(text);
});
