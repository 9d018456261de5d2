import type { Json, JsonObject } from "../kernel/json.ts";
import type { ServedTool } from "../protocol/served.ts";
import { createValidator } from "../schema/validator.ts";

/** A tool of a demo server: its definition exactly as it goes out, and what a call does. */
export interface DemoTool {
  readonly definition: ServedTool;
  /** `args` are untrusted; what does not fit `inputSchema` is answered as a failure. */
  readonly call: (args: Json, request: DemoRequest) => Promise<Reply>;
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

/** A tool whose `run` gets arguments that fit `definition.inputSchema`; `Input` is that schema as a type. */
export function demoTool<Input>(
  definition: ServedTool,
  run: (input: Input, request: DemoRequest) => Reply | Promise<Reply>,
): DemoTool {
  const validator = createValidator();
  return {
    definition,
    call: async (args, request) => {
      const { faults } = validator.judge(definition.name, definition.inputSchema, args);
      if (faults.length === 0) return await run(args as Input, request);
      return failure(`Invalid arguments for ${definition.name}: ${faults.join(" ")}`);
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
export const READS: JsonObject = { readOnlyHint: true, openWorldHint: false };
