import { type Command, Option } from "commander";
import { oneLine } from "../../kernel/text.ts";
import { type SearchHit, type SearchRequest, STRATEGIES, type StrategyName } from "../../model/search.ts";
import { hitLine } from "../../render/hit-line.ts";
import type { HitExplanation } from "../../search/explain.ts";
import type { CliContext } from "../cli-context.ts";
import { wholeNumber } from "../option-values.ts";
import { toolElement } from "../tool-element.ts";

interface SearchOptions {
  readonly k?: number;
  readonly offset?: number;
  readonly server?: string;
  readonly detail: "name" | "brief" | "full";
  readonly strategy?: StrategyName;
  readonly explain?: boolean;
  readonly tool?: string;
}

/** `mcpfs search <query>` */
export function addSearchCommand(program: Command, cli: CliContext): void {
  program
    .command("search")
    .description("find tools by what they do, without connecting; an empty query lists them")
    .argument("<query>", "words, for example: update a sales record")
    .option("-k <number>", "hits at most (default: the config's, else 5)", wholeNumber)
    .option("--offset <number>", "hits to pass over: the next page", wholeNumber)
    .option("--server <name>", "only tools of this server")
    .addOption(
      new Option("--detail <detail>", "how much of each hit")
        .choices(["name", "brief", "full"])
        .default("brief"),
    )
    .addOption(
      new Option("--strategy <strategy>", "how to find; default: the config's, else keyword").choices(
        STRATEGIES,
      ),
    )
    .option("--explain", "say by which words each hit was found")
    .option("--tool <name>", "explain this tool instead of the hits: why it was not found")
    .addHelpText("after", '\nExample:\n  mcpfs search "update a sales record" -k 3 --detail full')
    .action(async (query: string, options: SearchOptions) => {
      await cli.withHost(async (host) => {
        const answer = await host.searchTools(searchRequest(query, options));
        for (const note of answer.notes) cli.say(note);
        const explained =
          options.tool === undefined
            ? answer.hits
            : [{ tool: (await host.lookup()).find(options.tool), score: 0 }];
        const isExplained = options.explain === true || options.tool !== undefined;
        const { renderSignature } = await import("../../render/signature.ts");
        const detailed = explained.map(async (hit) => ({
          hit,
          signature: options.detail === "full" ? await renderSignature(hit.tool) : undefined,
          why: isExplained ? await host.explainSearch(query, hit.tool) : undefined,
        }));
        const shown = await Promise.all(detailed);
        if (cli.globals().isJson) {
          cli.printJson(
            shown.map(({ hit, signature, why }) => ({
              ...toolElement(host, hit.tool, true),
              score: why?.score ?? hit.score,
              ...(signature === undefined ? {} : { signature }),
              ...(why === undefined ? {} : { explanation: why }),
            })),
          );
          return;
        }
        if (shown.length === 0) cli.say('nothing found; try other words, or "mcpfs ls"');
        for (const { hit, signature, why } of byServer(shown)) {
          if (signature !== undefined) cli.print(`// ${hit.tool.file}\n${signature.trimEnd()}\n`);
          else cli.print(options.detail === "name" ? hit.tool.file : hitLine(hit.tool));
          if (why !== undefined) for (const line of explanationLines(why)) cli.print(`  ${line}`);
        }
        if (answer.hasMore && options.tool === undefined)
          cli.say(`more with --offset ${(options.offset ?? 0) + answer.hits.length}`);
      });
    });
}

function searchRequest(query: string, { k, offset, server, strategy }: SearchOptions): SearchRequest {
  return {
    query,
    ...(k === undefined ? {} : { limit: k }),
    ...(offset === undefined ? {} : { offset }),
    ...(server === undefined ? {} : { server }),
    ...(strategy === undefined ? {} : { strategy }),
  };
}

/** Hits of one server stand together; the server with the best hit is first. */
function byServer<T extends { readonly hit: SearchHit }>(shown: readonly T[]): readonly T[] {
  const servers = [...new Set(shown.map(({ hit }) => hit.tool.server))];
  return servers.flatMap((server) => shown.filter(({ hit }) => hit.tool.server === server));
}

/** The words that found it, rarest first; the words that it lacks; what else was searched for. */
function explanationLines({ rank, words, steps, implied }: HitExplanation): readonly string[] {
  const found = words.filter((word) => word.found.length > 0).toSorted((a, b) => b.rarity - a.rarity);
  const lacking = words.filter((word) => word.found.length === 0);
  const nowhere = lacking.filter((word) => word.rarity === 0).map(({ word }) => word);
  const elsewhere = lacking.filter((word) => word.rarity > 0).map(({ word }) => word);
  return [
    rank === 0 ? "not found by words" : `place ${rank} by words`,
    ...found.map(
      ({ word, found: forms }) =>
        `${word}: ${forms.map(({ stem, parts }) => `${stem} in ${parts.join(", ")}`).join("; ")}`,
    ),
    ...(elsewhere.length === 0 ? [] : [`only in other tools: ${elsewhere.join(" ")}`]),
    ...(nowhere.length === 0 ? [] : [`in no tool: ${nowhere.join(" ")}`]),
    ...steps.map((step) => `step: ${oneLine(step)}`),
    ...implied.map((step) => `needed besides: ${step}`),
  ];
}
