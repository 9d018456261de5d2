import { expect, test } from "vitest";
import { buildCatalog, nameCatalog } from "../../src/catalog/build.ts";
import { createLookup } from "../../src/catalog/lookup.ts";
import { McpfsError } from "../../src/kernel/errors.ts";
import { EMPTY_LOCK } from "../../src/model/lock.ts";
import type { ServerName } from "../../src/model/names.ts";
import { server } from "./definitions.ts";

const before = [
  server("google-drive", ["get_document", "list_files", "old_one"]),
  server("crm", ["get_contact", "getContact", "grep<a&b>", "a/b"]),
  server("crm/a", ["b"]),
  server("hub", ["get_contact", "send_email"]),
  server("off", ["only_there"]),
  server("1st", ["go"]),
];
const now = before.map((each) => {
  if (each.entry.name === "google-drive") return server("google-drive", ["get_document", "list_files"]);
  return each.entry.name === "off" ? server("off", ["only_there"], { isEnabled: false }) : each;
});
const catalog = buildCatalog(now, nameCatalog(before, EMPTY_LOCK).lock);
const lookup = createLookup(catalog);

function failure(name: string): McpfsError {
  try {
    lookup.find(name);
  } catch (error) {
    if (error instanceof McpfsError) return error;
  }
  throw new Error(`${name} was found`);
}

test.each([
  ["google-drive/get_document", "google_drive__get_document"],
  ["google_drive__get_document", "google_drive__get_document"],
  ["google_drive_getDocument", "google_drive__get_document"],
  ["getDocument", "google_drive__get_document"],
  ["crm/getContact", "crm__getContact"],
  ["getContact_2", "crm__getContact"],
  ["crm_getContact", "crm__get_contact"],
  ["crm/grep<a&b>", "crm__grep_a_b_"],
  ["crm__a_b", "crm__a_b"],
  ["_1st_go", "1st__go"],
  ["google-drive/getDocument", "google_drive__get_document"],
  ["crm/getContact_2", "crm__getContact"],
  ["servers/crm/getContact.ts", "crm__get_contact"],
  ["servers/1st/go.ts", "1st__go"],
])("%s finds %s", (name, wire) => {
  expect(lookup.find(name).wire).toBe(wire);
});

test("near misses are suggested, never run", () => {
  for (const name of [
    "getdocument",
    "GETDOCUMENT",
    "google-drive/getdocument",
    "google_drive__get_documnt",
    "servers/google-drive/getDocument",
    " getDocument",
  ]) {
    const error = failure(name);
    expect(error.code, name).toBe("TOOL_UNKNOWN");
    expect(error.data.nearest, name).toContain("google_drive__get_document");
    expect(error.hint, name).toContain("google_drive__get_document");
  }
  expect(failure("getContct").data.nearest).toHaveLength(3);
  expect(failure("zzzz").hint).toContain("mcpfs search");
});

test("a name of several tools is no name; each is named so that it can be pasted", () => {
  const error = failure("getContact");
  expect(error).toMatchObject({ code: "TOOL_UNKNOWN", message: '"getContact" is the name of 2 tools.' });
  expect(error.hint).toBe("Say which one: crm/get_contact or hub/get_contact.");
  expect(failure("crm/a/b").data.candidates).toEqual(["crm/a/b", "crm/a/b"]);
  expect(failure("crm/a/b").data.nearest).toEqual(["crm__a_b", "crm_a__b"]);
});

test.each([
  "google-drive/old_one",
  "google_drive__old_one",
  "google_drive_oldOne",
  "oldOne",
  "google-drive/oldOne",
  "servers/google-drive/oldOne.ts",
  "off/only_there",
  "onlyThere",
])("%s is known to the lock, and not available", (name) => {
  expect(failure(name).code).toBe("TOOL_UNAVAILABLE");
});

test("an unavailable tool says why, and what is near", () => {
  expect(failure("off/only_there").message).toContain("disabled");
  expect(failure("google_drive__old_one").message).toContain("no longer lists it");
  expect(failure("google_drive__old_one").data).toMatchObject({ server: "google-drive", tool: "old_one" });
});

test("a name that begins with a server's gets suggestions of that server alone", () => {
  expect(String(failure("hub/getDocument").data.nearest)).not.toContain("google_drive");
  expect(failure("hub__get_contacts").data.nearest).toEqual(["hub__get_contact"]);
  expect(failure("hob/getDocument").data.nearest).toContain("google_drive__get_document");
});

test.each([
  ["files/write_file", "files"],
  ["files__write_file", "files"],
  ["files/writeFile", "files"],
  ["off/only_there", "off"],
  ["off__only_there", "off"],
  ["a/b/c", "a/b"],
])("%s of a server that is not synced yet says so, and suggests nothing else", (name, server) => {
  const unsynced = ["files", "off", "a", "a/b"] as ServerName[];
  const find = (): unknown => createLookup(catalog, { unsynced }).find(name);
  expect(find).toThrow(
    expect.objectContaining({
      code: "TOOL_UNKNOWN",
      message: `The tools of ${server} are not known: it is not synced yet.`,
      hint: `Run "mcpfs sync ${server}".`,
      data: { name, server, nearest: [] },
    }),
  );
});

test("an error shows a hostile name without letting it act", () => {
  expect(failure("a\u001b[2J\n\u202eb").message).toBe('No tool is called "a\\u{1b}[2J \\u{202e}b".');
});

test("the door finds tools and retired names by wire name alone", () => {
  expect(lookup.byWire("crm__get_contact")).toMatchObject({ raw: "get_contact", server: "crm" });
  expect(lookup.byWire("off__only_there")).toMatchObject({
    isRetired: true,
    server: "off",
    isServerEnabled: false,
  });
  expect(lookup.byWire("google_drive__old_one")).toMatchObject({ isRetired: true, isServerEnabled: true });
  for (const name of ["crm/get_contact", "getContact", "__proto__", "constructor", ""])
    expect(lookup.byWire(name)).toBeUndefined();
});

test("flat names are identifiers of available tools, and mean one tool only", () => {
  const flat = createLookup(
    buildCatalog([server("a-b", ["x"]), server("a_b", ["x", "y"])], EMPTY_LOCK),
  ).flatNames();
  expect([...flat.keys()]).toEqual(["a_b_y"]);
  expect([...lookup.flatNames().keys()]).toContain("google_drive_getDocument");
  for (const name of lookup.flatNames().keys()) expect(name).toMatch(/^[A-Za-z_][A-Za-z0-9_]*$/);
  expect(lookup.flatNames().get("google_drive_oldOne")).toBeUndefined();
});

test.each([
  ["hub.sendEmail", "hub__send_email"],
  ["send_mail", "hub__send_email"],
  ["emailSend", "hub__send_email"],
  ["listfiles", "google_drive__list_files"],
  ["hub_get_contacts", "hub__get_contact"],
])("nearest to %s is %s", (name, wire) => {
  expect(lookup.nearest(name, 3)[0]).toBe(wire);
});

test("a suggestion among ten thousand tools comes at once", () => {
  const servers = Array.from({ length: 10 }, (_, at) =>
    server(
      `server-${at}`,
      Array.from({ length: 1_000 }, (_, item) => `get_item_${item}`),
    ),
  );
  const large = createLookup(buildCatalog(servers, EMPTY_LOCK));
  large.nearest("warm", 3);
  const start = performance.now();
  expect(large.nearest("server_3__get_itm_77", 3)[0]).toBe("server_3__get_item_77");
  expect(performance.now() - start).toBeLessThan(1_000);
});
