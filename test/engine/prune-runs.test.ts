import { mkdirSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { openWorkspace } from "../../src/engine/open-workspace.ts";
import { pruneNowAndThen } from "../../src/engine/past/prune-runs.ts";
import { scripted, temporaryFolder } from "../servers/servers.ts";

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

  const old = join(root, ".mcpfs", "runs", "20200101-000000-abcdef");
  mkdirSync(old);
  writeFileSync(join(old, "journal.jsonl"), "");
  expect((await runs.list()).at(-1)).toMatchObject({ kind: "broken", resumable: false });
  const going = run("await box_wait({ ms: 1500 });");
  while ((await runs.list())[0]?.kind !== "running") await new Promise((resolve) => setTimeout(resolve, 20));
  const pruned = await runs.prune({ keepRuns: 1, keepBytes: 1 });
  expect(pruned).toMatchObject({ kept: 1, removed: ["20200101-000000-abcdef", all[3]] });
  expect((await going).kind).toBe("ok");

  mkdirSync(old);
  // By itself, after the next run: it is too old.
  await run("export default 1;");
  await host.close();
  expect(await ids()).not.toContain("20200101-000000-abcdef");
  rmSync(old, { recursive: true, force: true });
});

test("where the most that may be kept is there, not every run looks at all of them", async () => {
  using folder = temporaryFolder();
  const runs = join(folder.path, ".mcpfs", "runs");
  const retention = { keepDays: 30, keepRuns: 200, keepBytes: 1024 ** 3 };
  const count = (): number => readdirSync(runs).length;
  const counts: number[] = [];
  for (let number = 0; number < 260; number += 1) {
    const id = `20261130-12${String(Math.floor(number / 60)).padStart(2, "0")}${String(number % 60).padStart(2, "0")}-${String(number).padStart(6, "0")}`;
    mkdirSync(join(runs, id), { recursive: true });
    await pruneNowAndThen(folder.path, retention, Date.UTC(2026, 10, 30, 13));
    counts.push(count());
  }
  expect(Math.max(...counts)).toBeLessThanOrEqual(200);
  // Each pruning made room for ten more.
  const prunings = counts.filter((now, at) => now < (counts[at - 1] ?? 0)).length;
  expect(prunings).toBeLessThan(8);
  expect(prunings).toBeGreaterThan(3);
});
