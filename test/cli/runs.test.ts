import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { isAlive, received, scripted, temporaryFolder, until } from "../servers/servers.ts";
import { jsonOf, makeWorkspace, runCli, startCli, writeFiles } from "./run-cli.ts";

const folder = temporaryFolder();
const root = folder.path;
const log = join(root, "server.log");
const object = { type: "object" };
const HOSTILE = '</pre><script src="https://evil.example/x.js"></script>\u001b[2J\u202e';
const tools = [
  { name: "add", inputSchema: object, annotations: { readOnlyHint: false, destructiveHint: false } },
  { name: "get", inputSchema: object, annotations: { readOnlyHint: true } },
  { name: "slow", inputSchema: object, annotations: { readOnlyHint: true } },
  { name: "hang", inputSchema: object, annotations: { readOnlyHint: false, destructiveHint: false } },
  { name: "evil", inputSchema: object, annotations: { readOnlyHint: true } },
];
const answers = { slow: { delayMs: 60 }, hang: { never: true }, evil: { text: HOSTILE } };

beforeAll(async () => await makeWorkspace(root, { box: scripted({ tools, answers }, log) }));
afterAll(() => folder[Symbol.dispose]());

const adds = (): number => received(log, "tools/call").filter(({ params }) => params.name === "add").length;

describe("a run that did not end well", () => {
  const SCRIPT =
    "for (let n = 0; n < 3; n += 1) await box_add({ n });\nawait box_get({});\nawait box_hang({});\nexport default 1;";

  test("says what each call did, what a new run would do twice, and the one command that goes on", async () => {
    writeFiles(root, { "hang.ts": SCRIPT });
    const { code, stderr } = await runCli(root, ["exec", "hang.ts", "--timeout", "2s"]);
    expect(code).toBe(5);
    const [runId] = readdirSync(join(root, ".mcpfs", "runs"));
    const lines = stderr.split("\n").map((line) => line.trim());
    expect(lines).toEqual(
      expect.arrayContaining([
        "calls 5 calls: 4 done, 1 unknown",
        "unknown     box/hang (call 5)  write; nobody knows whether it took effect; made again, it may do so twice",
        "done        box/add (calls 1–3)  write",
        "done        box/get (call 4)  read",
        "running the whole script again would do calls 1–3, 5 twice",
        `next  mcpfs runs resume ${runId} --timeout 4s`,
      ]),
    );
  });

  test("killed with -9, it is listed as stopped and resumable, told by its journal, and goes on", async () => {
    const before = adds();
    const script =
      'console.log("one");\nfor (let n = 0; n < 3; n += 1) await box_add({ n });\nwhile (!(await fs.exists("./workspace/go.txt"))) await box_slow({});\nexport default "well";';
    writeFiles(root, { "slow.ts": script });
    const child = startCli(root, ["exec", "slow.ts"]);
    await until(
      "the first slow calls",
      () => received(log, "tools/call").filter(({ params }) => params.name === "slow").length > 3,
      30_000,
    );
    const [busy] = await jsonOf(root, ["runs", "list"]);
    expect(busy).toMatchObject({ kind: "running", resumable: false, script: "slow.ts" });
    expect((await jsonOf(root, ["runs", "resume", busy.runId])).error.code).toBe("RUN_BUSY");
    expect(await jsonOf(root, ["runs", "show", busy.runId])).toMatchObject({ error: { code: "RUN_BUSY" } });
    child.kill("SIGKILL");
    await until("the end of the process", () => !isAlive(child.pid ?? 0));
    const [listed] = await jsonOf(root, ["runs", "list"]);
    expect(listed).toMatchObject({ runId: busy.runId, kind: "stopped", resumable: true });
    const shown = await jsonOf(root, ["runs", "show", busy.runId]);
    expect(shown).toMatchObject({
      kind: "stopped",
      error: { code: "INTERRUPTED" },
      repeats: [1, 2, 3],
      next: `mcpfs runs resume ${busy.runId}`,
    });
    writeFiles(root, { "workspace/go.txt": "" });
    const { code, stdout } = await runCli(root, ["runs", "resume", busy.runId]);
    expect({ code, stdout }).toEqual({ code: 0, stdout: "well\n" });
    expect(adds()).toBe(before + 3);
  });

  test("of two processes that resume it at the same time, one does, and nothing is done twice", async () => {
    writeFiles(root, {
      "twice.ts":
        "await box_add({ twice: 1 });\nif (args === null) throw new Error('no');\nfor (let n = 0; n < 20; n += 1) await box_slow({ n });\nawait box_add({ twice: 2 });",
    });
    const { runId } = await jsonOf(root, ["exec", "twice.ts"]);
    const before = adds();
    writeFiles(root, {
      "mended.ts": readFileSync(join(root, "twice.ts"), "utf8").replace("args === null", "false"),
    });
    const ends = await Promise.all([1, 2, 3].map(() => jsonOf(root, ["runs", "resume", runId, "mended.ts"])));
    expect(ends.filter((end) => end.kind === "ok")).toHaveLength(1);
    for (const end of ends.filter(({ kind }) => kind !== "ok"))
      expect(["RUN_BUSY", "USAGE"]).toContain(end.error.code);
    expect(adds()).toBe(before + 1);
  });
});

describe("a run is shown", () => {
  let runId = "";
  beforeAll(async () => {
    const script =
      'const all = await Promise.all([box_slow({ a: 1 }), box_slow({ a: 2 }), box_slow({ a: 3 })]);\nawait box_evil({ html: "<b>&\\"\'</b>" });\nexport default all.length;';
    writeFiles(root, { "show.ts": script });
    ({ runId } = await jsonOf(root, ["exec", "show.ts"]));
  });

  test("as a time line: start, duration, bytes, outcome; calls at the same time in one bracket", async () => {
    const { code, stdout } = await runCli(root, ["runs", "show", runId, "--calls"]);
    expect(code).toBe(0);
    const lines = stdout.split("\n");
    expect(lines[0]).toMatch(new RegExp(`^${runId}  exec show.ts  .*Z  \\d+\\.\\d{3} s$`));
    const calls = lines.filter((line) => /box\/\w+ +done$/.test(line));
    expect(calls.map((line) => line[0])).toEqual(["┌", "│", "└", " "]);
    for (const line of calls)
      expect(line).toMatch(/\d+\.\d{3} s +\d+\.\d{3} s +\d+ B +[·█]+ +\d box\/\w+ +done$/);
    expect(lines).toContain('      ← {"a":2}');
    expect(stdout).not.toContain("\u001b");
    expect(lines.at(-2)).toBe("3");
  });

  test("as one page that loads nothing and runs nothing, whatever servers answered", async () => {
    const { stdout } = await runCli(root, ["runs", "show", runId, "--html"]);
    expect(stdout).toContain(`default-src 'none'; style-src 'unsafe-inline'`);
    expect(stdout).not.toMatch(/<script|<link|<img|<iframe|javascript:|\ssrc="|url\(|@import/i);
    expect(stdout).not.toMatch(/\shref=/);
    expect(stdout).toContain("&#60;/pre&#62;&#60;script src=");
    expect(stdout).toContain("\\u001b[2J\\u{202e}");
    expect(stdout).toContain("&#60;b&#62;&#38;");
    expect(stdout.match(/<details class="done/g)).toHaveLength(4);
    expect(stdout.match(/<details class="done first"/g)).toHaveLength(1);
  });

  test("with --json as JSON, whatever else is asked for", async () => {
    expect(await jsonOf(root, ["runs", "show", runId, "--html"])).toMatchObject({ runId, kind: "ok" });
  });

  test("as spans of OpenTelemetry", async () => {
    const { resourceSpans } = await jsonOf(root, ["runs", "export", runId]);
    const { spans } = resourceSpans[0].scopeSpans[0];
    const [run, ...calls] = spans;
    expect(run).toMatchObject({
      name: "exec show.ts",
      kind: 1,
      traceId: expect.stringMatching(/^[0-9a-f]{32}$/),
      status: { code: 1 },
    });
    expect(calls).toHaveLength(4);
    for (const span of calls) {
      expect(span).toMatchObject({
        traceId: run.traceId,
        parentSpanId: run.spanId,
        kind: 3,
        spanId: expect.stringMatching(/^[0-9a-f]{16}$/),
      });
      expect(BigInt(span.startTimeUnixNano) >= BigInt(run.startTimeUnixNano)).toBe(true);
      expect(BigInt(span.endTimeUnixNano) >= BigInt(span.startTimeUnixNano)).toBe(true);
    }
    expect(new Set(spans.map(({ spanId }: { spanId: string }) => spanId)).size).toBe(5);
  });
});
