import type { Command } from "commander";
import type { Host } from "../../engine/host.ts";
import { count, firstSentence } from "../../kernel/text.ts";
import { BUILTIN_SERVER } from "../../model/names.ts";
import type { CatalogServer, Tool } from "../../model/tool.ts";
import type { Permission } from "../../policy/decision.ts";
import type { CliContext } from "../cli-context.ts";
import { toolElement } from "../tool-element.ts";
import { knownServer } from "./sync.ts";

/** `mcpfs ls [server]` */
export function addLsCommand(program: Command, cli: CliContext): void {
  program
    .command("ls")
    .description("list servers and tools, without connecting")
    .argument("[server]", "only this server")
    .option("--all", "also tools that policy denies; agents do not see them")
    .addHelpText("after", "\nExample:\n  mcpfs ls crm --json")
    .action(async (name: string | undefined, { all = false }: { all?: boolean }) => {
      await cli.withHost(async (host) => {
        const configured = new Map(host.config().servers.map((entry) => [entry.name, entry.isEnabled]));
        // The catalog remembers servers that are gone, for the sake of scripts that still import them. To it one that is on and
        // has no definitions (they were deleted) is off.
        const servers = (await host.catalog()).servers.filter(
          ({ name, isEnabled }) => configured.get(name) === isEnabled || name === BUILTIN_SERVER,
        );
        const isBuiltin = servers.some((server) => server.name === name);
        const wanted = name === undefined || isBuiltin ? name : knownServer(host.config().servers, name);
        const chosen = servers.filter((server) => wanted === undefined || server.name === wanted);
        const isShown = (tool: Tool): boolean => all || host.permission(tool) !== "deny";
        const shown = chosen.map((server) => ({ ...server, tools: server.tools.filter(isShown) }));
        if (cli.globals().isJson) {
          cli.printJson(
            shown.flatMap((server) => server.tools.map((tool) => toolElement(host, tool, server.isEnabled))),
          );
          return;
        }
        for (const server of shown) printServerTools(cli, host, server);
        const denied = toolCount(chosen) - toolCount(shown);
        if (denied > 0) cli.say(`${count(denied, "tool")} denied by policy; "mcpfs ls --all" shows them`);
        const missing = host
          .config()
          .servers.filter((entry) => !servers.some((server) => server.name === entry.name));
        for (const { name, isEnabled } of missing)
          if (isEnabled) cli.say(`${name}: not synced yet; run "mcpfs sync"`);
          else cli.print(`${name} (disabled)`);
      });
    });
}

function toolCount(servers: readonly CatalogServer[]): number {
  return servers.reduce((sum, server) => sum + server.tools.length, 0);
}

function printServerTools(cli: CliContext, host: Host, server: CatalogServer): void {
  const state = server.isEnabled ? count(server.tools.length, "tool") : "disabled";
  const purpose = server.purpose === "" ? "" : ` · ${firstSentence(server.purpose)}`;
  cli.print(`${server.name} (${state})${purpose}`);
  const labels = server.tools.map((tool) => `${tool.export}${MARKS[host.permission(tool)]}`);
  const width = Math.max(0, ...labels.map((label) => label.length));
  for (const [index, tool] of server.tools.entries()) {
    const label = (labels[index] ?? "").padEnd(Math.min(width, 40));
    cli.print(`  ${label}  ${firstSentence(tool.description || tool.title, 90)}`.trimEnd());
  }
}

const MARKS: Readonly<Record<Permission, string>> = { allow: "", ask: " (asks)", deny: " (denied)" };
