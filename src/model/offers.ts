import type { JsonObject } from "../kernel/json.ts";

/** A resource that its server lists: with a URI and a name that are text, and nothing else changed. Untrusted. */
export interface RawResource extends JsonObject {
  readonly uri: string;
  readonly name: string;
}

/** A resource template (RFC 6570) that its server lists. Untrusted. */
export interface RawTemplate extends JsonObject {
  readonly uriTemplate: string;
  readonly name: string;
}

/** A prompt that its server lists. Untrusted. */
export interface RawPrompt extends JsonObject {
  readonly name: string;
}

/** What a server has besides tools. */
export interface Offers {
  readonly resources: readonly RawResource[];
  readonly templates: readonly RawTemplate[];
  readonly prompts: readonly RawPrompt[];
}

/** A server with tools only. */
export const NO_OFFERS: Offers = { resources: [], templates: [], prompts: [] };
