import { mkdir, mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { parseJson } from "../../src/kernel/json.ts";
import { EMPTY_LOCK } from "../../src/model/lock.ts";
import { NO_OFFERS } from "../../src/model/offers.ts";
import type { RawTool } from "../../src/model/tool.ts";
import {
  DEFINITIONS_FILE,
  definitionsText,
  readDefinitions,
  readKnownFiles,
} from "../../src/tree/definitions-file.ts";
import { fileDigest } from "../../src/tree/tree-path.ts";

let root: string;

beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), "mcpfs-definitions-"));
});

afterEach(async () => {
  await rm(root, { recursive: true, force: true });
});

async function put(folder: string, text: string): Promise<void> {
  const path = join(root, "servers", folder, DEFINITIONS_FILE);
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, text);
}

const tools: readonly RawTool[] = [
  { name: "b", inputSchema: { type: "object", $schema: "x" } },
  { title: "T", name: "a" },
];

test("definitions are sorted by raw name, one tool a line, each as received", () => {
  expect(definitionsText({ tools, files: new Map([["index.ts", "00"]]) })).toBe(`{
  "version": 1,
  "files": {
    "index.ts": "00"
  },
  "tools": [
    {"title":"T","name":"a"},
    {"name":"b","inputSchema":{"type":"object","$schema":"x"}}
  ]
}
`);
  expect(definitionsText({ tools: tools.toReversed(), files: new Map([["index.ts", "00"]]) })).toBe(
    definitionsText({ tools, files: new Map([["index.ts", "00"]]) }),
  );
});

test("what is written is read again: long integers, odd keys, hidden characters", async () => {
  const odd = parseJson(
    '{"name":"a\\u001b\\u202e\\u2028\\u{e0041}","__proto__":{"x":1},"default":12345678901234567890}'.replace(
      "\\u{e0041}",
      "\udb40\udc41",
    ),
  ) as RawTool;
  const text = definitionsText({ tools: [odd], files: new Map() });
  expect(text).toMatch(/^[\n\x20-\x7e]+$/);
  await put("evil", text);
  expect(await readDefinitions(root, "evil")).toMatchObject({
    tools: [odd],
    offers: NO_OFFERS,
    files: new Map(),
  });
});

test("resources, templates and prompts stand in lists of their own, and a file without them is as it always was", async () => {
  const offers = {
    resources: [
      { uri: "b:", name: "B" },
      { uri: "a:", name: "A" },
    ],
    templates: [{ uriTemplate: "c:{d}", name: "C" }],
    prompts: [{ name: "p", arguments: [] }],
  };
  const text = definitionsText({ tools: [], offers, files: new Map() });
  await put("full", text);
  const read = await readDefinitions(root, "full");
  expect(read?.offers).toEqual({ ...offers, resources: offers.resources.toReversed() });
  expect(definitionsText({ tools: [], offers: NO_OFFERS, files: new Map() })).not.toContain("resources");
  await put("odd", text.replace('"uri":"b:"', '"uri":7'));
  await expect(readDefinitions(root, "odd")).rejects.toMatchObject({ code: "CONFIG_INVALID" });
});

test("a server without definitions has none", async () => {
  expect(await readDefinitions(root, "crm")).toBeUndefined();
});

const good = definitionsText({ tools, files: new Map([["index.ts", "00"]]) });

test.each([
  ["empty", ""],
  ["cut off", good.slice(0, 60)],
  ["of another version", good.replace("1", "9")],
  ["with a tool without a name", good.replace('"name":"a"', '"nam":"a"')],
  ["with tools as an object", '{"version":1,"files":{},"tools":{}}'],
  ["without files", '{"version":1,"tools":[]}'],
  ["that claims a file elsewhere", good.replace("index.ts", "../../package.json")],
  ["that claims a file in a folder", good.replace("index.ts", "a/b.ts")],
  ["that claims its parent", good.replace("index.ts", "..")],
])("definitions %s stop the command instead of being accepted anew", async (_what, text) => {
  await put("crm", text);
  await expect(readDefinitions(root, "crm")).rejects.toMatchObject({ code: "CONFIG_INVALID" });
  await expect(readKnownFiles(root, EMPTY_LOCK, new Map())).rejects.toMatchObject({ code: "CONFIG_INVALID" });
});

test("the files that we may own are those of the lock, of each server's definitions, and the definitions", async () => {
  await put("crm", good);
  await mkdir(join(root, "elsewhere"));
  await writeFile(join(root, "elsewhere", DEFINITIONS_FILE), good);
  await symlink(join(root, "elsewhere"), join(root, "servers", "linked"));
  await mkdir(join(root, "servers", "foreign"));
  const known = await readKnownFiles(
    root,
    { ...EMPTY_LOCK, files: new Map([["client.ts", "11"]]) },
    new Map(),
  );
  expect(Object.fromEntries(known)).toEqual({
    "client.ts": "11",
    "servers/crm/index.ts": "00",
    "servers/crm/.definitions.json": fileDigest(good),
  });
});
