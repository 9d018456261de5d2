import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { everythingOverHttp } from "../servers/everything-over-http.ts";
import { modern, oldSdk, real, serverEntry, temporaryFolder, until } from "../servers/servers.ts";
import { namesOf, rawName, serverName, testHub } from "./fixtures.ts";

// M1, M8
describe("server-everything", () => {
  test.each(["stdio", "streamableHttp", "sse"] as const)(
    "over %s lists its tools and answers a structured call",
    async (mode) => {
      await using remote = mode === "stdio" ? undefined : await everythingOverHttp(mode);
      const entry =
        remote === undefined
          ? serverEntry("everything", real.everything())
          : serverEntry("everything", {
              kind: mode === "sse" ? "sse" : "http",
              url: `http://127.0.0.1:${remote.port}/${mode === "sse" ? "sse" : "mcp"}`,
              headers: {},
            });
      await using hub = testHub(entry);
      const link = await hub.link(serverName("everything"));
      expect(link.protocol).toBe("2025-11-25");
      expect(link.instructions).not.toBe("");
      const list = await link.listTools();
      expect(namesOf(list)).toContain("get-structured-content");
      expect(list.warnings).toEqual([]);
      const answer = await link.callTool(rawName("get-structured-content"), { location: "New York" });
      expect(answer.structured).toMatchObject({
        temperature: expect.any(Number),
        conditions: expect.any(String),
      });
      expect(answer.isError).toBe(false);
      const refused = await link.callTool(rawName("get-structured-content"), { location: 5 });
      expect(refused.isError).toBe(true);
    },
  );

  test("a URL of kind http that only speaks SSE is reached over SSE", async () => {
    await using remote = await everythingOverHttp("sse");
    await using hub = testHub(
      serverEntry("old", { kind: "http", url: `http://127.0.0.1:${remote.port}/sse`, headers: {} }),
    );
    const link = await hub.link(serverName("old"));
    expect(namesOf(await link.listTools())).toContain("echo");
  });
});

test("several servers connect in parallel, and one that fails costs only itself", async () => {
  using folder = temporaryFolder();
  mkdirSync(join(folder.path, "files"));
  writeFileSync(join(folder.path, "files", "note.txt"), "hello");
  await using hub = testHub(
    serverEntry("files", real.filesystem(join(folder.path, "files"))),
    serverEntry("memory", real.memory(join(folder.path, "memory.jsonl"))),
    serverEntry("broken", { command: process.execPath, args: ["-e", "process.exit(3)"] }),
  );
  const names = ["files", "memory", "broken"].map(serverName);
  const results = await Promise.allSettled(names.map((name) => hub.link(name)));
  expect(results.map((result) => result.status)).toEqual(["fulfilled", "fulfilled", "rejected"]);
  const files = await hub.link(serverName("files"));
  expect(namesOf(await files.listTools())).toHaveLength(14);
  const read = await files.callTool(rawName("read_text_file"), {
    path: join(folder.path, "files", "note.txt"),
  });
  expect(read.structured).toEqual({ content: "hello" });
  const memory = await hub.link(serverName("memory"));
  const made = await memory.callTool(rawName("create_entities"), {
    entities: [{ name: "Ann", entityType: "person", observations: ["likes tea"] }],
  });
  expect(made.isError).toBe(false);
  expect(hub.isConnected(serverName("broken"))).toBe(false);
});

describe("revisions of the protocol", () => {
  test("auto over stdio turns to 2026-07-28 when initialize is refused, and stays there after a reconnect", async () => {
    await using hub = testHub(serverEntry("new", modern(true)));
    const link = await hub.link(serverName("new"));
    expect(link.protocol).toBe("2026-07-28");
    expect(link.instructions).toBe("Numbers only.");
    expect(namesOf(await link.listTools())).toEqual([
      "list_numbers",
      "echo",
      "wait",
      "stopped_waits",
      "add_tool",
    ]);
    const answer = await link.callTool(rawName("list_numbers"), { count: 3 });
    expect(answer.structured).toEqual([1, 2, 3]);
    await link.close();
    await until("the link is gone", () => !hub.isConnected(serverName("new")));
    const again = await hub.link(serverName("new"));
    expect(again).not.toBe(link);
    expect(again.protocol).toBe("2026-07-28");
    await until("a reconnect counts as a change", () => hub.changed.length === 1);
  });

  test.each([
    ["auto", "2025-11-25", { result: [1, 2] }],
    ["legacy", "2025-11-25", { result: [1, 2] }],
    ["2026-07-28", "2026-07-28", [1, 2]],
  ] as const)(
    "a server that speaks both gets what `protocol: %s` says",
    async (protocol, want, structured) => {
      await using hub = testHub(serverEntry("both", modern(false), { protocol }));
      const link = await hub.link(serverName("both"));
      expect(link.protocol).toBe(want);
      expect((await link.callTool(rawName("list_numbers"), { count: 2 })).structured).toEqual(structured);
    },
  );

  test.each([true, false])("a change of the list is told (2026-07-28: %s)", async (isModernOnly) => {
    await using hub = testHub(serverEntry("new", modern(isModernOnly)));
    const link = await hub.link(serverName("new"));
    const before = namesOf(await link.listTools());
    await link.callTool(rawName("add_tool"), {});
    await until("the change is told", () => hub.changed.length > 0);
    expect(hub.changed).toEqual(["new"]);
    expect(namesOf(await link.listTools())).toEqual([...before, "added_1"]);
  });

  test("a server on the 1.x line of the SDK answers", async () => {
    await using hub = testHub(serverEntry("old", oldSdk()));
    const link = await hub.link(serverName("old"));
    expect((await link.callTool(rawName("add"), { a: 2, b: 3 })).structured).toEqual({ sum: 5 });
  });
});
