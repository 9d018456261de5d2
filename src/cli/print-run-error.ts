import { describeEffects } from "../engine/run/describe-effects.ts";
import { excerptOf } from "../engine/run/excerpt.ts";
import { describeCalls } from "../engine/run/report.ts";
import { stringifyJson } from "../kernel/json.ts";
import { oneLine } from "../kernel/text.ts";
import type { ScriptSource } from "../model/bundle.ts";
import type { RunReport } from "../model/run.ts";
import type { CliContext } from "./cli-context.ts";

/** As much of a waiting call's arguments as fits on two lines; `--json` has all of it. */
const MAX_ARGUMENTS = 200;

/** Prints how a run failed: code and sentence, place with the source line, hint, and what its calls did. On stderr. */
export function printRunError(cli: CliContext, report: RunReport, source: ScriptSource): void {
  const { error } = report;
  if (error === null) return;
  const write = cli.printToStderr;
  write(` ${error.code}: ${error.message}`, cli.styled("red", "error"));
  if (error.file !== null && error.line !== null) {
    write(`   at ${error.file}:${error.line}${error.column === null ? "" : `:${error.column}`}`);
    for (const shown of excerptOf(source, error)?.split("\n") ?? [])
      write(`      ${cli.redactor.redact(shown)}`);
  }
  if (error.hint !== "") write(` ${error.hint}`, ` ${cli.styled("dim", "hint")}`);
  if (report.calls.total > 0) write(` ${describeCalls(report.calls)}`, ` ${cli.styled("dim", "calls")}`);
  for (const { call, server, tool, arguments: args, reason } of report.waiting) {
    const shown = oneLine(stringifyJson(args), MAX_ARGUMENTS);
    write(` call ${call}: ${server}/${tool} ${shown}`, ` ${cli.styled("dim", "waits")}`);
    write(`       ${reason}`);
  }
  for (const line of describeEffects(report)) write(`       ${line}`);
  if (report.next !== null) write(`  ${report.next}`, ` ${cli.styled("bold", "next")}`);
}
