import type { Command } from "commander";
import type { CliContext } from "../cli-context.ts";
import { statsPage } from "../stats-page.ts";
import { statsLines } from "../stats-text.ts";

/** `mcpfs stats` */
export function addStatsCommand(program: Command, cli: CliContext): void {
  program
    .command("stats")
    .description(
      "count what tools cost a model in tokens, recommend how to hand them out, and sum up past use",
    )
    .option("--html", "print a page with two charts")
    .addHelpText("after", "\nExamples:\n  mcpfs stats\n  mcpfs stats --html > stats.html")
    .action(async ({ html = false }: { html?: boolean }) => {
      const stats = await cli.withHost((host) => host.stats());
      if (cli.globals().isJson) cli.printJson(stats);
      else if (html) cli.printValue(statsPage(stats).trimEnd());
      else for (const line of statsLines(stats)) cli.print(line);
    });
}
