import type { Command } from "commander";
import type { SyncReport } from "../../engine/sync.ts";
import type { WatchEvent } from "../../engine/watch.ts";
import { count } from "../../kernel/text.ts";
import type { CliContext } from "../cli-context.ts";
import { describeChanges, printChanges, printServer, syncJson } from "./sync.ts";

/** `mcpfs watch` */
export function addWatchCommand(program: Command, cli: CliContext): void {
  program
    .command("watch")
    .description("keep connected, and write the tree again when a server's tools or the config change")
    .option("--poll", "look at mcpfs.json at intervals, where a disk gives no change events")
    .addHelpText(
      "after",
      "\nExample:\n  mcpfs watch\n\nEnds with Ctrl-C. A server with connect: lazy is not started. With --json one object a line.",
    )
    .action(async (options: { poll?: boolean }) => {
      const { createChangeFeed, watchWorkspace } = await import("../../engine/watch.ts");
      const feed = createChangeFeed();
      await cli.withHost(
        async (host) => {
          const onEvent = (event: WatchEvent): void => printEvent(cli, event);
          await watchWorkspace(host, feed, {
            onEvent,
            signal: cli.io.signal,
            usePolling: options.poll ?? false,
          });
        },
        { onToolsChanged: feed.push },
      );
    });
}

function printEvent(cli: CliContext, event: WatchEvent): void {
  if (cli.globals().isJson) cli.printJson(jsonOf(event));
  else if (event.kind === "failed") cli.log.warn(`${event.error.code}: ${event.error.message}`);
  else printReport(cli, event.report, event.isFirst);
}

function printReport(cli: CliContext, report: SyncReport, isFirst: boolean): void {
  if (isFirst) {
    for (const server of report.servers) printServer(cli, server);
    const tools = report.servers.reduce((sum, server) => sum + server.tools, 0);
    cli.say(`watching ${count(report.servers.length, "server")}, ${count(tools, "tool")}; Ctrl-C ends`);
    return;
  }
  for (const server of report.servers) {
    const isNews = server.added.length + server.changed.length + server.removed.length > 0;
    if (server.status === "failed" || server.status === "disabled") printServer(cli, server);
    else if (isNews) {
      cli.print(`${server.name}: ${describeChanges(server)}`);
      printChanges(cli, server);
    }
  }
}

function jsonOf(event: WatchEvent): unknown {
  if (event.kind === "synced") return syncJson(event.report);
  const { code, message, hint } = event.error;
  return { error: { code, message, hint } };
}
