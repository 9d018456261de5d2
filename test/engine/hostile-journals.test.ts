import {
  appendFileSync,
  copyFileSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  truncateSync,
  unlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Host } from "../../src/engine/host.ts";
import { openWorkspace } from "../../src/engine/open-workspace.ts";
import { received, scripted } from "../servers/servers.ts";

const tools = [{ name: "add", inputSchema: { type: "object" } }];
let root: string;
let log: string;
let host: Host;
let runId: string;

beforeAll(async () => {
  root = mkdtempSync(join(tmpdir(), "mcpfs-hostile-"));
  log = join(root, "server.log");
  writeFileSync(join(root, "mcpfs.json"), JSON.stringify({ mcpServers: { box: scripted({ tools }, log) } }));
  host = await openWorkspace(root, { env: { ...process.env, MCPFS_HOME: join(root, "home") } });
  await host.trust();
  await host.sync();
  const text = "for (let n = 0; n < 5; n += 1) await box_add({ n });\nthrow new Error('no');";
  ({ runId } = await host.run({ path: undefined, name: "job.ts", text }));
});
afterAll(async () => {
  await host.close();
  rmSync(root, { recursive: true });
});

/** A copy of the run's folder under another id. */
function copyOfRun(name: string): { readonly id: string; readonly folder: string; readonly journal: string } {
  const id = `20200101-000000-00${name}`;
  const folder = join(root, ".mcpfs", "runs", id);
  rmSync(folder, { recursive: true, force: true });
  cpSync(join(root, ".mcpfs", "runs", runId), folder, { recursive: true });
  return { id, folder, journal: join(folder, "journal.jsonl") };
}

/** Works on the run's own folder, and puts it back. */
async function spoiled(
  spoil: (journal: string, folder: string) => void,
  look: () => Promise<void>,
): Promise<void> {
  const folder = join(root, ".mcpfs", "runs", runId);
  const saved = join(root, "saved");
  cpSync(folder, saved, { recursive: true });
  try {
    spoil(join(folder, "journal.jsonl"), folder);
    await look();
  } finally {
    rmSync(folder, { recursive: true });
    renameSync(saved, folder);
  }
}

const lines = (journal: string): string[] => readFileSync(journal, "utf8").split("\n").slice(0, -1);
const rewrite = (journal: string, change: (all: string[]) => string[]): void =>
  writeFileSync(journal, `${change(lines(journal)).join("\n")}\n`);

describe("a journal that is not what mcpfs wrote is refused, and nothing of it runs", () => {
  const SPOILERS: readonly (readonly [string, (journal: string, folder: string) => void, RegExp])[] = [
    [
      "the script is another",
      (journal) =>
        rewrite(journal, ([run = "", ...rest]) => [
          run.replace("box_add({ n })", "box_add({ n: 99 })"),
          ...rest,
        ]),
      /does not carry this user's seal/,
    ],
    [
      "an answer is another",
      (journal) =>
        rewrite(journal, (all) => all.map((line) => line.replace('add {\\"n\\":1}', 'add {\\"n\\":7}'))),
      /changed at line \d+/,
    ],
    [
      "a call is taken out",
      (journal) => rewrite(journal, (all) => all.filter((line) => !line.includes('"call":3'))),
      /changed at line \d+/,
    ],
    [
      "two calls change places",
      (journal) =>
        rewrite(journal, (all) => [
          ...all.slice(0, 2),
          ...all.slice(4, 6),
          ...all.slice(2, 4),
          ...all.slice(6),
        ]),
      /changed at line 3/,
    ],
    [
      "a line is repeated",
      (journal) => rewrite(journal, (all) => [...all, all.at(-1) ?? ""]),
      /changed at line/,
    ],
    [
      "an approval is added",
      (journal) =>
        appendFileSync(
          journal,
          '{"event":"decided","call":1,"decision":"approved","by":"command","scope":"call","atMs":1,"seal":"AAAAAAAAAAAAAAAAAAAAAA"}\n',
        ),
      /changed at line/,
    ],
    [
      "the end is cut off at a line",
      (journal) => rewrite(journal, (all) => all.slice(0, 4)),
      /shorter than what was written/,
    ],
    [
      "it is cut in the middle",
      (journal) => truncateSync(journal, Math.floor(readFileSync(journal).length / 2)),
      /shorter than what was written/,
    ],
    ["it is empty", (journal) => truncateSync(journal, 0), /shorter than what was written/],
    [
      "its length is gone",
      (_journal, folder) => unlinkSync(join(folder, "journal.length")),
      /shorter than what was written/,
    ],
    [
      "its length is another",
      (_journal, folder) =>
        writeFileSync(join(folder, "journal.length"), `${"1".padStart(16, "0")} AAAAAAAAAAAAAAAAAAAAAA\n`),
      /shorter than what was written/,
    ],
    [
      "an older version wrote it",
      (journal) =>
        rewrite(journal, ([run = "", ...rest]) => [run.replace('"version":2', '"version":1'), ...rest]),
      /is of version 1; this mcpfs reads version 2/,
    ],
    [
      "a newer version wrote it",
      (journal) =>
        rewrite(journal, ([run = "", ...rest]) => [run.replace('"version":2', '"version":30'), ...rest]),
      /is of version 30/,
    ],
    ["it is no JSON", (journal) => writeFileSync(journal, "rm -rf /\n".repeat(100)), /was changed at line 1/],
    ["it is binary", (journal) => writeFileSync(journal, Buffer.alloc(100_000, 0xff)), /shorter/],
    [
      "it is one gigabyte",
      (journal) => truncateSync(journal, 2 ** 30),
      /has 1,024 megabytes; up to 256 are read/,
    ],
    [
      "it is a link",
      (journal) => {
        renameSync(journal, `${journal}.x`);
        symlinkSync(`${journal}.x`, journal);
      },
      /is not a file/,
    ],
    [
      "it is a folder",
      (journal) => {
        unlinkSync(journal);
        mkdirSync(journal);
      },
      /is not a file/,
    ],
    ["it is gone", (journal) => unlinkSync(journal), /has no journal/],
  ];

  test.each(SPOILERS)("%s", async (_what, spoil, message) => {
    const before = received(log, "tools/call").length;
    await spoiled(spoil, async () => {
      const refusal = { code: "JOURNAL_INVALID", message: expect.stringMatching(message) };
      await expect(host.resume(runId)).rejects.toMatchObject(refusal);
      await expect((await host.runs()).read(runId)).rejects.toMatchObject(refusal);
      // The list still lists.
      expect((await (await host.runs()).list()).map((run) => run.runId)).toContain(runId);
    });
    expect(received(log, "tools/call")).toHaveLength(before);
  });

  test("it was moved to another run", async () => {
    const { id } = copyOfRun("aaaaaa");
    await expect(host.resume(id)).rejects.toMatchObject({
      code: "JOURNAL_INVALID",
      message: expect.stringContaining("seal"),
    });
  });

  test("another user wrote it", async () => {
    await using other = await openWorkspace(root, {
      env: { ...process.env, MCPFS_HOME: join(root, "other") },
    });
    await expect(other.resume(runId)).rejects.toMatchObject({
      code: "JOURNAL_INVALID",
      hint: expect.stringContaining("Nothing of it was run"),
    });
  });
});

test("what a crash cuts off the last line is left out, and what comes then goes in its place", async () => {
  const { journal } = { journal: join(root, ".mcpfs", "runs", runId, "journal.jsonl") };
  copyFileSync(journal, `${journal}.whole`);
  appendFileSync(journal, '{"event":"answer","call":5,"eff');
  const mended = {
    path: undefined,
    name: "job.ts",
    text: "for (let n = 0; n < 5; n += 1) await box_add({ n });\nexport default 1;",
  };
  const before = received(log, "tools/call").length;
  expect(await host.resume(runId, mended)).toMatchObject({ kind: "ok", value: 1, calls: { ok: 5 } });
  expect(received(log, "tools/call")).toHaveLength(before);
  expect((await (await host.runs()).read(runId)).report.kind).toBe("ok");
});

test("a secret that the script got in a value keeps the run from being resumed, one in arguments or errors does not", async () => {
  using folder = temporary();
  const secret = "s3cret-token-value";
  const spec = {
    tools: [
      { name: "tell", inputSchema: { type: "object" } },
      { name: "hear", inputSchema: { type: "object" } },
    ],
    answers: { tell: { text: secret } },
  };
  const box = { ...scripted(spec), env: { TOKEN: secret } };
  writeFileSync(join(folder.path, "mcpfs.json"), JSON.stringify({ mcpServers: { box } }));
  await using other = await openWorkspace(folder.path, {
    env: { ...process.env, MCPFS_HOME: join(folder.path, "home") },
  });
  await other.trust();
  await other.sync();
  const run = async (text: string, args: string | null) =>
    await other.run({ path: undefined, name: "job.ts", text }, { args });
  const told = await run("await box_tell(); throw new Error('no');", null);
  await expect(other.resume(told.runId)).rejects.toMatchObject({
    code: "JOURNAL_INVALID",
    message: expect.stringContaining("held a secret"),
  });
  const text = `const key = ["s3cret", "token", "value"].join("-");\nconst heard = await box_hear({ key });\nif (FAIL) throw new Error("no");\nexport default heard.length;`;
  const heard = await run(text.replace("FAIL", "true"), null);
  const journal = readFileSync(join(folder.path, ".mcpfs", "runs", heard.runId, "journal.jsonl"), "utf8");
  expect(journal).not.toContain(secret);
  const listed = await (await other.runs()).list();
  expect(listed.find((item) => item.runId === told.runId)?.resumable).toBe(false);
  const given = await run(text.replace("FAIL", "true"), secret);
  await expect(other.resume(given.runId)).rejects.toMatchObject({
    code: "JOURNAL_INVALID",
    message: expect.stringContaining("arguments"),
  });
});

function temporary(): { readonly path: string; [Symbol.dispose](): void } {
  const path = mkdtempSync(join(tmpdir(), "mcpfs-secret-"));
  return { path, [Symbol.dispose]: () => rmSync(path, { recursive: true, force: true }) };
}
