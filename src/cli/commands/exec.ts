import type { Command } from "commander";
import type { Host } from "../../engine/host.ts";
import type { RunTokens } from "../../model/ledger.ts";
import { scriptArguments } from "../arguments.ts";
import type { CliContext } from "../cli-context.ts";
import { readScript } from "../read-script.ts";
import { addLimitOptions, finishRun, type LimitOptions, runOptions } from "../script-run.ts";

interface ExecOptions extends LimitOptions {
  readonly tokens?: boolean;
}

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
    .option("--tokens", "say on one line what the run cost a model, and what direct calls would have cost")
    .addHelpText(
      "after",
      "\nExamples:\n  mcpfs exec report.ts -- id=7\n  echo 'export default 6 * 7' | mcpfs exec -",
    )
    .action(async (script: string, words: string[], options: ExecOptions) => {
      const source = await readScript(cli, script);
      const { report, costs } = await cli.withHost(async (host) => {
        let spent: RunTokens | undefined;
        const ended = await host.run(source, {
          args: scriptArguments(words),
          ...runOptions(cli, options),
          onTokens: (tokens) => {
            spent = tokens;
          },
        });
        if (options.tokens !== true || spent === undefined) return { report: ended };
        return { report: ended, costs: { definitions: await directTokens(host), ...spent } };
      });
      finishRun(cli, report, source, costs);
    });
}

/** What the definitions of all tools that the agent may call would take. */
async function directTokens(host: Host): Promise<number> {
  const costs = await host.definitionTokens();
  const { servers } = await host.catalog();
  const tools = servers.flatMap((server) => server.tools).filter((tool) => host.permission(tool) !== "deny");
  return tools.reduce((sum, { wire }) => sum + (costs.get(wire) ?? 0), 0);
}
