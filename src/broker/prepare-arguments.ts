import { McpfsError } from "../kernel/errors.ts";
import { isDeeperThan, isJsonObject, type Json, type JsonObject, stringifyJson } from "../kernel/json.ts";
import type { Vault } from "../masking/vault.ts";
import { type Limits, raiseHint } from "../model/run.ts";
import { fillDefaults } from "../schema/fill-defaults.ts";
import type { Validator } from "../schema/validator.ts";
import type { CurrentTool } from "./ports.ts";

/** What making the arguments of a call ready takes. */
export interface ArgumentParts {
  readonly vault: Vault;
  readonly validator: Validator;
  readonly limits: Pick<Limits, "argumentBytes">;
}

/**
 * The arguments as the server gets them: a private copy with placeholders replaced and, where the config says so, defaults filled; within
 * the limits, and valid against the definition as it is now. Nothing is asked or sent before.
 * @throws McpfsError ARGUMENTS_INVALID with path, expectation and the nearest valid key or value; LIMIT_ARGUMENTS
 */
export function prepareArguments(
  { vault, validator, limits }: ArgumentParts,
  { tool, fillsDefaults, keepsPlaceholders = false, warnings }: CurrentTool,
  given: Json,
): JsonObject {
  const object = argumentObject(given);
  const unmasked = keepsPlaceholders ? object : vault.unmask(object);
  if (isDeeperThan(unmasked, MAX_DEPTH)) {
    throw new McpfsError("LIMIT_ARGUMENTS", `The arguments nest deeper than ${MAX_DEPTH} levels.`, {
      hint: "Send flatter data.",
    });
  }
  const args = fillsDefaults ? fillDefaults(tool.inputSchema, unmasked) : unmasked;
  const size = Buffer.byteLength(stringifyJson(args));
  if (size > limits.argumentBytes) {
    throw new McpfsError(
      "LIMIT_ARGUMENTS",
      `The arguments take ${size} bytes; the limit is ${limits.argumentBytes}.`,
      { hint: raiseHint("Send less at once.", "argumentBytes", limits.argumentBytes) },
    );
  }
  const { faults } = validator.judge(`${tool.wire} input ${tool.digest}`, tool.inputSchema, args);
  if (faults.length === 0) return args;
  throw new McpfsError(
    "ARGUMENTS_INVALID",
    `The arguments do not fit ${tool.server}/${tool.raw}: ${faults.join(" ")}`,
    // That the definition is another one than the caller may know explains most of these.
    { hint: [...warnings, `Read ${tool.file} for the tool's input type.`].join(" "), data: { faults } },
  );
}

/** No tool means more; printing and judging values by recursion would overflow the stack some thousand levels down. */
export const MAX_DEPTH = 1_000;

function argumentObject(value: Json): JsonObject {
  if (isJsonObject(value)) return value;
  throw new McpfsError("ARGUMENTS_INVALID", "The arguments of a tool must be one object.", {
    hint: "Pass them by name: { id: 1 }.",
  });
}
