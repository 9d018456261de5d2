import { existsSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { addServer, removeServer } from "../../src/config/edit-config.ts";
import { openWorkspace } from "../../src/engine/open-workspace.ts";
import { editConfig } from "../../src/engine/workspace/edit-config.ts";
import { makeWorkspace, runCli } from "../cli/run-cli.ts";
import { scripted, temporaryFolder } from "../servers/servers.ts";

const { command, args } = scripted({ tools: [{ name: "get", inputSchema: { type: "object" } }] });
const server = { command, args };

test("a sync that read the config before another command changed it keeps what that command has made", async () => {
  using folder = temporaryFolder();
  using home = temporaryFolder();
  await makeWorkspace(folder.path, { old: server, gone: server });
  const env = { ...process.env, MCPFS_HOME: home.path };
  await using early = await openWorkspace(folder.path, { env });
  await using other = await openWorkspace(folder.path, { env });
  await other.trust();
  await editConfig(folder.path, (text) => removeServer(addServer(text, "new", server), "gone"));
  await other.reloadConfig();
  await other.trust();
  await other.sync();
  await early.sync({ isOffline: true });
  const isThere = (name: string): boolean => existsSync(join(folder.path, "servers", name, "get.ts"));
  expect(["old", "new", "gone"].map(isThere)).toEqual([true, true, false]);
  expect(early.config().servers.map(({ name }) => name)).toEqual(["new", "old"]);
  expect(await early.sync({ isCheck: true })).toMatchObject({ isStale: false });
  expect((await early.call("new/get", {})).kind).toBe("ok");
});

test("servers that are added at the same time are all there afterwards", async () => {
  using folder = temporaryFolder();
  await makeWorkspace(folder.path, {});
  const names = ["s1", "s2", "s3", "s4", "s5"];
  const ended = await Promise.all(
    names.map((name) => runCli(folder.path, ["add", name, "--", command, ...args])),
  );
  expect(ended.map(({ code }) => code)).toEqual(names.map(() => 0));
  for (const name of names) expect(existsSync(join(folder.path, "servers", name, "get.ts")), name).toBe(true);
  const { code, stdout } = await runCli(folder.path, ["sync", "--check"]);
  expect(stdout).toContain("files: 0 would be written, 0 would be deleted");
  expect(code).toBe(0);
});
