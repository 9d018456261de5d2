import type { Command } from "commander";
import { scriptArguments } from "../arguments.ts";
import type { CliContext } from "../cli-context.ts";
import { readScript } from "../read-script.ts";
import { addLimitOptions, finishRun, type LimitOptions, runOptions } from "../script-run.ts";

/** `mcpfs exec <script | ->` */
export function addExecCommand(program: Command, cli: CliContext): void {
  const exec = program
    .command("exec")
    .description(
      "run a TypeScript script in the sandbox; its value is the default export or a top-level return",
    )
    .argument("<script>", "a .ts or .js file, or - for standard input")
    .argument("[args...]", "after --: one JSON value, key=value pairs, or words; the script's global args");
  addLimitOptions(exec)
    .addHelpText(
      "after",
      "\nExamples:\n  mcpfs exec report.ts -- id=7\n  echo 'export default 6 * 7' | mcpfs exec -",
    )
    .action(async (script: string, words: string[], options: LimitOptions) => {
      const source = await readScript(cli, script);
      const report = await cli.withHost((host) =>
        host.run(source, { args: scriptArguments(words), ...runOptions(cli, options) }),
      );
      finishRun(cli, report, source);
    });
}
