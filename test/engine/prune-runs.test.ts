import { mkdirSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { openWorkspace } from "../../src/engine/open-workspace.ts";
import { tidyRuns } from "../../src/engine/past/prune-runs.ts";
import { scripted, temporaryFolder } from "../servers/servers.ts";

test("of many runs in a row as many are kept as the config says, without a look at the others' files", async () => {
  using folder = temporaryFolder();
  const root = folder.path;
  writeFileSync(
    join(root, "mcpfs.json"),
    JSON.stringify({ mcpServers: {}, runs: { keepRuns: 3, keepDays: 36_500 } }),
  );
  const old = Array.from({ length: 5 }, (_, number) => `20200101-00000${number}-00000001`);
  for (const id of old) mkdirSync(join(root, ".mcpfs", "runs", id), { recursive: true });
  const kept = old.slice(-3);
  await tidyRuns(root, kept[0] ?? "", { keepDays: 36_500, keepRuns: 3, keepBytes: 0 }, Date.now());
  expect(readdirSync(join(root, ".mcpfs", "runs")).sort()).toEqual(kept);
  // One of fifty looks at the sizes too.
  writeFileSync(join(root, ".mcpfs", "runs", kept[0] ?? "", "journal.jsonl"), "x");
  await tidyRuns(
    root,
    "20200101-000009-00000032",
    { keepDays: 36_500, keepRuns: 3, keepBytes: 0 },
    Date.now(),
  );
  expect(readdirSync(join(root, ".mcpfs", "runs")).sort()).toEqual(kept.slice(1));
  await using host = await openWorkspace(root, { env: { ...process.env, MCPFS_HOME: join(root, "home") } });
  for (let number = 0; number < 4; number += 1)
    await host.run({ path: undefined, name: "one.ts", text: "export default 1;" });
  await host.close();
  expect(readdirSync(join(root, ".mcpfs", "runs"))).toHaveLength(3);
});

test("records of runs are kept by number, size and age; one that goes on stays", async () => {
  using folder = temporaryFolder();
  const root = folder.path;
  const tools = [{ name: "wait", inputSchema: { type: "object" } }];
  const box = scripted({ tools, answers: { wait: { delayFromArg: "ms" } } });
  writeFileSync(join(root, "mcpfs.json"), JSON.stringify({ mcpServers: { box }, policy: "open" }));
  await using host = await openWorkspace(root, { env: { ...process.env, MCPFS_HOME: join(root, "home") } });
  await host.trust();
  await host.sync();
  const runs = await host.runs();
  const run = async (text: string) => await host.run({ path: undefined, name: "one.ts", text });
  const ids = async () => (await runs.list()).map(({ runId }) => runId);

  for (let number = 0; number < 4; number += 1) await run("export default 'x'.repeat(20_000);");
  const all = [...(await ids())].sort();
  expect(all).toHaveLength(4);
  expect(await runs.prune({ keepRuns: 3 }, true)).toMatchObject({ removed: [all[0]], kept: 3 });
  expect(await ids()).toHaveLength(4);
  expect((await runs.prune({ keepRuns: 3 })).removed).toEqual([all[0]]);
  const { removed, bytes } = await runs.prune({ keepBytes: 30 * 1024 });
  expect(removed).toEqual([all[1], all[2]]);
  expect(bytes).toBeLessThan(30 * 1024);

  const old = join(root, ".mcpfs", "runs", "20200101-000000-00abcdef");
  mkdirSync(old);
  writeFileSync(join(old, "journal.jsonl"), "");
  expect((await runs.list()).at(-1)).toMatchObject({ kind: "broken", resumable: false });
  const going = run("await box_wait({ ms: 1500 });");
  while ((await runs.list())[0]?.kind !== "running") await new Promise((resolve) => setTimeout(resolve, 20));
  const pruned = await runs.prune({ keepRuns: 1, keepBytes: 1 });
  expect(pruned).toMatchObject({ kept: 1, removed: ["20200101-000000-00abcdef", all[3]] });
  expect((await going).kind).toBe("ok");

  mkdirSync(old);
  // By itself, after the next run: it is too old.
  await run("export default 1;");
  await host.close();
  expect(await ids()).not.toContain("20200101-000000-00abcdef");
  rmSync(old, { recursive: true, force: true });
});
