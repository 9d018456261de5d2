import { type Json, type JsonObject, own } from "../kernel/json.ts";
import { partOfBlock } from "./content-parts.ts";
import { printPart, type Role } from "./print-part.ts";
import type { Fitted, Vendor } from "./vendor.ts";

/** The messages of a prompt, in the shapes in which vendors take a conversation. A fourth vendor is one method more. */
export interface PortablePrompt {
  /** As the server gave them: `role` and `content`. Untrusted. */
  readonly messages: readonly Json[];
  /** `messages` of Anthropic's Messages API. */
  readonly toAnthropic: () => Fitted<readonly JsonObject[]>;
  /** `input` of OpenAI's Responses API. */
  readonly toOpenAI: () => Fitted<readonly JsonObject[]>;
  /** `contents` of Gemini's API. */
  readonly toGemini: () => Fitted<readonly JsonObject[]>;
}

/** Makes the messages of a prompt portable. */
export function portablePrompt(messages: readonly Json[]): PortablePrompt {
  const shaped = (
    vendor: Vendor,
    wrap: (role: Role, part: JsonObject) => JsonObject,
  ): Fitted<readonly JsonObject[]> => {
    const printed = messages.flatMap((message) => {
      // Any other role is not one of MCP's; what nobody said is not the model's.
      const role = own(message, "role") === "assistant" ? "assistant" : "user";
      const content = own(message, "content") ?? null;
      const blocks: readonly Json[] = Array.isArray(content) ? content : [content];
      return blocks.map((block) => ({ role, ...printPart(partOfBlock(block), vendor, role) }) as const);
    });
    return {
      value: printed.map(({ role, value }) => wrap(role, value)),
      changes: printed.flatMap(({ lost }) => lost ?? []),
    };
  };
  return {
    messages,
    toAnthropic: () => shaped("anthropic", (role, part) => ({ role, content: [part] })),
    toOpenAI: () => shaped("openai", (role, part) => ({ type: "message", role, content: [part] })),
    toGemini: () =>
      shaped("gemini", (role, part) => ({ role: role === "user" ? "user" : "model", parts: [part] })),
  };
}
