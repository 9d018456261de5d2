import { type Command, Option } from "commander";
import { firstSentence } from "../../kernel/text.ts";
import type { CliContext } from "../cli-context.ts";
import { wholeNumber } from "../option-values.ts";
import { toolElement } from "../tool-element.ts";

interface SearchOptions {
  readonly k: number;
  readonly detail: "name" | "brief" | "full";
}

/** `mcpfs search <query>` */
export function addSearchCommand(program: Command, cli: CliContext): void {
  program
    .command("search")
    .description("find tools by what they do, without connecting; an empty query lists them")
    .argument("<query>", "words, for example: update a sales record")
    .option("-k <number>", "hits at most", wholeNumber, 5)
    .addOption(
      new Option("--detail <detail>", "how much of each hit")
        .choices(["name", "brief", "full"])
        .default("brief"),
    )
    .addHelpText("after", '\nExample:\n  mcpfs search "update a sales record" -k 3 --detail full')
    .action(async (query: string, options: SearchOptions) => {
      await cli.withHost(async (host) => {
        const hits = await host.search(query, options.k);
        const { renderSignature } = await import("../../render/signature.ts");
        if (cli.globals().isJson) {
          const elements = hits.map(async ({ tool, score }) => ({
            ...toolElement(host, tool, true),
            score,
            ...(options.detail === "full" ? { signature: await renderSignature(tool) } : {}),
          }));
          cli.printJson(await Promise.all(elements));
          return;
        }
        if (hits.length === 0) cli.say('nothing found; try other words, or "mcpfs ls"');
        for (const { tool } of hits) {
          if (options.detail === "full")
            cli.print(`// ${tool.file}\n${(await renderSignature(tool)).trimEnd()}\n`);
          else
            cli.print(
              options.detail === "name"
                ? tool.file
                : `${tool.file}  ${firstSentence(tool.description || tool.title, 90)}`.trimEnd(),
            );
        }
      });
    });
}
