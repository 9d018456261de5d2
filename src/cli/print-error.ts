import { exitCodeOf, McpfsError, toMcpfsError } from "../kernel/errors.ts";
import type { CliContext } from "./cli-context.ts";

/**
 * Prints the error that ended a command: as JSON on stdout with `--json`, else a line with its code and a line with
 * its hint on stderr. A stack is shown only for a fault of ours, and only with MCPFS_DEBUG set.
 * @returns the exit code
 */
export function printError(cli: CliContext, thrown: unknown): number {
  const error = toMcpfsError(thrown);
  const message = cli.redactor.redact(error.message);
  const hint = cli.redactor.redact(error.hint);
  if (cli.globals().isJson) cli.printJson({ error: { code: error.code, message, hint } });
  else {
    printFailure(cli, { code: error.code, message, hint });
  }
  const cause = error.cause instanceof Error ? error.cause : undefined;
  if (!(thrown instanceof McpfsError) || error.code === "INTERNAL")
    cli.log.debug(cause?.stack ?? error.stack ?? "");
  return exitCodeOf(error);
}

/** A line with code and sentence and a line with the hint, on stderr. */
export function printFailure(
  cli: CliContext,
  { code, message, hint }: { readonly code: string; readonly message: string; readonly hint: string },
): void {
  cli.printToStderr(` ${code}: ${message}`, cli.styled("red", "error"));
  if (hint !== "") cli.printToStderr(` ${hint}`, ` ${cli.styled("dim", "hint")}`);
}
