import { type Command, Option } from "commander";
import { stringifyJson } from "../../kernel/json.ts";
import type { CliContext } from "../cli-context.ts";
import { toolElement } from "../tool-element.ts";

/** `mcpfs show <name>` */
export function addShowCommand(program: Command, cli: CliContext): void {
  program
    .command("show")
    .description("show one tool: its signature, or its definition as the server gave it")
    .argument("<name>", "server/tool, or any other exact name of the tool")
    .addOption(
      new Option("--format <format>", "ts: signature; schema: definition")
        .choices(["ts", "schema"])
        .default("ts"),
    )
    .addHelpText("after", "\nExample:\n  mcpfs show crm/update_record --format schema")
    .action(async (name: string, { format }: { format: string }) => {
      await cli.withHost(async (host) => {
        const tool = (await host.lookup()).find(name);
        const { renderSignature } = await import("../../render/signature.ts");
        if (cli.globals().isJson) {
          cli.printJson({
            ...toolElement(host, tool, true),
            definition: tool.definition,
            signature: await renderSignature(tool),
          });
        } else
          cli.print(
            format === "schema" ? stringifyJson(tool.definition) : (await renderSignature(tool)).trimEnd(),
          );
      });
    });
}
