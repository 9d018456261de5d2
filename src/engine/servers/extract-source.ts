import { randomUUID } from "node:crypto";
import type { ToolCaller, ToolSource } from "../../broker/ports.ts";
import { EXTRACT } from "../../builtin/what-calls-do.ts";
import { McpfsError, toMcpfsError } from "../../kernel/errors.ts";
import { isJsonObject, type Json, type JsonObject, own } from "../../kernel/json.ts";
import type { ToolAnswer } from "../../model/call.ts";
import { BUILTIN_SERVER } from "../../model/names.ts";
import type { ModelTokens, TextModel } from "../../model/text-model.ts";
import type { Tool } from "../../model/tool.ts";

/** What `extract` is made of. */
export interface ExtractSourceParts {
  /** @throws McpfsError MODEL_MISSING where there is none; UNTRUSTED, CONFIG_INVALID for one that may not be used */
  readonly model: () => Promise<TextModel>;
  readonly onTokens: (tokens: ModelTokens) => void;
}

/** The tools of a run with the built-in `extract` among them, which the broker decides like any tool of a server. */
export function withExtract(
  source: ToolSource & ToolCaller,
  parts: ExtractSourceParts,
): ToolSource & ToolCaller {
  return {
    find: source.find,
    check: async (tool, signal, args) => {
      if (!isExtract(tool)) return await source.check(tool, signal, args);
      // Without a model nothing is asked, counted or sent.
      await parts.model();
      return { tool, fillsDefaults: false, keepsPlaceholders: true, warnings: [] };
    },
    call: async (tool, args, signal) =>
      isExtract(tool) ? await extract(parts, args, signal) : await source.call(tool, args, signal),
  };
}

function isExtract({ server, raw }: Tool): boolean {
  return server === BUILTIN_SERVER && (raw as string) === EXTRACT;
}

async function extract(
  { model, onTokens }: ExtractSourceParts,
  args: JsonObject,
  signal: AbortSignal,
): Promise<ToolAnswer> {
  const [{ extractValue }, { createValidator }] = await Promise.all([
    import("../../extract/extract.ts"),
    import("../../schema/validator.ts"),
  ]);
  const parts = { model: await model(), validator: createValidator(), mark: randomUUID(), onTokens };
  const value = own(args, "value") ?? null;
  const schema: Json | undefined = own(args, "schema");
  try {
    const structured = await extractValue(
      parts,
      { value, schema: isJsonObject(schema) ? schema : {} },
      signal,
    );
    return { content: [], structured, isError: false };
  } catch (thrown) {
    if (signal.aborted) throw thrown;
    throw failure(toMcpfsError(thrown));
  }
}

/** To have asked a model in vain changes nothing anywhere: the call has failed, and is not of unknown outcome. */
function failure({ code, message, hint, cause }: McpfsError): McpfsError {
  return code === "TOOL_ERROR" || code === "INTERNAL"
    ? new McpfsError(code, message, { hint, cause })
    : new McpfsError("TOOL_ERROR", `The model could not be asked: ${message}`, { hint, cause });
}
