import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { type Chapter, STORY } from "../demo/story.ts";
import type { Host } from "../engine/host.ts";
import { McpfsError } from "../kernel/errors.ts";
import { readIfExists, writeAtomic } from "../kernel/fsx.ts";
import { valueText } from "../kernel/json.ts";
import { packageFile } from "../kernel/paths.ts";
import { count, firstSentence } from "../kernel/text.ts";
import type { RunTokens } from "../model/ledger.ts";
import type { RunReport } from "../model/run.ts";
import { type CliContext, interruption } from "./cli-context.ts";
import { describeServer } from "./commands/sync.ts";
import { createWorkspace } from "./create-workspace.ts";
import { reportJson } from "./report-json.ts";

/** One chapter as it went. The shape of `demo --json`, with the path of the workspace beside it, if that is kept. */
interface PlayedChapter {
  readonly title: string;
  readonly script: string;
  readonly report: RunReport;
  readonly tokens: ChapterTokens;
}

/** What a chapter cost a language model. */
interface ChapterTokens {
  /** Arguments and results of all calls, as a model that calls tools itself writes and reads them. */
  readonly direct: number;
  /** The script that the model wrote. */
  readonly script: number;
  /** What the script printed and returned. */
  readonly answer: number;
}

/**
 * Plays the whole idea on the two servers that ship with mcpfs: makes a workspace, reads the tree, runs the scripts, and
 * says what they cost in tokens against calling the same tools directly.
 */
export async function playDemo(
  cli: CliContext,
  options: { readonly directory: string | undefined; readonly isKept: boolean },
): Promise<void> {
  const isTemporary = options.directory === undefined;
  const isGone = isTemporary && !options.isKept;
  const root = isTemporary
    ? await mkdtemp(join(tmpdir(), "mcpfs-demo-"))
    : resolve(cli.io.cwd, options.directory);
  try {
    if (!isTemporary) await refuseForeign(root);
    await makeWorkspace(cli, root);
    const chapters = await cli.withHost((host) => play(cli, host), { root });
    tell(
      cli,
      isGone
        ? '\nTo keep the workspace and look around: "mcpfs demo my-demo".'
        : `\nThe workspace is in ${root}. Look at servers/, then write a script of your own.`,
    );
    if (cli.globals().isJson) cli.printJson({ root: isGone ? null : root, chapters });
  } finally {
    // After Ctrl-C the chapter that was playing may still write a file or two.
    if (isGone) await rm(root, { recursive: true, force: true, maxRetries: 5 });
  }
}

/** An empty folder, or one where this demo was played before. */
async function refuseForeign(root: string): Promise<void> {
  const names = await readdir(root).catch(() => []);
  const config = await readIfExists(join(root, "mcpfs.json"));
  if (names.length === 0 || config === (await templateText())) return;
  throw new McpfsError("FILE_IN_THE_WAY", `The folder ${root} is not empty.`, {
    hint: 'Name a new folder: "mcpfs demo my-demo".',
    data: { files: names.slice(0, 20) },
  });
}

const TEMPLATE = "templates/demo/mcpfs.json";

async function templateText(): Promise<string> {
  return await readFile(packageFile(TEMPLATE), "utf8");
}

async function makeWorkspace(cli: CliContext, root: string): Promise<void> {
  await createWorkspace(cli, root, TEMPLATE);
  for (const { file } of STORY) {
    await writeAtomic(join(root, file), await readFile(packageFile(`templates/demo/${file}`), "utf8"));
  }
}

async function play(cli: CliContext, host: Host): Promise<readonly PlayedChapter[]> {
  const synced = await host.sync();
  const failed = synced.servers.find((server) => server.error !== null)?.error;
  if (failed !== undefined && failed !== null) {
    throw new McpfsError("SERVER_FAILED", failed.message, { hint: failed.hint });
  }
  tellHeading(cli, "1. Two MCP servers become a folder of files");
  for (const server of synced.servers) tell(cli, `   servers/${server.name}/  ${describeServer(server)}`);
  await tellTree(cli, host);
  const played: PlayedChapter[] = [];
  for (const [index, chapter] of STORY.entries())
    played.push(await playChapter(cli, host, chapter, index + 2));
  await tellTokens(cli, host, played);
  if (played.some(({ report }) => report.kind !== "ok")) cli.exitWith(1);
  return played;
}

/** One server's listing and one wrapper: what an agent reads before it writes a script. */
async function tellTree(cli: CliContext, host: Host): Promise<void> {
  tell(cli, "\n   An agent lists the folder and reads what it needs. servers/docs/getDocument.ts:\n");
  const wrapper = await readFile(join(host.root, "servers/docs/getDocument.ts"), "utf8");
  for (const line of wrapper.trimEnd().split("\n")) tell(cli, `   │ ${line}`.trimEnd());
}

async function playChapter(
  cli: CliContext,
  host: Host,
  chapter: Chapter,
  at: number,
): Promise<PlayedChapter> {
  const text = await readFile(join(host.root, chapter.file), "utf8");
  tell(cli, "");
  tellHeading(cli, `${at}. ${chapter.title}`);
  tell(cli, `   ${chapter.says}\n`);
  for (const line of text.trimEnd().split("\n")) tell(cli, `   │ ${line}`.trimEnd());
  tell(cli, `\n   $ mcpfs exec ${chapter.file}`);
  let tokens: RunTokens = { arguments: 0, results: 0, script: 0, answer: 0, models: 0 };
  const report = await host.run(
    { path: join(host.root, chapter.file), name: chapter.file, text },
    {
      onLine: (line) => tell(cli, `   ${line.text}`),
      onTokens: (counted) => {
        tokens = counted;
      },
      signal: cli.io.signal,
    },
  );
  if (cli.io.signal.aborted) throw interruption();
  if (report.value !== undefined) tell(cli, `   ${valueText(report.value)}`);
  if (report.error !== null) tell(cli, `   error ${report.error.code}: ${report.error.message}`);
  return {
    title: chapter.title,
    script: chapter.file,
    report: reportJson(report),
    tokens: {
      direct: tokens.arguments + tokens.results,
      script: tokens.script,
      answer: tokens.answer,
    },
  };
}

/** The reckoning: what the model would have read and written, call by call, and what it did read and write. */
async function tellTokens(cli: CliContext, host: Host, played: readonly PlayedChapter[]): Promise<void> {
  const { servers } = await host.catalog();
  const definitions = servers.filter((server) => server.purpose !== "").flatMap((server) => server.tools);
  tell(cli, "");
  tellHeading(cli, "What a model had to read and write, in tokens (estimated)");
  tell(cli, `   ${"".padEnd(36)}${"direct calls".padStart(14)}${"with mcpfs".padStart(14)}`);
  for (const { title, tokens } of played) {
    tell(
      cli,
      `   ${firstSentence(title, 34).padEnd(36)}${figure(tokens.direct)}${figure(tokens.script + tokens.answer)}`,
    );
  }
  const direct = played.reduce((sum, { tokens }) => sum + tokens.direct, 0);
  const spent = played.reduce((sum, { tokens }) => sum + tokens.script + tokens.answer, 0);
  tell(cli, `   ${"together".padEnd(36)}${figure(direct)}${figure(spent)}`);
  tell(
    cli,
    `\n   ${count(direct - spent, "token")} saved. Direct calls: arguments and results of the ${count(
      played.reduce((sum, { report }) => sum + report.calls.total, 0),
      "call",
    )},`,
  );
  tell(
    cli,
    "   each passing through the model once. With mcpfs: the script, and what it printed and returned.",
  );
  tell(
    cli,
    `   The ${count(definitions.length, "definition")} of these two small servers are left out on both sides.`,
  );
}

function figure(tokens: number): string {
  return tokens.toLocaleString("en-US").padStart(14);
}

function tellHeading(cli: CliContext, line: string): void {
  if (cli.globals().isJson || cli.globals().isQuiet) return;
  cli.printHeading(line);
  cli.print("");
}

/** The story is the answer of this command; with --json the answer is the reports. */
function tell(cli: CliContext, line: string): void {
  if (!cli.globals().isJson && !cli.globals().isQuiet) cli.print(line);
}
