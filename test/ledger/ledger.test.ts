import { appendFileSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { createRedactor } from "../../src/kernel/log.ts";
import { createLedger, type Ledger } from "../../src/ledger/ledger.ts";
import type { LedgerRecord } from "../../src/model/ledger.ts";
import { temporaryFolder } from "../servers/servers.ts";

const unknown = (name: string): LedgerRecord => ({ kind: "unknown", atMs: 1, name });

function openLedger(root: string, lost: unknown[] = []): Ledger {
  const redactor = createRedactor();
  redactor.add(["secret-value"]);
  return createLedger({ root, redact: redactor.redactJson, onLost: (error) => lost.push(error) });
}

// M27
test("records are read as they were added, also by several writers at once", async () => {
  using folder = temporaryFolder();
  const writers = [openLedger(folder.path), openLedger(folder.path)];
  await Promise.all(Array.from({ length: 100 }, (_, at) => writers[at % 2]?.add(unknown(`n${at}`))));
  const names = (await openLedger(folder.path).read()).map((record) => (record as { name: string }).name);
  expect([...names].sort()).toEqual(Array.from({ length: 100 }, (_, at) => `n${at}`).sort());
});

test("a line that was cut off costs itself only", async () => {
  using folder = temporaryFolder();
  const ledger = openLedger(folder.path);
  await ledger.add(unknown("a"));
  appendFileSync(join(folder.path, ".mcpfs/ledger.jsonl"), '{"kind":"unkn\n');
  await ledger.add(unknown("b"));
  expect(await ledger.read()).toEqual([unknown("a"), unknown("b")]);
});

test("a secret of the config is in no record", async () => {
  using folder = temporaryFolder();
  await openLedger(folder.path).add(unknown("call of secret-value"));
  expect(readFileSync(join(folder.path, ".mcpfs/ledger.jsonl"), "utf8")).not.toContain("secret-value");
});

test("a disk that may not be written costs the record, not the work", async () => {
  using folder = temporaryFolder();
  const lost: unknown[] = [];
  // A file where the folder should be: also root meets that.
  writeFileSync(join(folder.path, ".mcpfs"), "");
  await openLedger(folder.path, lost).add(unknown("a"));
  expect(lost).toHaveLength(1);
});

test("the ledger does not grow without bound: the older half makes room", async () => {
  using folder = temporaryFolder();
  const ledger = openLedger(folder.path);
  const path = join(folder.path, ".mcpfs/ledger.jsonl");
  mkdirSync(join(folder.path, ".mcpfs"));
  const line = `${JSON.stringify(unknown("x".repeat(1_000)))}\n`;
  for (let round = 0; round < 3; round += 1) {
    writeFileSync(path, line.repeat(4_200));
    await ledger.add(unknown(`after ${round}`));
  }
  const records = await ledger.read();
  expect(records.length).toBe(4_201);
  expect(records.at(-1)).toEqual(unknown("after 2"));
});
