import { isJsonObject, type Json } from "../kernel/json.ts";
import { nearestOf } from "../kernel/nearest.ts";

/** The keys of an object that mcpfs does not know, each with what to say of it; keys that start as comments do are notes. */
export function unknownKeys(
  value: Json | undefined,
  known: readonly string[],
): readonly { readonly key: string; readonly sentence: string }[] {
  if (!isJsonObject(value)) return [];
  const strange = Object.keys(value).filter((key) => !known.includes(key) && !/^(_|\/\/)/.test(key));
  return strange.map((key) => {
    const [near] = nearestOf(key, known, 1);
    const question = near === undefined ? "." : `; did you mean ${near}?`;
    return { key, sentence: `has no meaning for mcpfs${question}` };
  });
}
