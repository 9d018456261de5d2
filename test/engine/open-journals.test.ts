import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readlinkSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Host } from "../../src/engine/host.ts";
import { openHost } from "../../src/engine/open-host.ts";
import { openJournal } from "../../src/journal/journal.ts";
import type { Json } from "../../src/kernel/json.ts";
import { createRedactor, type Redactor, silentLog } from "../../src/kernel/log.ts";
import { scripted } from "../servers/servers.ts";

/** Files of runs that this process has open; only Linux tells. Pipes and threads come and go as the sandbox makes itself ready. */
const openFiles = (): readonly string[] =>
  readdirSync("/proc/self/fd").flatMap((name) => {
    try {
      const path = readlinkSync(join("/proc/self/fd", name));
      return path.startsWith(root) ? [path] : [];
    } catch {
      // The handle that read the folder.
      return [];
    }
  });

let root: string;
let host: Host;
/** The event at which writing the journal fails, as it does on a full disk. */
let failing: string | undefined;

beforeAll(async () => {
  root = realpathSync(mkdtempSync(join(tmpdir(), "mcpfs-handles-")));
  const tools = [{ name: "add", inputSchema: { type: "object" } }];
  writeFileSync(join(root, "mcpfs.json"), JSON.stringify({ mcpServers: { box: scripted({ tools }) } }));
  const redactor = createRedactor();
  const printJson: Redactor["printJson"] = (event) => {
    if (failing !== undefined && (event as { readonly event?: Json }).event === failing)
      throw Object.assign(new Error("no space left"), { code: "ENOSPC" });
    return redactor.printJson(event);
  };
  host = await openHost({
    root,
    version: "0.0.0-test",
    env: { ...process.env, MCPFS_HOME: join(root, "home") },
    platform: process.platform,
    homeDir: root,
    log: silentLog,
    redactor: { ...redactor, printJson },
  });
  await host.trust();
  await host.sync();
});
afterAll(async () => {
  await host.close();
  rmSync(root, { recursive: true });
});

const SCRIPT = "await box_add({ n: 1 });\nconsole.log('line');\nthrow new Error('no');";
const run = (text = SCRIPT, onLine = () => {}) =>
  host.run({ path: undefined, name: "job.ts", text }, { onLine });
/** How something ended, in one word. */
const endOf = async (work: Promise<unknown>): Promise<string> =>
  await work.then(
    () => "ended",
    () => "failed",
  );

describe.skipIf(process.platform !== "linux")("a run leaves no file open, in whatever phase it fails", () => {
  const PHASES: readonly (readonly [phase: string, at: string | undefined, work: () => Promise<unknown>])[] =
    [
      ["nothing", undefined, run],
      ["its first event", "run", run],
      ["the event of its bundle", "bundled", run],
      ["a call", "call", run],
      ["an answer", "answer", run],
      ["its end", "end", run],
      ["a script that is no module", undefined, () => run("export default {")],
      [
        "a caller that cannot print",
        undefined,
        () =>
          run(SCRIPT, () => {
            throw new Error("the pipe is closed");
          }),
      ],
      ["the first event of a call", "run", () => host.call("box/add", { n: 1 })],
      ["the end of a call", "end", () => host.call("box/add", { n: 1 })],
      ["the event of a resume", "resume", async () => host.resume((await run()).runId, undefined)],
      [
        "a resume of a run that is unknown",
        undefined,
        () => host.resume("20200101-000000-00aaaaaa", undefined),
      ],
      [
        "a decision",
        "decided",
        async () => host.decideWaiting((await run()).runId, { decision: "approved", scope: "call" }),
      ],
    ];

  test.each(PHASES)("%s", async (_phase, at, work) => {
    const once = async (): Promise<string> => {
      failing = at;
      const end = await endOf(work());
      failing = undefined;
      return end;
    };
    const first = await once();
    for (let count = 0; count < 3; count += 1) expect(await once()).toBe(first);
    expect(openFiles()).toEqual([]);
    const held = (await (await host.runs()).list()).filter(({ kind }) => kind === "running");
    expect(held).toEqual([]);
  });

  test("of a call that was answered, and could not be recorded, no script is told that it may be made again", async () => {
    failing = "answer";
    const report = await run(
      "let seen; try { await box_add({ n: 1 }); } catch (error) { seen = [error.server, error.tool, error.retry]; }\nexport default seen;",
    );
    failing = undefined;
    expect(report.value).toEqual(["box", "add", "unsafe"]);
  });

  test("a journal beside which nothing can be noted", async () => {
    const path = join(root, "spoiled", "journal.jsonl");
    mkdirSync(join(root, "spoiled", "journal.length"), { recursive: true });
    const options = {
      path,
      runId: "r",
      key: "k",
      print: createRedactor().printJson,
      durability: "process",
    } as const;
    await expect(openJournal(options)).rejects.toThrow();
    expect(openFiles()).toEqual([]);
  });
});
