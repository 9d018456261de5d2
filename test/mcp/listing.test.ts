import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { received, replay, scripted, serverEntry, temporaryFolder } from "../servers/servers.ts";
import { namesOf, rejection, serverName, testHub } from "./fixtures.ts";

const tools = (...names: string[]): { name: string }[] => names.map((name) => ({ name }));

async function list(
  spec: Record<string, unknown>,
): Promise<{ names: string[]; warnings: readonly string[]; requests: number }> {
  using folder = temporaryFolder();
  const log = join(folder.path, "log");
  await using hub = testHub(serverEntry("odd", scripted(spec, log)));
  const listed = await (await hub.link(serverName("odd"))).listTools();
  return { names: namesOf(listed), warnings: listed.warnings, requests: received(log, "tools/list").length };
}

const eight = tools("a", "b", "c", "d", "e", "f", "g", "h");

describe("a list of tools", () => {
  test.each([
    [
      "several pages are one list",
      { start: { tools: tools("a", "b"), nextCursor: "1" }, "1": { tools: tools("c") } },
      "abc",
      2,
      0,
    ],
    [
      "an empty cursor is followed",
      { start: { tools: tools("a"), nextCursor: "" }, "": { tools: tools("b") } },
      "ab",
      2,
      0,
    ],
    ["a null cursor ends it", { start: { tools: tools("a"), nextCursor: null } }, "a", 1, 0],
    [
      "the same page with the same cursor is listed once",
      { "*": { tools: eight, nextCursor: "8" } },
      "abcdefgh",
      2,
      1,
    ],
    [
      "a page that brings something new counts, though its cursor repeats",
      { start: { tools: tools("a", "b"), nextCursor: "c1" }, c1: { tools: tools("c"), nextCursor: "c1" } },
      "abc",
      2,
      1,
    ],
    [
      "a new cursor for ever with the same tools ends soon",
      { "*": { tools: eight, nextCursor: "n{n}" } },
      "abcdefgh",
      4,
      1,
    ],
    ["equal tools on one page are not merged here", { start: { tools: tools("a", "a") } }, "aa", 1, 0],
    [
      "an empty page does not end it",
      { start: { tools: [], nextCursor: "1" }, "1": { tools: tools("a") } },
      "a",
      2,
      0,
    ],
  ])("%s", async (_name, pages, names, requests, warnings) => {
    const listed = await list({ pages });
    expect({ ...listed, names: listed.names.join(""), warnings: listed.warnings.length }).toEqual({
      names,
      requests,
      warnings,
    });
  });

  test("the warning names the cursor", async () => {
    const { warnings } = await list({ pages: { "*": { tools: eight, nextCursor: "8\u001b" } } });
    expect(warnings).toEqual(['The list of tools was cut at page 2: the cursor "8\\\\u{1b}" came again.']);
  });

  test("new tools on new pages for ever end at a thousand pages", async () => {
    const listed = await list({ pages: { "*": { tools: tools("t{n}"), nextCursor: "n{n}" } } });
    expect([listed.names.length, listed.requests, listed.warnings.length]).toEqual([1_000, 1_000, 1]);
  });

  test("one limit holds for all pages", async () => {
    const spec = { listDelayMs: 120, pages: { "*": { tools: tools("t{n}"), nextCursor: "n{n}" } } };
    await using hub = testHub(serverEntry("odd", scripted(spec), { timeoutMs: 600 }));
    const link = await hub.link(serverName("odd"));
    const startedMs = Date.now();
    expect((await rejection(link.listTools())).code).toBe("SERVER_TIMEOUT");
    expect(Date.now() - startedMs).toBeLessThan(2_000);
  });

  test("a server without tools has an empty list", async () => {
    const listError = { code: -32601, message: "Method not found" };
    expect(await list({ capabilities: { prompts: {} }, listError })).toEqual({
      names: [],
      warnings: [],
      requests: 1,
    });
  });

  test("a server that declares no tools but lists them is listed", async () => {
    expect((await list({ capabilities: {}, tools: tools("a") })).names).toEqual(["a"]);
  });

  test("elements come as they are, also those that are no tools", async () => {
    const toolsText =
      '[{"name":"a","description":null},{"name":"b","x-vendor":{"__proto__":1},"inputSchema":{"maximum":12345678901234567890}},7,null,{}]';
    await using hub = testHub(serverEntry("odd", scripted({ toolsText })));
    const listed = await (await hub.link(serverName("odd"))).listTools();
    expect(listed.tools).toHaveLength(5);
    expect(listed.tools[0]).toEqual({ name: "a", description: null });
    expect((listed.tools[1] as any).inputSchema.maximum).toBe(12345678901234567890n);
    expect(Object.keys((listed.tools[1] as any)["x-vendor"])).toEqual(["__proto__"]);
    expect(listed.tools.slice(2)).toEqual([7, null, {}]);
  });

  test.each([
    [
      "a refusal",
      { listError: { code: -32000, message: "Log in first" } },
      /refused to list its tools: Log in first/,
    ],
    ["no list", { toolsText: "{}" }, /without a list of tools/],
  ])("%s is SERVER_FAILED", async (_name, spec, want) => {
    await using hub = testHub(serverEntry("odd", scripted(spec)));
    const error = await rejection((await hub.link(serverName("odd"))).listTools());
    expect([error.code, want.test(error.message)]).toEqual(["SERVER_FAILED", true]);
  });

  test("a change of the watched file changes the list", async () => {
    using folder = temporaryFolder();
    const watchFile = join(folder.path, "tools.json");
    writeFileSync(watchFile, JSON.stringify(tools("a")));
    await using hub = testHub(serverEntry("odd", scripted({ watchFile })));
    const link = await hub.link(serverName("odd"));
    expect(namesOf(await link.listTools())).toEqual(["a"]);
    writeFileSync(watchFile, JSON.stringify(tools("a", "b")));
    await expect.poll(() => hub.changed.length, { timeout: 5_000 }).toBeGreaterThan(0);
    expect(namesOf(await link.listTools())).toEqual(["a", "b"]);
  });
});

const corpus = new URL("../../../shared/corpus/servers/", import.meta.url).pathname;
test.skipIf(!existsSync(corpus))(
  "captured servers list the same elements, whole and in pages (skipped without the corpus)",
  async () => {
    const files = readdirSync(corpus)
      .filter((name) => name.endsWith(".json"))
      .slice(0, 6);
    for (const file of files) {
      const captured = JSON.parse(readFileSync(join(corpus, file), "utf8"));
      await using hub = testHub(
        serverEntry("whole", replay(join(corpus, file))),
        serverEntry("pages", replay(join(corpus, file), 3)),
      );
      for (const name of ["whole", "pages"]) {
        const link = await hub.link(serverName(name));
        expect((await link.listTools()).tools).toEqual(captured.tools);
        expect(link.instructions).toBe(captured.instructions ?? "");
      }
    }
  },
);
