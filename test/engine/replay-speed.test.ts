import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { openWorkspace } from "../../src/engine/open-workspace.ts";
import { scripted } from "../servers/servers.ts";

// B4
test("ten thousand recorded calls are replayed, without a call to a server", async () => {
  const root = mkdtempSync(join(tmpdir(), "mcpfs-replay-"));
  try {
    writeFileSync(
      join(root, "mcpfs.json"),
      JSON.stringify({
        mcpServers: { box: scripted({ tools: [{ name: "get", inputSchema: { type: "object" } }] }) },
      }),
    );
    await using host = await openWorkspace(root, { env: { ...process.env, MCPFS_HOME: join(root, "home") } });
    await host.trust();
    await host.sync();
    const text =
      "let sum = 0;\nfor (let n = 0; n < 10_000; n += 1) sum += (await box_get({ n })).length > 0 ? 1 : 0;\nif (FAIL) throw new Error('no');\nexport default sum;";
    const limits = { maxCalls: 20_000, callsPerSecond: 1_000_000, wallMs: 600_000 };
    const source = (isFailing: boolean) => ({
      path: undefined,
      name: "job.ts",
      text: text.replace("FAIL", String(isFailing)),
    });
    const first = await host.run(source(true), { limits });
    expect(first.calls.ok).toBe(10_000);
    const start = performance.now();
    const second = await host.resume(first.runId, source(false));
    const tookMs = performance.now() - start;
    expect(second).toMatchObject({ kind: "ok", value: 10_000 });
    console.log(`replay of 10,000 calls: ${Math.round(tookMs)} ms`);
  } finally {
    rmSync(root, { recursive: true });
  }
}, 300_000);
