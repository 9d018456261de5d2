import { isJsonObject, type Json, type JsonObject, own } from "../kernel/json.ts";
import { oneLine } from "../kernel/text.ts";

/** What a model is to read, before it has the shape of a vendor. */
export type Part =
  | { readonly kind: "text"; readonly text: string }
  /** Text with a name: a resource. */
  | { readonly kind: "document"; readonly text: string; readonly name: string }
  | { readonly kind: "media"; readonly mimeType: string; readonly data: string; readonly name: string };

/** A block of a prompt's message (MCP, server/prompts): text, image, audio, an embedded resource or a link to one. */
export function partOfBlock(block: Json): Part {
  const resource = own(block, "resource");
  switch (own(block, "type")) {
    case "text":
      return { kind: "text", text: textOf(block, "text") };
    case "image":
    case "audio":
      return {
        kind: "media",
        mimeType: textOf(block, "mimeType"),
        data: textOf(block, "data"),
        name: String(own(block, "type")),
      };
    case "resource":
      return isJsonObject(resource) ? partOfResource(resource) : unknownPart(block);
    case "resource_link":
      return {
        kind: "text",
        text: `[resource ${oneLine(textOf(block, "uri"), 400)}: ${oneLine(textOf(block, "description") || textOf(block, "name"))}]`,
      };
    default:
      return unknownPart(block);
  }
}

/** One of the contents of a resource: `text`, or `blob` in Base64 (MCP, server/resources). */
export function partOfResource(content: JsonObject): Part {
  const name = oneLine(textOf(content, "uri"), 400);
  const blob = own(content, "blob");
  if (typeof blob === "string")
    return {
      kind: "media",
      mimeType: textOf(content, "mimeType") || "application/octet-stream",
      data: blob,
      name,
    };
  return { kind: "document", text: textOf(content, "text"), name };
}

function unknownPart(block: Json): Part {
  return { kind: "text", text: `[a block of type ${oneLine(String(own(block, "type")), 40)}]` };
}

function textOf(value: Json, key: string): string {
  const text = own(value, key);
  return typeof text === "string" ? text : "";
}
