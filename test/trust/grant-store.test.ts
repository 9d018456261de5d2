import { mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { McpfsError } from "../../src/kernel/errors.ts";
import { type Grant, type GrantSubject, grantStatus } from "../../src/model/grant.ts";
import type { RawToolName, ServerName } from "../../src/model/names.ts";
import { createGrantStore } from "../../src/trust/grant-store.ts";
import { temporaryFolder } from "../servers/servers.ts";

const grant = (id: string, tool: string = id): Grant => ({
  id,
  server: "crm" as ServerName,
  identity: "identity",
  tool: tool as RawToolName,
  definition: "definition",
  grantedMs: 1,
});

function stores(folder: string) {
  const home = join(folder, "home");
  const roots = ["a", "b"].map((name) => join(folder, name));
  for (const root of roots) mkdirSync(root);
  const [one, other] = roots.map((root) => createGrantStore(root, { MCPFS_HOME: home }));
  if (one === undefined || other === undefined) throw new Error("two roots make two stores");
  return { one, other, file: join(home, "grants.json") };
}

describe("grants are kept for a workspace, in the user's own folder", () => {
  test("what is added is there for the next process, and only for this workspace", async () => {
    using folder = temporaryFolder();
    const { one, other, file } = stores(folder.path);
    expect(await one.read()).toEqual([]);
    await one.add(grant("x"));
    await one.add({ ...grant("y"), untilMs: 5 });
    expect(await one.read()).toEqual([grant("x"), { ...grant("y"), untilMs: 5 }]);
    expect(await other.read()).toEqual([]);
    expect(statSync(file).mode & 0o777).toBe(0o600);
  });

  test("a new grant for a tool takes the place of the old one; others stay", async () => {
    using folder = temporaryFolder();
    const { one } = stores(folder.path);
    for (const given of [grant("1", "x"), grant("2", "y"), grant("3", "x")]) await one.add(given);
    expect((await one.read()).map(({ id }) => id)).toEqual(["2", "3"]);
    await one.remove(new Set(["2", "unknown"]));
    expect((await one.read()).map(({ id }) => id)).toEqual(["3"]);
  });

  test("twenty that are given at once are all kept", async () => {
    using folder = temporaryFolder();
    const { one, other } = stores(folder.path);
    const ids = Array.from({ length: 20 }, (_, index) => `g${index}`);
    await Promise.all(ids.map((id, index) => (index % 2 === 0 ? one : other).add(grant(id))));
    expect([...(await one.read()), ...(await other.read())].map(({ id }) => id).sort()).toEqual(ids.sort());
  });
});

// The kind of bug bank case security-pin-store-corrupt.
describe("a store that is not what mcpfs wrote grants nothing, and is not written over", () => {
  const whole = JSON.stringify({ version: 1, workspaces: { "/w": [grant("x")] } });
  test.each<[string, string]>([
    ["cut off", whole.slice(0, -10)],
    ["empty", ""],
    ["another version", whole.replace('"version":1', '"version":2')],
    ["a list", "[]"],
    ["grants that are none", JSON.stringify({ version: 1, workspaces: { "/w": [{ id: "x" }] } })],
    ["a time that is a text", whole.replace('"grantedMs":1', '"grantedMs":1,"untilMs":"never"')],
    ["a workspace that is no list", JSON.stringify({ version: 1, workspaces: { "/w": {} } })],
  ])("%s", async (_name, text) => {
    using folder = temporaryFolder();
    const { one, file } = stores(folder.path);
    mkdirSync(join(folder.path, "home"));
    writeFileSync(file, text);
    for (const work of [() => one.read(), () => one.add(grant("y")), () => one.remove(new Set(["x"]))]) {
      const error = await work().then(
        () => undefined,
        (thrown: unknown) => thrown,
      );
      expect(error).toBeInstanceOf(McpfsError);
      expect(error).toMatchObject({
        code: "CONFIG_INVALID",
        message: expect.stringContaining("no grant counts"),
      });
    }
    expect(readFileSync(file, "utf8")).toBe(text);
  });

  test("one that cannot be read", async () => {
    using folder = temporaryFolder();
    const { one, file } = stores(folder.path);
    mkdirSync(file, { recursive: true });
    await expect(one.read()).rejects.toMatchObject({ code: "CONFIG_INVALID" });
  });

  test("one that was deleted: everything is asked about again", async () => {
    using folder = temporaryFolder();
    const { one, file } = stores(folder.path);
    await one.add(grant("x"));
    rmSync(file);
    expect(await one.read()).toEqual([]);
  });
});

describe("a grant holds for what was granted, as long as it is that", () => {
  const now: GrantSubject = {
    server: "crm" as ServerName,
    identity: "identity",
    tool: "x" as RawToolName,
    definition: "definition",
  };
  test.each<[string, Grant, GrantSubject | undefined, string]>([
    ["as it was", grant("x"), now, "valid"],
    ["another definition", grant("x"), { ...now, definition: "other" }, "changed"],
    ["a server that starts something else", grant("x"), { ...now, identity: "other" }, "changed"],
    ["another tool", grant("x"), { ...now, tool: "y" as RawToolName }, "changed"],
    ["the same tool of another server", grant("x"), { ...now, server: "docs" as ServerName }, "changed"],
    ["a tool that is gone", grant("x"), undefined, "changed"],
    ["before its time", { ...grant("x"), untilMs: 101 }, now, "valid"],
    ["at its time", { ...grant("x"), untilMs: 100 }, now, "expired"],
  ])("%s", (_name, given, subject, want) => {
    expect(grantStatus(given, subject, 100)).toBe(want);
  });
});
