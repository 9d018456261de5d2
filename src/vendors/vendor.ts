import type { JsonObject } from "../kernel/json.ts";

/** Whose model is asked: each takes tools, resources and prompts in a shape of its own. */
export type Vendor = "anthropic" | "openai" | "gemini";

export const VENDORS: readonly Vendor[] = ["anthropic", "openai", "gemini"];

/** Something in a vendor's shape, and what had to be changed for it. */
export interface Fitted<Value = JsonObject> {
  readonly value: Value;
  /** A sentence each, with the place in front; empty where nothing was changed. */
  readonly changes: readonly string[];
}

export interface OfferOptions {
  /** Asks the vendor to keep the model to the schema; left out, with a change that says why, where the schema cannot be said so. */
  readonly isStrict?: boolean;
  /** The definition is kept out of the prompt until the vendor's own tool search finds it. */
  readonly isDeferred?: boolean;
}

/** Takes down what was changed, at a path such as `filter.tags[]`; the root has none. */
export type Note = (path: string, sentence: string) => void;

/** Collects notes as sentences. */
export function createNotes(): { readonly note: Note; readonly list: () => readonly string[] } {
  const found = new Set<string>();
  return {
    note: (path, sentence) => {
      found.add(`${path === "" ? "the arguments" : path}: ${sentence}`);
    },
    list: () => [...found],
  };
}
