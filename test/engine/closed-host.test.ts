import { existsSync, rmSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { openHost } from "../../src/engine/open-host.ts";
import { createRedactor, silentLog } from "../../src/kernel/log.ts";
import { writeFiles } from "../cli/run-cli.ts";
import { scripted, temporaryFolder } from "../servers/servers.ts";

// Law 10: whoever opens, closes.
test("a host that was closed starts nothing any more", async () => {
  using folder = temporaryFolder();
  const log = join(folder.path, "log");
  const tools = [{ name: "add", inputSchema: { type: "object" } }];
  writeFiles(folder.path, { "mcpfs.json": { mcpServers: { box: scripted({ tools }, log) } } });
  const open = async () =>
    await openHost({
      ...{ root: folder.path, version: "0.0.0-test", platform: process.platform, homeDir: folder.path },
      ...{ env: { ...process.env, MCPFS_HOME: join(folder.path, "home") } },
      ...{ log: silentLog, redactor: createRedactor() },
    });
  const first = await open();
  await first.trust();
  const { servers } = await first.sync();
  expect(servers).toMatchObject([{ status: "ok" }]);
  await first.close();
  rmSync(log, { force: true });

  const host = await open();
  const call = host.call("box_add", {});
  await host.close();
  const outcome = await call.catch(({ code }: { code: string }) => ({ outcome: { code } }));
  expect(JSON.stringify(outcome)).toContain("closed");
  const script = { path: undefined, name: "job.ts", text: "export default 1;" };
  await expect(host.run(script)).rejects.toMatchObject({ code: "USAGE" });
  expect(existsSync(log)).toBe(false);
});
