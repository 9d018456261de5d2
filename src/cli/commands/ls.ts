import type { Command } from "commander";
import { count, firstSentence } from "../../kernel/text.ts";
import { BUILTIN_SERVER } from "../../model/names.ts";
import type { CatalogServer } from "../../model/tool.ts";
import type { CliContext } from "../cli-context.ts";
import { toolElement } from "../tool-element.ts";
import { knownServer } from "./sync.ts";

/** `mcpfs ls [server]` */
export function addLsCommand(program: Command, cli: CliContext): void {
  program
    .command("ls")
    .description("list servers and tools, without connecting")
    .argument("[server]", "only this server")
    .addHelpText("after", "\nExample:\n  mcpfs ls crm --json")
    .action(async (name: string | undefined) => {
      await cli.withHost(async (host) => {
        const configured = new Map(host.config().servers.map((entry) => [entry.name, entry.isEnabled]));
        // The catalog remembers servers that are gone, for the sake of scripts that still import them. To it one that is on and
        // has no definitions (they were deleted) is off.
        const servers = (await host.catalog()).servers.filter(
          ({ name, isEnabled }) => configured.get(name) === isEnabled || name === BUILTIN_SERVER,
        );
        const isBuiltin = servers.some((server) => server.name === name);
        const wanted = name === undefined || isBuiltin ? name : knownServer(host.config().servers, name);
        const shown = servers.filter((server) => wanted === undefined || server.name === wanted);
        if (cli.globals().isJson) {
          cli.printJson(
            shown.flatMap((server) => server.tools.map((tool) => toolElement(tool, server.isEnabled))),
          );
          return;
        }
        for (const server of shown) printServerTools(cli, server);
        const missing = host
          .config()
          .servers.filter((entry) => !servers.some((server) => server.name === entry.name));
        for (const { name, isEnabled } of missing)
          if (isEnabled) cli.say(`${name}: not synced yet; run "mcpfs sync"`);
          else cli.print(`${name} (disabled)`);
      });
    });
}

function printServerTools(cli: CliContext, server: CatalogServer): void {
  const state = server.isEnabled ? count(server.tools.length, "tool") : "disabled";
  const purpose = server.purpose === "" ? "" : ` · ${firstSentence(server.purpose)}`;
  cli.print(`${server.name} (${state})${purpose}`);
  const width = Math.max(0, ...server.tools.map((tool) => tool.export.length));
  for (const tool of server.tools) {
    cli.print(
      `  ${tool.export.padEnd(Math.min(width, 32))}  ${firstSentence(tool.description || tool.title, 90)}`.trimEnd(),
    );
  }
}
