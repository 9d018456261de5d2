import { describeCalls } from "../engine/report.ts";
import { visibleText } from "../kernel/text.ts";
import type { ScriptSource } from "../model/bundle.ts";
import type { RunReport } from "../model/run.ts";
import type { CliContext } from "./cli-context.ts";

/** Prints how a run failed: code and sentence, place with the source line, hint, and what its calls did. On stderr. */
export function printRunError(cli: CliContext, report: RunReport, source: ScriptSource): void {
  const { error } = report;
  if (error === null) return;
  const write = cli.printToStderr;
  write(` ${error.code}: ${error.message}`, cli.styled("red", "error"));
  if (error.file !== null && error.line !== null) {
    write(`   at ${error.file}:${error.line}${error.column === null ? "" : `:${error.column}`}`);
    const line = error.file === source.name ? source.text.split("\n")[error.line - 1] : undefined;
    if (line !== undefined) for (const shown of excerpt(line, error.column)) write(`      ${shown}`);
  }
  if (error.hint !== "") write(` ${error.hint}`, ` ${cli.styled("dim", "hint")}`);
  if (report.calls.total > 0) write(` ${describeCalls(report.calls)}`, ` ${cli.styled("dim", "calls")}`);
  for (const effect of report.effects.filter(({ status }) => status === "unknown")) {
    write(
      `       ${effect.server}/${effect.tool} (call ${effect.call}): nobody knows whether it took effect`,
    );
  }
}

/** The source line and a caret below the column; a very long line is cut around it. */
function excerpt(line: string, column: number | null): readonly string[] {
  const text = visibleText(line.replaceAll("\t", " ").replace(/\r$/, ""));
  const at = Math.max(0, (column ?? 1) - 1);
  const start = at > 100 ? at - 60 : 0;
  const cut = text.slice(start, start + 120);
  return column === null ? [cut] : [cut, `${" ".repeat(at - start)}^`];
}
