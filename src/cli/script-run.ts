import type { Command } from "commander";
import type { RunOptions } from "../engine/host.ts";
import { valueText } from "../kernel/json.ts";
import type { ScriptSource } from "../model/bundle.ts";
import type { RunTokens } from "../model/ledger.ts";
import type { Limits, RunReport } from "../model/run.ts";
import type { CliContext } from "./cli-context.ts";
import { duration, repeated, size, wholeNumber } from "./option-values.ts";
import { printRunError } from "./print-run-error.ts";
import { reportJson } from "./report-json.ts";

/** The limits and grants of a run as `exec` and `runs resume` take them. */
export interface LimitOptions {
  readonly timeout?: number;
  readonly memory?: number;
  readonly maxCalls?: number;
  readonly maxOutput?: number;
  readonly grant?: readonly string[];
}

export function addLimitOptions(command: Command): Command {
  return command
    .option("--timeout <duration>", "wall time, for example 90s, 5m or none", duration)
    .option("--memory <size>", "memory of the sandbox, for example 256mb", size)
    .option("--max-calls <number>", "calls to servers", wholeNumber)
    .option("--max-output <size>", "console output that is shown, for example 64kb", size)
    .option(
      "--grant <pattern>",
      "calls of these tools need no approval in this run, for example crm/delete_*; may be repeated",
      repeated,
    );
}

/** What a run needs of the command line: its limits, where its console lines go, and Ctrl-C. */
export function runOptions(
  cli: CliContext,
  options: LimitOptions,
): Required<Pick<RunOptions, "limits" | "signal" | "onLine" | "granted">> {
  const { isJson, isQuiet } = cli.globals();
  return {
    limits: limitsOf(options),
    granted: options.grant ?? [],
    signal: cli.io.signal,
    onLine: ({ level, text }) => {
      if (isJson || isQuiet) return;
      if (level === "warn" || level === "error") cli.printToStderr(text);
      else cli.printValue(text);
    },
  };
}

/** Prints how a run ended, and exits by its kind. */
export function finishRun(cli: CliContext, report: RunReport, source: ScriptSource, costs?: RunCosts): void {
  printReport(cli, report, source, costs);
  cli.exitWith(report.error?.code === "INTERRUPTED" ? 130 : EXIT_CODES[report.kind]);
}

/** `exec` and `skills run` exit by the kind of end. */
const EXIT_CODES: Readonly<Record<RunReport["kind"], number>> = {
  ok: 0,
  failed: 1,
  suspended: 4,
  stopped: 5,
};

/** Prints how a run ended: with `--json` the report; else its value, or its error and what its calls did. */
export function printReport(
  cli: CliContext,
  report: RunReport,
  source: ScriptSource,
  costs?: RunCosts,
): void {
  if (cli.globals().isJson) {
    cli.printJson({ ...reportJson(report), ...(costs === undefined ? {} : { tokens: costs }) });
    return;
  }
  if (!cli.globals().isQuiet) for (const warning of report.warnings) cli.log.warn(warning);
  if (report.error !== null) printRunError(cli, report, source);
  else if (report.value !== undefined) cli.printValue(valueText(report.value));
  if (costs !== undefined) cli.say(costLine(costs));
}

/** What a run cost a model, and what the same calls would have cost in the conversation, with all definitions in front of it. */
interface RunCosts extends RunTokens {
  readonly definitions: number;
}

function costLine({ definitions, arguments: given, results, script, answer, models }: RunCosts): string {
  const figure = (tokens: number): string => tokens.toLocaleString("en-US");
  const direct = definitions + given + results;
  return (
    `tokens: ${figure(script + answer)} passed through the model (script ${figure(script)}, answer ${figure(answer)}); ` +
    `with direct calls ${figure(direct)} (definitions ${figure(definitions)}, arguments ${figure(given)}, results ${figure(results)})` +
    (models === 0 ? "" : `; ${figure(models)} of another model, by extract`)
  );
}

function limitsOf({ timeout, memory, maxCalls, maxOutput }: LimitOptions): Partial<Limits> {
  return {
    ...(timeout === undefined ? {} : { wallMs: timeout }),
    ...(memory === undefined ? {} : { memoryBytes: memory }),
    ...(maxCalls === undefined ? {} : { maxCalls }),
    ...(maxOutput === undefined ? {} : { outputBytes: maxOutput }),
  };
}
