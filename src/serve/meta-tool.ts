import type { JsonObject } from "../kernel/json.ts";
import type { CallerSide } from "../model/caller-side.ts";
import type { ServedTool } from "../protocol/served.ts";
import type { Client } from "./clients.ts";

/** A tool of ours, among the few that stay the same whatever servers there are. */
export interface MetaTool {
  readonly definition: ServedTool & { readonly outputSchema: JsonObject };
  /** @param args fit `definition.inputSchema` @throws McpfsError whatever keeps it from an answer */
  readonly run: (args: JsonObject, call: MetaCall) => Promise<MetaAnswer>;
}

/** Who calls a tool of ours. */
export interface MetaCall {
  readonly client: Client;
  readonly side: CallerSide;
  readonly signal: AbortSignal;
  /** Puts a tool of a server at the end of the client's list; does nothing where the client has all or none of them. */
  readonly append: (wire: string) => void;
}

/** An answer in its two forms, of which a client gets one: text for a model, or a value that fits the output schema. */
export interface MetaAnswer {
  readonly text: string;
  readonly value: JsonObject;
  /** The answer is no; the client gets the text. */
  readonly isError?: boolean;
  /** Further blocks: links to what was cut, images. */
  readonly blocks?: readonly JsonObject[];
  /** All blocks as a server gave them, in its order: what a client that gets text is given instead of `text` and `blocks`. */
  readonly asGiven?: readonly JsonObject[];
}

/** The claims of a tool of ours that only looks. */
export const LOOKS: JsonObject = { readOnlyHint: true, openWorldHint: false };
/** Of one that calls tools of servers: it may do all that they do. */
export const ACTS: JsonObject = { readOnlyHint: false, destructiveHint: true, openWorldHint: true };
/** Of one that changes the workspace, and does no more when it is called again. */
export const KEEPS: JsonObject = {
  readOnlyHint: false,
  destructiveHint: false,
  idempotentHint: true,
  openWorldHint: false,
};

/** An object schema; a member whose name ends in `?` may be missing. */
export function shape(
  members: Readonly<Record<string, JsonObject>>,
): JsonObject & { readonly type: "object" } {
  const entries = Object.entries(members);
  const required = entries.map(([name]) => name).filter((name) => !name.endsWith("?"));
  return {
    type: "object",
    properties: Object.fromEntries(entries.map(([name, schema]) => [name.replace(/\?$/, ""), schema])),
    ...(required.length === 0 ? {} : { required }),
    additionalProperties: false,
  };
}

export const TEXT: JsonObject = { type: "string" };
export const FLAG: JsonObject = { type: "boolean" };
export const WHOLE: JsonObject = { type: "integer" };
export const ANYTHING: JsonObject = {};

export function listOf(items: JsonObject): JsonObject {
  return { type: "array", items };
}

export function oneOf(...values: readonly string[]): JsonObject {
  return { enum: values };
}

/** A schema with a sentence for the model. */
export function said(schema: JsonObject, description: string): JsonObject {
  return { ...schema, description };
}
