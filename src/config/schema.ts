import { z } from "zod";
import type { JsonObject } from "../kernel/json.ts";
import { DEFAULT_LIMITS, LIMIT_TABLE, type Limits, printLimit } from "../model/run.ts";
import type { Isolation } from "../model/sandbox.ts";
import { type ContextShape, contextSchema } from "./context-schema.ts";
import {
  DURATION_FORM,
  DURATION_PATTERN,
  readDuration,
  readSize,
  SIZE_FORM,
  SIZE_PATTERN,
} from "./durations.ts";
import { type ModelsShape, modelsSchema, type SearchShape, searchSchema } from "./models-schema.ts";
import { type PolicyShape, policySchema } from "./policy-schema.ts";
import { type RunsShape, runsObject } from "./runs-schema.ts";
import type { LimitsShape } from "./schema-parts.ts";
import { flag, onChange, text } from "./schema-parts.ts";
import { type ServeShape, serveSchema } from "./serve-schema.ts";
import { serverSchema } from "./server-schema.ts";

/**
 * The shape of `mcpfs.json`, once: the parser and the editors' JSON Schema come from it. The message of each part
 * says what is expected, and stands in the sentence "X must be …". Unknown keys are allowed here; the parser warns.
 */

const duration = z
  .custom<string | number>((value) => readDuration(value) !== undefined, { error: DURATION_FORM })
  .meta({
    anyOf: [
      { type: "number", exclusiveMinimum: 0 },
      { type: "string", pattern: DURATION_PATTERN.source },
    ],
  });
const size = z
  .custom<string | number>((value) => readSize(value) !== undefined, { error: SIZE_FORM })
  .meta({
    anyOf: [
      { type: "number", exclusiveMinimum: 0 },
      { type: "string", pattern: SIZE_PATTERN.source },
    ],
  });
const amount = z
  .int({ error: "a whole number" })
  .min(0, { error: "at least 0" })
  .max(Number.MAX_SAFE_INTEGER, { error: "a smaller number" });

/** A limit of the file, at most what the table says; the default stands in its description. */
function limit<Value extends string | number>(
  form: z.ZodType<Value>,
  name: keyof Limits,
  what: string,
): z.ZodOptional<z.ZodType<Value>> {
  const { max } = LIMIT_TABLE[name];
  const amountOf = (value: string | number): number =>
    (name.endsWith("Ms") ? readDuration(value) : name.endsWith("Bytes") ? readSize(value) : Number(value)) ??
    0;
  return form
    .refine((value) => amountOf(value) <= max, { error: `at most ${printLimit(name, max)}` })
    .describe(`${what} Default: ${printLimit(name, DEFAULT_LIMITS[name])}.`)
    .optional();
}

const limitsObject = z.looseObject(
  {
    timeout: limit(duration, "wallMs", "Wall time of a run."),
    cpu: limit(duration, "cpuMs", "Time that the script computes."),
    call: limit(duration, "callMs", "Time of one call; each server's own timeoutMs counts too."),
    memory: limit(size, "memoryBytes", "Memory of the sandbox."),
    maxCalls: limit(amount, "maxCalls", "Calls to servers in one run."),
    maxCallsPerTool: limit(amount, "maxCallsPerTool", "Calls of one tool in one run."),
    maxCallsAtOnce: limit(
      amount.min(1, { error: "at least 1" }),
      "maxCallsAtOnce",
      "Calls to servers at once; more wait.",
    ),
    callsPerSecond: limit(
      amount.min(1, { error: "at least 1" }),
      "callsPerSecond",
      "Calls to servers that begin within one second.",
    ),
    callsPerMinute: limit(
      amount.min(1, { error: "at least 1" }),
      "callsPerMinute",
      "Calls to servers that begin within one minute.",
    ),
    maxOutput: limit(size, "outputBytes", "Console output and value, as they go to the model."),
    maxArguments: limit(size, "argumentBytes", "Arguments of one call."),
    maxResult: limit(size, "resultBytes", "Result of one call, and value of a run."),
    maxBundle: limit(size, "bundleBytes", "The bundled script."),
  },
  { error: "an object of limits" },
);

const sandboxObject = z.looseObject(
  {
    isolation: z
      .enum(["worker", "process"], { error: "worker or process" })
      .describe(
        "Where scripts run: in a thread of this process (default), or in a process of their own that has no permissions and no environment.",
      )
      .optional(),
  },
  { error: "an object with isolation" },
);

const serveObject = serveSchema(limitsObject);

/** The keys that `sandbox` may have. */
export const SANDBOX_KEYS: readonly string[] = Object.keys(sandboxObject.shape);

/** The keys that `serve` may have. */
export const SERVE_KEYS: readonly string[] = Object.keys(serveObject.shape);

/** The keys that `limits` may have. */
export const LIMIT_KEYS: readonly string[] = Object.keys(limitsObject.shape);

const SERVERS = "an object from server names to servers";
const fileObject = z.looseObject(
  {
    $schema: text.describe("Where an editor finds this schema.").optional(),
    mcpServers: z
      .record(z.string(), z.unknown(), { error: SERVERS })
      .describe("The MCP servers, as Claude Desktop and Cursor write them.")
      .optional(),
    servers: z
      .record(z.string(), z.unknown(), { error: SERVERS })
      .describe("VS Code's word for mcpServers.")
      .optional(),
    inputs: z
      .array(z.unknown(), { error: "a list of inputs" })
      .describe("VS Code's inputs; the input search-key is read from the environment variable SEARCH_KEY.")
      .optional(),
    limits: limitsObject.describe("Bounds of a run.").optional(),
    onChange: onChange
      .describe(
        "When a server's definition differs from the accepted one: accept it, warn, or hold it back. Default: warn.",
      )
      .optional(),
    fillDefaults: flag
      .describe(
        "true fills arguments that a call leaves out with the defaults of the tool's schema. Default: false.",
      )
      .optional(),
    policy: policySchema
      .describe(
        "What calls are allowed, asked about or denied: open, balanced (default), strict, or rules before one of these.",
      )
      .optional(),
    privacy: z.unknown().describe("What is masked in results.").optional(),
    search: searchSchema.describe("How tools are found.").optional(),
    runs: runsObject.describe("How runs are recorded, and how long their records are kept.").optional(),
    sandbox: sandboxObject.describe("How scripts are confined.").optional(),
    serve: serveObject.describe("How the workspace is served to MCP clients.").optional(),
    context: contextSchema
      .describe("When tools are handed to a model directly, found or scripted.")
      .optional(),
    models: modelsSchema.describe("Which models help.").optional(),
  },
  { error: "an object with the key mcpServers" },
);

/** What the file's top level lets through; each server is checked by {@link serverSchema}, so that a bad one costs only itself. */
export interface FileShape {
  readonly mcpServers?: Readonly<Record<string, unknown>> | undefined;
  readonly servers?: Readonly<Record<string, unknown>> | undefined;
  readonly limits?: LimitsShape | undefined;
  readonly runs?: RunsShape | undefined;
  readonly onChange?: "accept" | "warn" | "hold" | undefined;
  readonly fillDefaults?: boolean | undefined;
  readonly policy?: PolicyShape | undefined;
  readonly sandbox?: { readonly isolation?: Isolation | undefined } | undefined;
  readonly serve?: ServeShape | undefined;
  readonly context?: ContextShape | undefined;
  readonly search?: SearchShape | undefined;
  readonly models?: ModelsShape | undefined;
}

/** Checks the file's top level. */
export const fileSchema: z.ZodType<FileShape> = fileObject;

/** The keys that the file may have. */
export const FILE_KEYS: readonly string[] = Object.keys(fileObject.shape);

/** The JSON Schema (draft 7, which editors know best) of `mcpfs.json`, for completion and red lines while typing. */
export function configJsonSchema(): JsonObject {
  // The reserved name in every spelling, since folders on many disks know no case.
  const name = z.string().regex(/^(?![mM][cC][pP][fF][sS]$)[\s\S]/);
  const servers = z.record(name, serverSchema);
  const whole = fileObject.extend({
    mcpServers: servers.describe("The MCP servers, as Claude Desktop and Cursor write them.").optional(),
    servers: servers.describe("VS Code's word for mcpServers.").optional(),
  });
  const schema = z.toJSONSchema(whole, { target: "draft-7", unrepresentable: "any" });
  // The copy leaves zod's own members behind, which are not enumerable.
  return { title: "mcpfs.json", ...(JSON.parse(JSON.stringify(schema)) as JsonObject) };
}

/** The text of the file `mcpfs.schema.json`. */
export function configSchemaText(): string {
  return `${JSON.stringify(configJsonSchema(), null, 2)}\n`;
}
