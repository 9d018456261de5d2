import type { Host } from "../engine/host.ts";
import type { JsonObject } from "../kernel/json.ts";
import { firstSentence, oneLine } from "../kernel/text.ts";
import { BUILTIN_SERVER } from "../model/names.ts";
import { type SearchAnswer, type SearchRequest, STRATEGIES } from "../model/search.ts";
import type { Tool } from "../model/tool.ts";
import type { ClientCaller, Permission } from "../policy/decision.ts";
import { createClientModel } from "../sampling/sampling.ts";
import { LOOKS, listOf, type MetaTool, oneOf, said, shape, TEXT, WHOLE } from "./meta-tool.ts";

const MAX_HITS = 50;
/** Characters of a description. */
const MAX_SENTENCE = 160;

/** How much of each hit is told. */
type HitDetail = "name" | "brief" | "full";

/** `search_tools`: the tools that fit a task, by server; the same search as the command's, the library's and a script's. */
export function searchTools(host: Host): MetaTool {
  return {
    definition: {
      name: "search_tools",
      title: "Search tools",
      description:
        "Finds tools of all servers by what they do. Their names go into call_tool and get_tool_details.",
      inputSchema: shape({
        query: said(TEXT, "Words of the task: update a sales record. Empty: all"),
        "detail?": said(oneOf("name", "brief", "full"), "full adds TypeScript types. Default: brief"),
        "limit?": { type: "integer", minimum: 1, maximum: MAX_HITS },
        "offset?": said({ type: "integer", minimum: 0 }, "Hits to pass over"),
        "server?": said(TEXT, "Only its tools"),
        "strategy?": oneOf(...STRATEGIES),
      }),
      outputSchema: shape({
        tools: listOf(
          shape({ name: TEXT, server: TEXT, permission: TEXT, "description?": TEXT, "signature?": TEXT }),
        ),
        notes: listOf(TEXT),
        "nextOffset?": WHOLE,
      }),
      annotations: LOOKS,
    },
    run: async (args, { client: { caller }, side: { askModel }, signal }) => {
      const { detail = "brief", ...asked } = args as Omit<SearchRequest, "model" | "signal"> & {
        detail?: HitDetail;
      };
      const model = askModel && createClientModel(askModel);
      const answer = await host.searchTools({ ...asked, model, isCallable: true, signal }, caller);
      const { hits, hasMore, notes } = answer;
      if (hits.length === 0) return await nothingFound(host, asked.query, answer, caller);
      const described = await Promise.all(
        hits.map(async ({ tool }) => await describeHit(tool, detail, host.permission(tool, caller))),
      );
      const nextOffset = (asked.offset ?? 0) + hits.length;
      const text = [
        ...notes.map((note) => `note: ${note}`),
        groupedText(described),
        ...(hasMore ? [`More with offset ${nextOffset}.`] : []),
      ];
      const tools = described.map(({ value }) => value);
      return { text: text.join("\n"), value: { tools, notes, ...(hasMore ? { nextOffset } : {}) } };
    },
  };
}

/** Who writes a name instead of words may have it nearly right. */
async function nothingFound(
  host: Host,
  query: string,
  { notes }: SearchAnswer,
  caller: ClientCaller,
): Promise<{ text: string; value: JsonObject }> {
  const lookup = await host.lookup(caller);
  const near = lookup.nearest(query, 3).filter((wire) => lookup.byWire(wire)?.server !== BUILTIN_SERVER);
  const told = [
    ...notes,
    near.length === 0
      ? "Nothing found. Use other words, or list_servers."
      : `Nothing found by these words. Tools with a similar name: ${near.join(", ")}.`,
  ];
  return { text: told.join("\n"), value: { tools: [], notes: told } };
}

interface DescribedHit {
  readonly tool: Tool;
  readonly text: string;
  readonly value: JsonObject;
}

async function describeHit(tool: Tool, detail: HitDetail, permission: Permission): Promise<DescribedHit> {
  const { wire, server } = tool;
  const head = { name: wire, server, permission };
  const name = permission === "ask" ? `${wire} (ask)` : wire;
  if (detail === "name") return { tool, text: name, value: head };
  const sentence = firstSentence(tool.description || tool.title, MAX_SENTENCE);
  if (detail === "brief")
    return { tool, text: `${name}: ${sentence}`, value: { ...head, description: sentence } };
  const { renderSignature } = await import("../render/signature.ts");
  const signature = (await renderSignature(tool)).trimEnd();
  return { tool, text: `${name}\n${signature}`, value: { ...head, signature } };
}

/** Servers in the order of their best hit. */
function groupedText(hits: readonly DescribedHit[]): string {
  const servers = new Map<string, string[]>();
  for (const { tool, text } of hits) servers.set(tool.server, [...(servers.get(tool.server) ?? []), text]);
  return [...servers].map(([server, texts]) => `# ${oneLine(server)}\n${texts.join("\n")}`).join("\n");
}
