import type { Command } from "commander";
import { count, oneLine } from "../../kernel/text.ts";
import type { CliContext } from "../cli-context.ts";
import { size, wholeNumber } from "../option-values.ts";
import { readScript } from "../read-script.ts";
import { addLimitOptions, finishRun, type LimitOptions, printReport, runOptions } from "../script-run.ts";
import { timeLine } from "../time-line.ts";
import { addDecideCommands } from "./runs-decide.ts";

/** `mcpfs runs list|show|resume|approve|deny|export|prune` */
export function addRunsCommands(program: Command, cli: CliContext): void {
  const runs = program
    .command("runs")
    .description("what was run: look at it, and go on with what did not end well")
    .addHelpText("after", "\nExample:\n  mcpfs runs list")
    .helpCommand(false);
  addListCommand(runs, cli);
  addShowCommand(runs, cli);
  addResumeCommand(runs, cli);
  addDecideCommands(runs, cli);
  addExportCommand(runs, cli);
  addPruneCommand(runs, cli);
}

function addListCommand(runs: Command, cli: CliContext): void {
  runs
    .command("list")
    .description("list the runs of this workspace, newest first")
    .addHelpText("after", "\nExample:\n  mcpfs runs list --json")
    .action(async () => {
      await cli.withHost(async (host) => {
        const listed = await (await host.runs()).list();
        if (cli.globals().isJson) return cli.printJson(listed);
        if (listed.length === 0) cli.say('no runs yet; "mcpfs exec <script>" makes one');
        for (const { runId, kind, script, startedAt, calls, resumable } of listed) {
          const note = resumable ? "  (resumable)" : "";
          cli.print(
            `${runId}  ${kind.padEnd(9)}  ${String(calls).padStart(5)} calls  ${startedAt.slice(0, 19).replace("T", " ")}  ${oneLine(script, 60)}${note}`,
          );
        }
      });
    });
}

function addShowCommand(runs: Command, cli: CliContext): void {
  runs
    .command("show")
    .description("show one run: its calls in time, and how it ended")
    .argument("<run>", "its id")
    .option("--calls", "with the arguments and the answer of each call")
    .option("--html", "print one self-contained page with a waterfall")
    .addHelpText(
      "after",
      "\nExamples:\n  mcpfs runs show 20261130-150000-0a31b2c3\n  mcpfs runs show 20261130-150000-1a2b3c4d --html > run.html",
    )
    .action(async (runId: string, options: { calls?: boolean; html?: boolean }) => {
      await cli.withHost(async (host) => {
        const run = await (await host.runs()).read(runId);
        const { text, script, path } = run.past.script;
        const source = { path, name: script, text };
        const { isJson } = cli.globals();
        if (options.html === true && !isJson) {
          const { runPage } = await import("../run-page.ts");
          return cli.printValue(runPage(run).trimEnd());
        }
        if (!isJson) for (const line of timeLine(run, options.calls === true)) cli.print(line);
        printReport(cli, run.report, source);
      });
    });
}

function addResumeCommand(runs: Command, cli: CliContext): void {
  const resume = runs
    .command("resume")
    .description("go on with a run: what it did is replayed from its journal, and nothing is done twice")
    .argument("<run>", "its id")
    .argument("[script]", "the script, where it was edited, or - for standard input; default: as it was run");
  addLimitOptions(resume)
    .addHelpText(
      "after",
      "\nExamples:\n  mcpfs runs resume 20261130-150000-0a31b2c3 --timeout 5m\n  mcpfs runs resume 20261130-150000-1a2b3c4d mended.ts",
    )
    .action(async (runId: string, script: string | undefined, options: LimitOptions) => {
      const given = script === undefined ? undefined : await readScript(cli, script);
      await cli.withHost(async (host) => {
        const report = await host.resume(runId, given, runOptions(cli, options));
        const { path, script: name, text } = (await (await host.runs()).read(runId)).past.script;
        finishRun(cli, report, given ?? { path, name, text });
      });
    });
}

function addExportCommand(runs: Command, cli: CliContext): void {
  runs
    .command("export")
    .description("print a run as OpenTelemetry spans (OTLP JSON)")
    .argument("<run>", "its id")
    .addHelpText(
      "after",
      "\nExample:\n  mcpfs runs export 20261130-150000-0a31b2c3 | curl -H 'content-type: application/json' -d @- http://localhost:4318/v1/traces",
    )
    .action(async (runId: string) => {
      await cli.withHost(async (host) => {
        const run = await (await host.runs()).read(runId);
        const { exportSpans } = await import("../../engine/past/export-spans.ts");
        cli.printJson(exportSpans(run, cli.version));
      });
    });
}

interface PruneOptions {
  readonly olderThan?: number;
  readonly keep?: number;
  readonly maxSize?: number;
  readonly dryRun?: boolean;
}

function addPruneCommand(runs: Command, cli: CliContext): void {
  runs
    .command("prune")
    .description('delete records of runs; default: what "runs" of mcpfs.json does not keep')
    .option("--older-than <days>", "those that began longer ago", wholeNumber)
    .option("--keep <number>", "all but so many, the newest", wholeNumber)
    .option("--max-size <size>", "the oldest, until the rest takes no more, for example 500mb", size)
    .option("--dry-run", "only say which would go")
    .addHelpText("after", "\nExample:\n  mcpfs runs prune --older-than 7 --dry-run")
    .action(async ({ olderThan, keep, maxSize, dryRun = false }: PruneOptions) => {
      await cli.withHost(async (host) => {
        const retention = {
          ...(olderThan === undefined ? {} : { keepDays: olderThan }),
          ...(keep === undefined ? {} : { keepRuns: keep }),
          ...(maxSize === undefined ? {} : { keepBytes: maxSize }),
        };
        const pruned = await (await host.runs()).prune(retention, dryRun);
        if (cli.globals().isJson) return cli.printJson(pruned);
        for (const runId of pruned.removed) cli.print(runId);
        const verb = dryRun ? "would delete" : "deleted";
        cli.say(
          `${verb} ${count(pruned.removed.length, "run")}, kept ${pruned.kept} (${count(pruned.bytes, "byte")})`,
        );
      });
    });
}
