import { transform } from "esbuild";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  camelCase,
  foldName,
  isExportName,
  isFolderName,
  isWireName,
} from "../../src/catalog/identifiers.ts";
import { assignNames, type NamingRequest } from "../../src/catalog/naming.ts";
import { digestText } from "../../src/kernel/digest.ts";
import { EMPTY_LOCK, type Lock, type LockedTool } from "../../src/model/lock.ts";
import type { ListingKey, RawToolName, ServerName } from "../../src/model/names.ts";

type Wish = string | { readonly raw: string; readonly renamed: string };

function request(name: string, wishes: readonly Wish[]): NamingRequest {
  const tools = wishes.map((wish) => {
    const { raw, renamed } = typeof wish === "string" ? { raw: wish, renamed: wish } : wish;
    return { key: raw as ListingKey, raw: raw as RawToolName, renamed, digest: digestText(raw) };
  });
  return { name: name as ServerName, tools };
}

function names(lock: Lock, server: string): Record<string, LockedTool | undefined> {
  return Object.fromEntries(lock.servers.get(server as ServerName)?.tools ?? []);
}

function exportsOf(...raws: string[]): Record<string, string | undefined> {
  const lock = assignNames(EMPTY_LOCK, [request("s", raws)]);
  return Object.fromEntries(Object.entries(names(lock, "s")).map(([raw, tool]) => [raw, tool?.export]));
}

// M3
describe("the table of the design holds", () => {
  test.each([
    ["google-drive", "get_document", "google-drive", "google_drive__get_document", "getDocument"],
    ["github", "create-branch", "github", "github__create_branch", "createBranch"],
    ["crm", "getContact", "crm", "crm__getContact", "getContact_2"],
    ["vault", "delete", "vault", "vault__delete", "delete_"],
    ["pg", "!pg", "pg", "pg___pg", "pg"],
    ["krypton", "36-hotspots", "krypton", "krypton__36_hotspots", "_36Hotspots"],
  ])("%s, %s", (key, raw, folder, wire, name) => {
    const tools = key === "crm" ? [raw, "get_contact"] : [raw];
    const lock = assignNames(EMPTY_LOCK, [request(key, tools)]);
    expect(lock.servers.get(key as ServerName)?.folder).toBe(folder);
    expect(names(lock, key)[raw]).toEqual({ wire, export: name, digest: digestText(raw) });
  });
});

test.each([
  ["getContact", "getContact"],
  ["GetThing", "getThing"],
  ["API-post-search", "apiPostSearch"],
  ["URLFetch", "urlFetch"],
  ["OAuth", "oAuth"],
  ["LIST_ITEMS", "listItems"],
  ["get_ID", "getID"],
  ["S3Upload", "s3Upload"],
  ["_meta", "meta"],
  ["$batch", "batch"],
  ["a.b/c:d e", "aBCDE"],
  ["get_2_items", "get2Items"],
  ["café_suche", "caféSuche"],
  ["cafe\u0301_suche", "caféSuche"],
  ["技能_検索", "技能検索"],
  ["straße_ändern", "straßeÄndern"],
  ["a\u0000b", "aB"],
  ["\u202eevil", "evil"],
  ["zero\u200dwidth", "zeroWidth"],
  ["🎮", ""],
  ["...", ""],
])("camel case of %j is %j", (text, want) => {
  expect(camelCase(text)).toBe(want);
});

test("names that are reserved in the language, as files or on Windows get an underscore", () => {
  const raws = [
    "class",
    "await",
    "yield",
    "let",
    "static",
    "enum",
    "null",
    "eval",
    "arguments",
    "undefined",
    "default",
  ];
  const files = ["index", "resources", "prompts", "client", "con", "NUL", "com1", "lpt9"];
  const harmful = ["then", "constructor", "to_string", "toJSON", "call_m_c_p_tool"];
  for (const raw of [...raws, ...files, ...harmful])
    expect(exportsOf(raw)[raw], raw).toMatch(/^[a-zA-Z0-9]+_$/);
  expect(exportsOf("callMCPTool")).toEqual({ callMCPTool: "callMCPTool_" });
  expect(exportsOf("index", "INDEX", "_meta", "types")).toEqual({
    index: "index__2",
    INDEX: "index_",
    _meta: "meta",
    types: "types",
  });
  expect(exportsOf("__proto__", "get", "set", "of", "async", "fetch", "type")).toEqual({
    ["__proto__"]: "proto",
    get: "get",
    set: "set",
    of: "of",
    async: "async",
    fetch: "fetch",
    type: "type",
  });
});

test("names that reduce to nothing are still names, one each", () => {
  expect(Object.values(exportsOf("_", "--", "🎮", "...", ".", "", "2048_game"))).toEqual([
    ...["tool", "tool_2", "tool_3", "tool_4", "_2048Game", "tool_5", "tool_6"],
  ]);
});

test("names that would leave the folder, hide or nest become plain names", () => {
  const raws = [
    "../../outside",
    "..\\..\\outside",
    "nested/child",
    "./here",
    "~root",
    "%2e%2e%2fout",
    ".hidden",
    "C:\\x",
  ];
  for (const [raw, name] of Object.entries(exportsOf(...raws)))
    expect(name, raw).toMatch(/^[a-zA-Z0-9]+(_\d)?$|^_2e2e2fout$/);
});

test("three long names with one beginning stay three, and short enough, wherever a limit is", () => {
  const start = "organization_member_permission_assignment_history_report_export_";
  const lock = assignNames(EMPTY_LOCK, [
    request("crm", [`${start}as_csv`, `${start}as_xlsx`, `${start}as_csv_v2`]),
  ]);
  const tools = Object.values(names(lock, "crm"));
  expect(new Set(tools.map((tool) => tool?.wire)).size).toBe(3);
  expect(new Set(tools.map((tool) => tool?.export)).size).toBe(3);
  for (const tool of tools) {
    expect(tool?.wire).toMatch(/^crm__organization_member_permission_.{0,40}_[0-9a-f]{6}$/);
    expect(tool?.wire).toHaveLength(64);
    expect(tool?.export.length).toBeLessThanOrEqual(64);
  }
});

test.each([
  ["google-drive", "google-drive"],
  ["@scope/server", "scope-server"],
  ["../../etc", "etc"],
  [".hidden", "hidden"],
  ["my server!", "my-server"],
  ["next.js", "next-js"],
  ["v1.2", "v1.2"],
  ["CON", "CON_"],
  ["com1.backup", "com1_.backup"],
  ["com¹", "com¹_"],
  ["node_modules", "node_modules_"],
  ["Büro", "Büro"],
  ["技能", "技能"],
  ["\u202eevil\u200b", "evil"],
  ["", "server"],
  ["...", "server"],
  ["README.md", "README.md_2"],
  ["MCPFS", "MCPFS_2"],
  ["mcpfs", "mcpfs"],
])("the folder of the key %j is %j", (key, folder) => {
  const lock = assignNames(EMPTY_LOCK, [request(key, [])]);
  expect(lock.servers.get(key as ServerName)?.folder).toBe(folder);
});

test("folders are unique where case and composition do not count, and long ones are cut", () => {
  const long = "x".repeat(100);
  const lock = assignNames(EMPTY_LOCK, [
    ...["crm", "CRM", "Crm", "a/b", "a-b", "cafe\u0301", "café", `${long}1`, `${long}2`].map((key) =>
      request(key, []),
    ),
  ]);
  const folders = [...lock.servers.values()].map((server) => server.folder);
  expect(new Set(folders.map(foldName)).size).toBe(9);
  expect(folders).toEqual(
    expect.arrayContaining(["CRM", "Crm_2", "crm_3", "a-b", "a-b_2", "café", "café_2"]),
  );
  for (const folder of folders) expect(folder.length).toBeLessThanOrEqual(64);
});

test("wire names are unique in the workspace, and only the built-in server's begin with its name", () => {
  const lock = assignNames(EMPTY_LOCK, [
    request("a", ["_b", "b c", "b_c"]),
    request("a_", ["b"]),
    request("mcpfs_", ["log"]),
    request("mcpfs__x", ["y"]),
    request("mcpfs", ["log"]),
    request("", ["proto__"]),
  ]);
  expect(names(lock, "a")).toMatchObject({
    _b: { wire: "a___b" },
    "b c": { wire: "a__b_c" },
    b_c: { wire: "a__b_c_2" },
  });
  expect(names(lock, "a_")).toMatchObject({ b: { wire: "a___b_2" } });
  expect(names(lock, "mcpfs_")).toMatchObject({ log: { wire: "_mcpfs___log" } });
  expect(names(lock, "mcpfs__x")).toMatchObject({ y: { wire: "_mcpfs__x__y" } });
  expect(names(lock, "mcpfs")).toMatchObject({ log: { wire: "mcpfs__log" } });
  expect(names(lock, "")).toMatchObject({ proto__: { wire: "___proto__" } });
});

test("a newcomer that is listed first does not move an old name", () => {
  const before = assignNames(EMPTY_LOCK, [request("fs", ["read-only"])]);
  const after = assignNames(before, [request("fs", ["read_only", "read-only"])]);
  expect(names(after, "fs")).toMatchObject({
    "read-only": { export: "readOnly" },
    read_only: { export: "readOnly_2" },
  });
});

test("a tool that goes keeps its names without a digest, and gets them back when it returns", () => {
  const before = assignNames(EMPTY_LOCK, [request("crm", ["getContact", "get_contact"])]);
  const gone = assignNames(before, [request("crm", ["getContact"])]);
  expect(names(gone, "crm")).toEqual({
    getContact: names(before, "crm").getContact,
    get_contact: { wire: "crm__get_contact", export: "getContact" },
  });
  const other = assignNames(gone, [request("crm", ["getContact", "get-contact"])]);
  expect(names(other, "crm")["get-contact"]).toMatchObject({
    wire: "crm__get_contact_2",
    export: "getContact_3",
  });
  expect(assignNames(gone, [request("crm", ["getContact", "get_contact"])])).toEqual(before);
});

test("servers that are not given stay as they are, and so do the files of the lock", () => {
  const before = { ...assignNames(EMPTY_LOCK, [request("a", ["x"])]), files: new Map([["client.ts", "00"]]) };
  const after = assignNames(before, [request("b", ["y"])]);
  expect(after.servers.get("a" as ServerName)).toBe(before.servers.get("a" as ServerName));
  expect(after.files).toBe(before.files);
});

test("a rename of the config gives new names, is recorded, and takes nothing from others", () => {
  const before = assignNames(EMPTY_LOCK, [request("crm", ["get_contact", "list"])]);
  const after = assignNames(before, [request("crm", [{ raw: "get_contact", renamed: "list" }, "list"])]);
  expect(names(after, "crm")).toMatchObject({
    get_contact: { wire: "crm__list_2", export: "list_2", renamed: "list" },
    list: { wire: "crm__list", export: "list" },
  });
  expect(assignNames(after, [request("crm", [{ raw: "get_contact", renamed: "list" }, "list"])])).toEqual(
    after,
  );
  const back = assignNames(after, [request("crm", ["get_contact", "list"])]);
  expect(names(back, "crm").get_contact).toEqual(names(before, "crm").get_contact);
});

const rawName = fc.oneof(
  fc.string({ unit: "binary", maxLength: 90 }),
  fc.string({ unit: "grapheme", maxLength: 30 }),
  fc.string({
    unit: fc.constantFrom("a", "A", "_", "-", "b", "1", ".", "/", "é", "e\u0301", "\u200d"),
    maxLength: 8,
  }),
  fc.constantFrom(
    "then",
    "delete",
    "index",
    "INDEX",
    "con",
    "__proto__",
    "constructor",
    "\ud800",
    "ﬁ",
    "ſ",
    "ı",
    "İ",
    "ß",
  ),
);
const rawNames = fc.uniqueArray(rawName, { maxLength: 25 });
const keys = fc.uniqueArray(rawName, { minLength: 1, maxLength: 4 });

test("whatever servers list, every name is legal and unique", async () => {
  const sources: string[] = [];
  fc.assert(
    fc.property(keys, rawNames, (servers, raws) => {
      const lock = assignNames(
        EMPTY_LOCK,
        servers.map((server) => request(server, raws)),
      );
      const wires = new Set<string>();
      const folders = new Set<string>();
      for (const server of lock.servers.values()) {
        expect(isFolderName(server.folder)).toBe(true);
        folders.add(foldName(server.folder));
        const exports = [...server.tools.values()].map((tool) => tool.export);
        expect(new Set(exports.map(foldName)).size).toBe(raws.length);
        for (const name of exports) {
          expect(name).toMatch(/^[\p{ID_Start}_][\p{ID_Continue}]*$/u);
          expect(isExportName(name)).toBe(true);
          expect(name.length).toBeLessThanOrEqual(64);
          expect(name.normalize("NFC")).toBe(name);
        }
        for (const { wire } of server.tools.values()) {
          expect(isWireName(wire)).toBe(true);
          wires.add(wire);
        }
        sources.push(exports.map((name) => `export async function ${name}() {}`).join("\n"));
      }
      expect(wires.size).toBe(raws.length * lock.servers.size);
      expect(folders.size).toBe(lock.servers.size);
    }),
    { numRuns: 300 },
  );
  for (const source of new Set(sources))
    await transform(source, { loader: "ts", format: "esm", logLevel: "silent" });
});

test("names do not depend on the order of listing, are the same when asked again, and never move", () => {
  fc.assert(
    fc.property(keys, rawNames, rawNames, fc.infiniteStream(fc.nat()), (servers, raws, more, random) => {
      const shuffled = <T>(items: readonly T[]): T[] =>
        items
          .map((item) => ({ item, key: random.next().value as number }))
          .sort((a, b) => a.key - b.key)
          .map(({ item }) => item);
      const requests = servers.map((server) => request(server, raws));
      const first = assignNames(EMPTY_LOCK, requests);
      const again = assignNames(
        EMPTY_LOCK,
        shuffled(servers).map((server) => request(server, shuffled(raws))),
      );
      expect(new Map([...again.servers].map(([name, { tools }]) => [name, new Map(tools)]))).toEqual(
        new Map([...first.servers].map(([name, { tools }]) => [name, tools])),
      );
      expect(assignNames(first, requests)).toEqual(first);

      const kept = shuffled(raws).slice(0, Math.ceil(raws.length / 2));
      const changed = assignNames(
        first,
        servers.map((server) => request(server, [...new Set([...more, ...kept])])),
      );
      const restored = assignNames(changed, shuffled(requests));
      for (const [name, server] of first.servers) {
        expect(changed.servers.get(name)?.folder).toBe(server.folder);
        for (const [raw, tool] of server.tools) {
          expect(changed.servers.get(name)?.tools.get(raw)).toMatchObject({
            wire: tool.wire,
            export: tool.export,
          });
          expect(restored.servers.get(name)?.tools.get(raw)).toEqual(tool);
        }
      }
    }),
    { numRuns: 200 },
  );
});
