import type { JsonObject } from "../kernel/json.ts";

/** What a server gets for a request of its own. */
export type ClientAnswer =
  | { readonly kind: "result"; readonly result: JsonObject }
  | { readonly kind: "error"; readonly code: number; readonly message: string };

/** JSON-RPC: no such method; parameters that make no sense. */
export const METHOD_NOT_FOUND = -32601;
export const INVALID_PARAMS = -32602;
