import { isJsonObject, type Json, own, stringifyJson } from "../kernel/json.ts";
import { estimateTokens } from "./estimate-tokens.ts";

/** About the tokens that a call's result takes in a conversation. Bytes of pictures and sound are no text: they cost what an image costs. */
export function resultTokens(value: Json): number {
  const [text, media] = withoutMedia(value);
  return estimateTokens(text) + media * MEDIA_TOKENS;
}

/** An image of about a megapixel, as vendors count it. */
const MEDIA_TOKENS = 1_500;

function withoutMedia(value: Json): readonly [text: string, media: number] {
  if (typeof value === "string") return [value, 0];
  if (!Array.isArray(value) || !value.some(isMedia)) return [stringifyJson(value), 0];
  const rest = value.filter((block) => !isMedia(block));
  return [stringifyJson(rest), value.length - rest.length];
}

function isMedia(block: unknown): boolean {
  return (
    isJsonObject(block) &&
    typeof own(block, "data") === "string" &&
    (own(block, "type") === "image" || own(block, "type") === "audio")
  );
}
