import type { Command } from "commander";
import type { WatchEvent } from "../../engine/watch/watch.ts";
import { count, oneLine } from "../../kernel/text.ts";
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
      const { createChangeFeed, watchWorkspace } = await import("../../engine/watch/watch.ts");
      const feed = createChangeFeed();
      // The program that read our lines may end without a word: nobody would end this watch and its servers then.
      const unread = new AbortController();
      cli.io.stdout.once("error", () => unread.abort());
      await cli.withHost(
        async (host) => {
          const onEvent = (event: WatchEvent): void => printEvent(cli, event);
          await watchWorkspace(host, feed, {
            onEvent,
            signal: AbortSignal.any([cli.io.signal, unread.signal]),
            usePolling: options.poll ?? false,
          });
        },
        { onToolsChanged: feed.push, onServerLost: feed.lost },
      );
    });
}

function printEvent(cli: CliContext, event: WatchEvent): void {
  if (cli.globals().isJson) cli.printJson(jsonOf(event));
  else if (event.kind === "synced") printReport(cli, event);
  else if (event.kind === "failed") cli.log.warn(`${event.error.code}: ${event.error.message}`);
  else cli.print(`${event.server}: ${stateOf(event)}`);
}

function stateOf(event: Extract<WatchEvent, { readonly server: string }>): string {
  switch (event.kind) {
    case "lost":
      return `lost, connecting again. ${oneLine(event.error.message, 400)}`;
    case "back":
      return `back, ${count(event.tools, "tool")}`;
    case "down":
      return `down, tried again every few minutes. ${oneLine(event.reason, 400)}`;
  }
}

function printReport(cli: CliContext, event: Extract<WatchEvent, { kind: "synced" }>): void {
  const { report, isFirst, retried } = event;
  if (isFirst) {
    for (const server of report.servers) printServer(cli, server);
    const tools = report.servers.reduce((sum, server) => sum + server.tools, 0);
    cli.say(`watching ${count(report.servers.length, "server")}, ${count(tools, "tool")}; Ctrl-C ends`);
    return;
  }
  for (const server of report.servers) {
    const changes = describeChanges(server);
    if (server.status === "disabled") printServer(cli, server);
    else if (server.status === "failed") {
      if (!retried.has(server.name)) printServer(cli, server);
    } else if (changes !== "") {
      cli.print(`${server.name}: ${changes}`);
      printChanges(cli, server);
    }
  }
}

function jsonOf(event: WatchEvent): unknown {
  switch (event.kind) {
    case "synced":
      return syncJson(event.report);
    case "back":
      return { server: event.server, status: "back", tools: event.tools };
    case "down":
      return { server: event.server, status: "down", reason: event.reason };
    case "lost":
      return { server: event.server, status: "lost", reason: event.error.message };
    case "failed": {
      const { code, message, hint } = event.error;
      return { error: { code, message, hint } };
    }
  }
}
