import type { Command } from "commander";
import type { ScriptSource } from "../../model/bundle.ts";
import type { Limits, RunReport } from "../../model/run.ts";
import { scriptArguments } from "../arguments.ts";
import type { CliContext } from "../cli-context.ts";
import { formatValue } from "../format-value.ts";
import { duration, repeated, size, wholeNumber } from "../option-values.ts";
import { printRunError } from "../print-run-error.ts";
import { readScript } from "../read-script.ts";
import { reportJson } from "../report-json.ts";

interface ExecOptions {
  readonly timeout?: number;
  readonly memory?: number;
  readonly maxCalls?: number;
  readonly maxOutput?: number;
  readonly grant?: readonly string[];
}

/** `mcpfs exec <script | ->` */
export function addExecCommand(program: Command, cli: CliContext): void {
  program
    .command("exec")
    .description(
      "run a TypeScript script in the sandbox; its value is the default export or a top-level return",
    )
    .argument("<script>", "a .ts or .js file, or - for standard input")
    .argument("[args...]", "after --: one JSON value, key=value pairs, or words; the script's global args")
    .option("--timeout <duration>", "wall time, for example 90s, 5m or none", duration)
    .option("--memory <size>", "memory of the sandbox, for example 256mb", size)
    .option("--max-calls <number>", "calls to servers", wholeNumber)
    .option("--max-output <size>", "console output that is shown, for example 64kb", size)
    .option(
      "--grant <pattern>",
      "calls of these tools need no approval in this run, for example crm/delete_*; may be repeated",
      repeated,
    )
    .addHelpText(
      "after",
      "\nExamples:\n  mcpfs exec report.ts -- id=7\n  echo 'export default 6 * 7' | mcpfs exec -",
    )
    .action(async (script: string, words: string[], options: ExecOptions) => {
      const source = await readScript(cli, script);
      const report = await cli.withHost(async (host) => {
        const { isJson, isQuiet } = cli.globals();
        return await host.run(source, {
          args: scriptArguments(words),
          limits: limitsOf(options),
          signal: cli.io.signal,
          ...(options.grant === undefined ? {} : { granted: options.grant }),
          onLine: ({ level, text }) => {
            if (isJson || isQuiet) return;
            if (level === "warn" || level === "error") cli.printToStderr(text);
            else cli.printValue(text);
          },
        });
      });
      printReport(cli, report, source);
      cli.exitWith(report.error?.code === "INTERRUPTED" ? 130 : EXIT_CODES[report.kind]);
    });
}

/** `exec` and `skills run` exit by the kind of end. */
const EXIT_CODES: Readonly<Record<RunReport["kind"], number>> = {
  ok: 0,
  failed: 1,
  suspended: 4,
  stopped: 5,
};

function printReport(cli: CliContext, report: RunReport, source: ScriptSource): void {
  if (cli.globals().isJson) {
    cli.printJson(reportJson(report));
    return;
  }
  if (!cli.globals().isQuiet) for (const warning of report.warnings) cli.log.warn(warning);
  if (report.error !== null) printRunError(cli, report, source);
  else if (report.value !== undefined) cli.printValue(formatValue(report.value));
}

function limitsOf({ timeout, memory, maxCalls, maxOutput }: ExecOptions): Partial<Limits> {
  return {
    ...(timeout === undefined ? {} : { wallMs: timeout }),
    ...(memory === undefined ? {} : { memoryBytes: memory }),
    ...(maxCalls === undefined ? {} : { maxCalls }),
    ...(maxOutput === undefined ? {} : { outputBytes: maxOutput }),
  };
}
