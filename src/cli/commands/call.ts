import type { Command } from "commander";
import { McpfsError } from "../../kernel/errors.ts";
import { own, valueText } from "../../kernel/json.ts";
import { callArguments } from "../arguments.ts";
import type { CliContext } from "../cli-context.ts";
import { repeated } from "../option-values.ts";
import { printError } from "../print-error.ts";

/** `mcpfs call <name> [json | key=value …]` */
export function addCallCommand(program: Command, cli: CliContext): void {
  program
    .command("call")
    .description("make one call through the broker and print its value")
    .argument("<name>", "server/tool, or any other exact name of the tool")
    .argument(
      "[arguments...]",
      "one JSON object, or key=value pairs; values are read as the tool's schema says",
    )
    .option("--grant <pattern>", "a call of these tools needs no approval, for example crm/*", repeated)
    .addHelpText(
      "after",
      '\nExamples:\n  mcpfs call docs/get_document document_id=call-2026-11-04\n  mcpfs call crm/query \'{"object_type":"Lead"}\'',
    )
    .action(async (name: string, words: string[], { grant }: { grant?: readonly string[] }) => {
      await cli.withHost(async (host) => {
        const lookup = await host.lookup();
        const { inputSchema } = await host.usage.noticing(name, async () => lookup.find(name));
        const outcome = await host.call(name, callArguments(words, own(inputSchema, "properties")), {
          signal: cli.io.signal,
          ...(grant === undefined ? {} : { granted: grant }),
        });
        const { server, raw } = outcome.tool;
        for (const warning of outcome.warnings) cli.log.warn(warning);
        if (outcome.kind === "ok") {
          const { value, content, warnings } = outcome;
          if (cli.globals().isJson)
            cli.printJson({ server, tool: raw, isError: false, value: value ?? null, content, warnings });
          else if (value !== undefined) cli.printValue(valueText(value));
          return;
        }
        const { error, warnings } = outcome;
        if (cli.globals().isJson && error.code === "TOOL_ERROR") {
          cli.printJson({ server, tool: raw, isError: true, value: null, content: error.content, warnings });
          cli.exitWith(1);
        } else cli.exitWith(printError(cli, new McpfsError(error.code, error.message, { hint: error.hint })));
      });
    });
}
