import { type Command, Option } from "commander";
import type { WaitingDecision } from "../../engine/past/decide-waiting.ts";
import { stringifyJson } from "../../kernel/json.ts";
import { count, oneLine } from "../../kernel/text.ts";
import type { CliContext } from "../cli-context.ts";
import { wholeNumber } from "../option-values.ts";

interface DecideOptions {
  readonly call?: number;
  readonly scope?: WaitingDecision["scope"];
}

/** `mcpfs runs approve|deny` */
export function addDecideCommands(runs: Command, cli: CliContext): void {
  addDecideCommand(runs, cli, { name: "approve", decision: "approved", verb: "allow" });
  addDecideCommand(runs, cli, { name: "deny", decision: "denied", verb: "refuse" });
}

function addDecideCommand(
  runs: Command,
  cli: CliContext,
  {
    name,
    decision,
    verb,
  }: { readonly name: string; readonly decision: WaitingDecision["decision"]; readonly verb: string },
): void {
  runs
    .command(name)
    .description(`${verb} calls of a suspended run; "runs resume" then goes on with it`)
    .argument("<run>", "its id")
    .option("--call <number>", "only this call; default: all that wait", wholeNumber)
    .addOption(
      new Option(
        "--scope <scope>",
        "call: what waits now; run-tool: also later calls of the same tools in this run",
      )
        .choices(["call", "run-tool"])
        .default("call"),
    )
    .addHelpText("after", `\nExample:\n  mcpfs runs ${name} 20261130-150000-0a31b2c3 --call 3`)
    .action(async (runId: string, { call, scope = "call" }: DecideOptions) => {
      await cli.withHost(async (host) => {
        const decided = await host.decideWaiting(runId, {
          decision,
          scope,
          ...(call === undefined ? {} : { call }),
        });
        if (cli.globals().isJson) {
          cli.printJson(decided.map((waiting) => ({ ...waiting, decision })));
          return;
        }
        for (const { call: number, server, tool, arguments: args } of decided)
          cli.print(`${decision} call ${number}: ${server}/${tool} ${oneLine(stringifyJson(args), 200)}`);
        cli.say(`${decision} ${count(decided.length, "call")}; go on with "mcpfs runs resume ${runId}"`);
      });
    });
}
