import type { Command } from "commander";
import { count } from "../../kernel/text.ts";
import type { CliContext } from "../cli-context.ts";
import { knownServer, printServer, syncExitCode } from "./sync.ts";

/** `mcpfs servers search|enable|disable` */
export function addServersCommands(program: Command, cli: CliContext): void {
  const servers = program
    .command("servers")
    .description("the servers of mcpfs.json: find one, switch it on or off")
    .addHelpText("after", "\nExample:\n  mcpfs servers search")
    .helpCommand(false);
  servers
    .command("search")
    .description("find servers by name, purpose and tools, also those that are off; no words list all")
    .argument("[words]", "for example: sales records")
    .addHelpText("after", '\nExample:\n  mcpfs servers search "crm" --json')
    .action(async (words = "") => {
      await cli.withHost(async (host) => {
        const found = await host.searchServers(words);
        if (cli.globals().isJson) return cli.printJson(found);
        if (found.length === 0) cli.say('nothing found; "mcpfs servers search" lists all');
        for (const { name, purpose, enabled, tools } of found) {
          const state = enabled ? count(tools, "tool") : `off, ${count(tools, "tool")}`;
          cli.print(`${name} (${state})${purpose === "" ? "" : ` · ${purpose}`}`);
        }
      });
    });
  addSwitch(servers, cli, "enable", true);
  addSwitch(servers, cli, "disable", false);
}

function addSwitch(servers: Command, cli: CliContext, word: "enable" | "disable", isOn: boolean): void {
  servers
    .command(word)
    .description(
      isOn
        ? "switch a server on in mcpfs.json (comments are kept) and write its wrappers"
        : "switch a server off: its wrappers go, their names stay reserved",
    )
    .argument("<name>", "the server's key")
    .addHelpText("after", `\nExample:\n  mcpfs servers ${word} crm`)
    .action(async (name: string) => {
      await cli.withHost(async (host) => {
        const server = knownServer(host.config().servers, name);
        const { isChanged, report } = await host.switchServer(server, isOn);
        if (cli.globals().isJson) cli.printJson({ name: server, path: "mcpfs.json", changed: isChanged });
        else cli.say(`${isChanged ? "" : "already "}${word}d ${server}`);
        if (isOn && !cli.globals().isJson) for (const synced of report.servers) printServer(cli, synced);
        if (isOn) cli.exitWith(syncExitCode(report));
      });
    });
}
