import type { Command } from "commander";
import type { ScriptSource } from "../../model/bundle.ts";
import type { RunTokens } from "../../model/ledger.ts";
import type { Limits, RunReport } from "../../model/run.ts";
import { scriptArguments } from "../arguments.ts";
import type { CliContext } from "../cli-context.ts";
import { formatValue } from "../format-value.ts";
import { duration, size, wholeNumber } from "../option-values.ts";
import { printRunError } from "../print-run-error.ts";
import { readScript } from "../read-script.ts";
import { reportJson } from "../report-json.ts";

interface ExecOptions {
  readonly timeout?: number;
  readonly memory?: number;
  readonly maxCalls?: number;
  readonly maxOutput?: number;
  readonly tokens?: boolean;
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
    .option("--tokens", "say on one line what the run cost a model, and what direct calls would have cost")
    .addHelpText(
      "after",
      "\nExamples:\n  mcpfs exec report.ts -- id=7\n  echo 'export default 6 * 7' | mcpfs exec -",
    )
    .action(async (script: string, words: string[], options: ExecOptions) => {
      const source = await readScript(cli, script);
      const { report, costs } = await cli.withHost(async (host) => {
        const { isJson, isQuiet } = cli.globals();
        let spent: RunTokens | undefined;
        const ended = await host.run(source, {
          args: scriptArguments(words),
          limits: limitsOf(options),
          signal: cli.io.signal,
          onLine: ({ level, text }) => {
            if (isJson || isQuiet) return;
            if (level === "warn" || level === "error") cli.printToStderr(text);
            else cli.printValue(text);
          },
          onTokens: (tokens) => {
            spent = tokens;
          },
        });
        if (options.tokens !== true || spent === undefined) return { report: ended };
        return { report: ended, costs: { definitions: await host.definitionTokens(), ...spent } };
      });
      printReport(cli, report, source, costs);
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

/** What a run cost a model, and what the same calls would have cost in the conversation, with all definitions in front of it. */
interface RunCosts extends RunTokens {
  readonly definitions: number;
}

function printReport(
  cli: CliContext,
  report: RunReport,
  source: ScriptSource,
  costs: RunCosts | undefined,
): void {
  if (cli.globals().isJson) {
    cli.printJson({ ...reportJson(report), ...(costs === undefined ? {} : { tokens: costs }) });
    return;
  }
  if (!cli.globals().isQuiet) for (const warning of report.warnings) cli.log.warn(warning);
  if (report.error !== null) printRunError(cli, report, source);
  else if (report.value !== undefined) cli.printValue(formatValue(report.value));
  if (costs !== undefined) cli.say(costLine(costs));
}

function costLine({ definitions, arguments: given, results, script, answer }: RunCosts): string {
  const figure = (tokens: number): string => tokens.toLocaleString("en-US");
  const direct = definitions + given + results;
  return (
    `tokens: ${figure(script + answer)} passed through the model (script ${figure(script)}, answer ${figure(answer)}); ` +
    `with direct calls ${figure(direct)} (definitions ${figure(definitions)}, arguments ${figure(given)}, results ${figure(results)})`
  );
}

function limitsOf({ timeout, memory, maxCalls, maxOutput }: ExecOptions): Partial<Limits> {
  return {
    ...(timeout === undefined ? {} : { wallMs: timeout }),
    ...(memory === undefined ? {} : { memoryBytes: memory }),
    ...(maxCalls === undefined ? {} : { maxCalls }),
    ...(maxOutput === undefined ? {} : { outputBytes: maxOutput }),
  };
}
