import { expect, test } from "vitest";
import { createGrants } from "../../src/engine/call/grants.ts";
import { createGrantStore } from "../../src/trust/grant-store.ts";
import { temporaryFolder } from "../servers/servers.ts";
import { makeTool } from "../support/make-tool.ts";

// M19
test("what is allowed for ever is kept for what is built in too, and not for a server that is gone", async () => {
  using folder = temporaryFolder();
  const grants = createGrants({
    store: async () => createGrantStore(folder.path, { MCPFS_HOME: folder.path }),
    entryOf: () => undefined,
    clock: { now: () => 1 },
  });
  const extract = makeTool("mcpfs", "extract");
  const gone = makeTool("crm", "drop");
  for (const tool of [extract, gone]) await grants.add(tool);
  expect([await grants.covers(extract), await grants.covers(gone)]).toEqual([true, false]);
});
