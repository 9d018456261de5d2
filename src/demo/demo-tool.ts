import { fromJsonSchema, type JsonSchemaType, type Tool } from "@modelcontextprotocol/server";
import type { JsonObject } from "../kernel/json.ts";

/** A tool of a demo server: its definition exactly as it goes out, and what a call does. */
export interface DemoTool {
  readonly definition: Tool;
  /** `args` are untrusted; what does not fit `inputSchema` is answered as a failure. */
  readonly call: (args: unknown, request: DemoRequest) => Promise<Reply>;
}

/** What a tool may want to know about the call it answers. */
export interface DemoRequest {
  /** Aborts when the client cancels the call or goes away. */
  readonly signal: AbortSignal;
  /** Tells the client how far the call is; says nothing where the client did not ask. */
  readonly reportProgress: (progress: number, total: number, message: string) => Promise<void>;
}

/** What a tool answers. */
export type Reply =
  /** `structuredContent`, with `text` for clients that read text only; without one the JSON itself. */
  | { readonly kind: "value"; readonly value: JsonObject; readonly text?: string }
  | { readonly kind: "text"; readonly text: string }
  /** `isError`: the call was understood, and the answer is no. */
  | { readonly kind: "failure"; readonly text: string };

/** A definition whose input schema is known to be one. */
export interface DemoDefinition extends Tool {
  inputSchema: Tool["inputSchema"] & JsonSchemaType;
}

/** A tool whose `run` gets arguments that fit `definition.inputSchema`; `Input` is that schema as a type. */
export function demoTool<Input>(
  definition: DemoDefinition,
  run: (input: Input, request: DemoRequest) => Reply | Promise<Reply>,
): DemoTool {
  return {
    definition,
    call: async (args, request) => {
      const checked = await fromJsonSchema<Input>(definition.inputSchema)["~standard"].validate(args);
      if (checked.issues === undefined) return await run(checked.value, request);
      const problems = checked.issues.map((issue) => issue.message).join("; ");
      return failure(`Invalid arguments for ${definition.name}: ${problems}`);
    },
  };
}

/** The answer `isError` with a sentence that helps. */
export function failure(text: string): Reply {
  return { kind: "failure", text };
}

/** A structured answer. */
export function value(answer: JsonObject, text?: string): Reply {
  return text === undefined ? { kind: "value", value: answer } : { kind: "value", value: answer, text };
}

/** The tool's claims about itself: it reads and changes nothing. */
export const READS: NonNullable<Tool["annotations"]> = { readOnlyHint: true, openWorldHint: false };
