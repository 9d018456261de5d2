import { PassThrough } from "node:stream";
import { expect, test } from "vitest";
import type { Host } from "../../src/engine/host.ts";
import { openWorkspace } from "../../src/engine/open-workspace.ts";
import { createChangeFeed } from "../../src/engine/watch/watch.ts";
import { silentLog } from "../../src/kernel/log.ts";
import { serve } from "../../src/serve/serve.ts";
import { writeFiles } from "../cli/run-cli.ts";
import { temporaryFolder, until } from "../servers/servers.ts";
import { overHttp } from "./served.ts";

test("a sync that ends while the serving begins is in the first client's list", async () => {
  using folder = temporaryFolder();
  const write = (isOff: boolean): void =>
    writeFiles(folder.path, {
      "mcpfs.json": {
        mcpServers: { docs: { builtin: "docs", disabled: isOff } },
        serve: { mode: "direct" },
      },
    });
  write(false);
  const env = { ...process.env, MCPFS_HOME: `${folder.path}/home` };
  await using opened = await openWorkspace(folder.path, { env });
  await opened.trust();
  await opened.sync();
  write(true);
  let syncs = 0;
  let isEdited = false;
  const host: Host = {
    ...opened,
    sync: async (request) => {
      const report = await opened.sync(request);
      syncs += 1;
      return report;
    },
    // Called when the tools have been read, and before anybody is served.
    definitionTokens: async () => {
      if (!isEdited) {
        isEdited = true;
        const before = syncs;
        write(false);
        // The config as a whole, and then the server that is new in it.
        await until("the sync", () => syncs >= before + 2, 15_000);
      }
      return await opened.definitionTokens();
    },
  };
  const over = new AbortController();
  let url: string | undefined;
  const serving = serve(host, createChangeFeed(), {
    version: "1.0.0",
    log: silentLog,
    signal: over.signal,
    stdin: new PassThrough(),
    stdout: new PassThrough(),
    mode: undefined,
    http: { host: "127.0.0.1", port: 0, token: undefined },
    onReady: (facts) => {
      url = facts.url;
    },
  });
  try {
    await until("the start", () => url !== undefined, 30_000);
    await using session = await overHttp(url ?? "", "modern");
    const { tools } = await session.client.listTools();
    expect(tools.map(({ name }) => name)).toContain("docs__list_documents");
  } finally {
    over.abort();
    await serving;
  }
});
