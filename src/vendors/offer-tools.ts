import { McpfsError } from "../kernel/errors.ts";
import type { JsonObject } from "../kernel/json.ts";
import { oneLine } from "../kernel/text.ts";
import type { PortableTool } from "./portable-tool.ts";
import type { Fitted, OfferOptions, Vendor } from "./vendor.ts";

/** What stands in `tools` of a request. */
export type OfferedTools = Fitted<readonly JsonObject[]>;

export interface OfferRequest extends OfferOptions {
  readonly vendor: Vendor;
  /** One line on a server, by its name in the config: what a vendor's search shows of a group of tools. */
  readonly purposeOf?: (server: string) => string;
}

/**
 * `tools` of a request, in the order given: with one that is only ever appended to, what a vendor's prompt cache holds stays good.
 * Deferred tools stand behind the vendor's own search tool, which carries the cache's breakpoint: none of them is in the cached part.
 * @throws McpfsError USAGE for deferred tools of Gemini, which has no search of its own
 */
export function offerTools(tools: readonly PortableTool[], request: OfferRequest): OfferedTools {
  switch (request.vendor) {
    case "anthropic":
      return anthropicTools(tools, request);
    case "openai":
      return openAITools(tools, request);
    case "gemini":
      return geminiTools(tools, request);
  }
}

/** One tool alone, as it stands among others. */
export function offerTool(tool: PortableTool, { vendor, ...options }: OfferRequest): Fitted {
  switch (vendor) {
    case "anthropic":
      return tool.toAnthropic(options);
    case "openai":
      return tool.toOpenAI(options);
    case "gemini":
      return tool.toGemini();
  }
}

function anthropicTools(tools: readonly PortableTool[], options: OfferRequest): OfferedTools {
  const { value, changes } = gathered(tools, (tool, at) =>
    offerTool(tool, { ...options, isStrict: options.isStrict === true && at < MAX_STRICT }),
  );
  const all =
    options.isStrict === true && tools.length > MAX_STRICT
      ? [`Anthropic takes ${MAX_STRICT} strict tools in a request: the others are not strict`, ...changes]
      : changes;
  // A deferred tool with cache_control is refused, and so is a request whose tools are all deferred.
  return options.isDeferred === true
    ? { value: [ANTHROPIC_SEARCH, ...value], changes: all }
    : { value, changes: all };
}

const MAX_STRICT = 20;
const ANTHROPIC_SEARCH: JsonObject = {
  type: "tool_search_tool_bm25_20251119",
  name: "tool_search_tool_bm25",
  cache_control: { type: "ephemeral" },
};

function openAITools(tools: readonly PortableTool[], options: OfferRequest): OfferedTools {
  const { value, changes } = gathered(tools, (tool) => offerTool(tool, options));
  if (options.isDeferred !== true) {
    return value.length <= MAX_FUNCTIONS
      ? { value, changes }
      : {
          value,
          changes: [`OpenAI takes ${MAX_FUNCTIONS} tools in a request, not ${value.length}`, ...changes],
        };
  }
  // OpenAI's models are trained to search groups: of a namespace only name and description are in the prompt.
  const groups = new Map<string, JsonObject[]>();
  for (const [at, { tool }] of tools.entries()) {
    const group = groups.get(tool.server) ?? [];
    group.push(value[at] ?? {});
    groups.set(tool.server, group);
  }
  const spaces = [...groups].map(([server, functions]) => ({
    type: "namespace",
    name: server.replaceAll(/[^a-zA-Z0-9_-]/g, "_").slice(0, 64),
    description: oneLine(options.purposeOf?.(server) || `The tools of ${server}.`, 300),
    tools: functions,
  }));
  return { value: [{ type: "tool_search" }, ...spaces], changes };
}

const MAX_FUNCTIONS = 128;

function geminiTools(tools: readonly PortableTool[], request: OfferRequest): OfferedTools {
  const { isDeferred, isStrict } = request;
  if (isDeferred === true) {
    throw new McpfsError("USAGE", "Gemini has no search for deferred tools.", {
      hint: 'Leave --defer out, or give the model few tools and let it find others with "mcpfs search".',
    });
  }
  const { value, changes } = gathered(tools, (tool) => offerTool(tool, request));
  const unkept = isStrict === true ? ["Gemini has no strict tools"] : [];
  return { value: [{ functionDeclarations: value }], changes: [...unkept, ...changes] };
}

function gathered(
  tools: readonly PortableTool[],
  shaped: (tool: PortableTool, at: number) => Fitted,
): OfferedTools {
  const fitted = tools.map((tool, at) => ({ tool, ...shaped(tool, at) }));
  return {
    value: fitted.map(({ value }) => value),
    changes: fitted.flatMap(({ tool, changes }) => changes.map((change) => `${tool.tool.wire}: ${change}`)),
  };
}
