import { McpfsError } from "../kernel/errors.ts";
import { isJsonObject, type Json, own } from "../kernel/json.ts";
import type { ToolAnswer } from "../model/call.ts";
import type { ServerName } from "../model/names.ts";

/** Takes what is there: an answer without content, blocks of unknown types and structured values of any kind pass. */
export function toolAnswer(result: Json, isModern: boolean, server: ServerName, tool: string): ToolAnswer {
  if (!isJsonObject(result) && result !== null) throw noObject(server, `the call of ${tool}`);
  const content = own(result, "content");
  const structured = own(result, "structuredContent");
  return {
    content: Array.isArray(content) ? (content as readonly Json[]) : [],
    // Before 2026-07-28 it was an object; a `null` there is an empty field that a server printed.
    structured: structured === null && !isModern ? undefined : structured,
    isError: own(result, "isError") === true,
  };
}

/** The contents of a read resource, as a list. */
export interface ResourceAnswer extends ToolAnswer {
  /** How long the server says that they stay fresh; 0 where it does not say. */
  readonly ttlMs: number;
}

/** Makes the answer of a read resource. */
export function resourceAnswer(result: Json, server: ServerName): ResourceAnswer {
  const contents = own(result, "contents");
  if (!Array.isArray(contents)) throw noObject(server, "the reading of a resource");
  const ttlMs = own(result, "ttlMs");
  return {
    content: [],
    structured: contents as readonly Json[],
    isError: false,
    ttlMs: typeof ttlMs === "number" && ttlMs > 0 ? ttlMs : 0,
  };
}

/** The messages of a prompt, with its description where it has one. */
export function promptAnswer(result: Json, server: ServerName): ToolAnswer {
  const messages = own(result, "messages");
  const description = own(result, "description");
  if (!Array.isArray(messages)) throw noObject(server, "the request for a prompt");
  return {
    content: [],
    structured: {
      ...(typeof description === "string" ? { description } : {}),
      messages: messages as readonly Json[],
    },
    isError: false,
  };
}

function noObject(server: ServerName, what: string): McpfsError {
  return new McpfsError("SERVER_FAILED", `Server ${server} answered ${what} with something else.`, {
    hint: "Whether it took effect is not known. Report this to the makers of the server.",
  });
}
