import { isJsonObject, type Json, type JsonObject } from "../kernel/json.ts";
import { partOfResource } from "./content-parts.ts";
import { printPart } from "./print-part.ts";
import type { Fitted, Vendor } from "./vendor.ts";

/** A resource that was read, in the shapes in which vendors take what a user attaches. A fourth vendor is one method more. */
export interface PortableResource {
  /** As the server gave them: `uri`, `mimeType`, and `text` or `blob`. Untrusted. */
  readonly contents: readonly Json[];
  /** Blocks of a user's message in Anthropic's Messages API. */
  readonly toAnthropic: () => Fitted<readonly JsonObject[]>;
  /** Parts of a user's message in OpenAI's Responses API. */
  readonly toOpenAI: () => Fitted<readonly JsonObject[]>;
  /** Parts of a user's content in Gemini's API. */
  readonly toGemini: () => Fitted<readonly JsonObject[]>;
}

/** Makes the contents of a resource portable. */
export function portableResource(contents: readonly Json[]): PortableResource {
  const shaped = (vendor: Vendor): Fitted<readonly JsonObject[]> => {
    const printed = contents
      .filter(isJsonObject)
      .map((content) => printPart(partOfResource(content), vendor, "user"));
    return { value: printed.map(({ value }) => value), changes: printed.flatMap(({ lost }) => lost ?? []) };
  };
  return {
    contents,
    toAnthropic: () => shaped("anthropic"),
    toOpenAI: () => shaped("openai"),
    toGemini: () => shaped("gemini"),
  };
}
