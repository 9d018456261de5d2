import { z } from "zod";
import { MAX_DURATION_MS } from "../model/run.ts";
import { type OAuthClientShape, oauthSchema } from "./oauth-schema.ts";
import { flag, onChange, text } from "./schema-parts.ts";
import { type ToolsShape, toolsSchema } from "./tools-schema.ts";

/** Types of a server that is a program. */
export const STDIO_TYPES = ["stdio", "local"] as const;
/** Types of a server behind a URL that speaks streamable HTTP. `remote` is opencode's word. */
export const HTTP_TYPES = ["http", "streamable-http", "streamableHttp", "remote"] as const;
const SERVER_TYPES = [
  "stdio",
  "local",
  "http",
  "streamable-http",
  "streamableHttp",
  "remote",
  "sse",
] as const;

const SCALAR = "a text, a number or true/false";

/** Other clients take numbers and booleans where a text is meant. `null` is a slip. */
const scalar = z
  .custom<string | number | bigint | boolean>(
    (value) => ["string", "number", "bigint", "boolean"].includes(typeof value),
    { error: SCALAR },
  )
  .meta({ type: ["string", "number", "boolean"] });
const scalarRecord = z.record(z.string(), scalar, { error: "an object of texts" });
const serverType = z.enum(SERVER_TYPES, { error: `one of ${SERVER_TYPES.join(", ")}` });

/** One entry of `mcpServers`: exactly one of the forms program, URL and built-in; `serverForm` says the same. */
const serverObject = z
  .looseObject(
    {
      command: z
        .union([text, z.array(scalar).min(1, { error: "a list that starts with the program" })], {
          error: "a text, or a list of texts",
        })
        .describe("The program that is the server, or program and arguments as a list.")
        .optional(),
      args: z.array(scalar, { error: "a list of texts" }).describe("The program's arguments.").optional(),
      env: scalarRecord.describe("Environment variables for the program.").optional(),
      environment: scalarRecord.describe("Another word for env (opencode).").optional(),
      envFile: text.describe("A file of NAME=value lines, below env.").optional(),
      cwd: text
        .describe("The program's folder, relative to this file. Default: this file's folder.")
        .optional(),
      url: text.describe("Where the server listens: http:// or https://.").optional(),
      headers: scalarRecord.describe("HTTP headers sent with each request.").optional(),
      oauth: oauthSchema
        .describe("With url: how to sign in, where mcpfs does not find out itself.")
        .optional(),
      type: serverType.describe("How the server is reached. Default: stdio or http.").optional(),
      transport: serverType.describe("Another word for type.").optional(),
      builtin: z
        .enum(["docs", "crm"], { error: "docs or crm" })
        .describe("One of the demo servers that ship with mcpfs.")
        .optional(),
      enabled: flag.describe("false keeps the entry and switches the server off.").optional(),
      disabled: flag.describe("true is another word for enabled: false.").optional(),
      purpose: text.describe("One line that says what the server is for.").optional(),
      description: text.describe("Another word for purpose.").optional(),
      timeoutMs: z
        .int({ error: "a whole number of milliseconds" })
        .min(1, { error: "at least 1" })
        .max(MAX_DURATION_MS, { error: `at most ${MAX_DURATION_MS}` })
        .describe("Milliseconds that one request may take. Default: 60000.")
        .optional(),
      idleMs: z
        .int({ error: "a whole number of milliseconds" })
        .min(1, { error: "at least 1" })
        .max(MAX_DURATION_MS, { error: `at most ${MAX_DURATION_MS}` })
        .describe(
          "Milliseconds without a call after which its connection closes until the next. Default: 300000.",
        )
        .optional(),
      connect: z
        .enum(["eager", "lazy"], { error: "eager or lazy" })
        .describe("lazy: mcpfs watch does not keep it connected. Default: eager.")
        .optional(),
      onChange: onChange
        .describe("What to do when a definition differs from the accepted one. Default: that of the file.")
        .optional(),
      protocol: z
        .enum(["auto", "legacy", "2026-07-28"], { error: "auto, legacy or 2026-07-28" })
        .describe("Which revision of MCP to speak. Default: auto.")
        .optional(),
      learn: flag
        .describe("false learns no output types from this server's answers. Default: true.")
        .optional(),
      trustAnnotations: flag
        .describe(
          "false takes nothing of what the server says of its own tools (readOnlyHint …). Default: true.",
        )
        .optional(),
      fillDefaults: flag
        .describe("Fill left-out arguments with the schema's defaults. Default: that of the file.")
        .optional(),
      roots: flag.describe("true tells the server where the files folder (workspace/) is.").optional(),
      sampling: z
        .enum(["client", "model"], { error: "client or model" })
        .describe(
          "Lets the server ask a language model: client asks that of the client of mcpfs serve, model the small one of models. Default: none.",
        )
        .optional(),
      tools: toolsSchema
        .describe("Which tools, resources and prompts exist, their names, and the types of their answers.")
        .optional(),
    },
    { error: "an object that describes a server" },
  )
  .meta({
    id: "server",
    oneOf: [
      {
        required: ["command"],
        properties: { type: { enum: [...STDIO_TYPES] }, transport: { enum: [...STDIO_TYPES] } },
      },
      {
        required: ["url"],
        properties: { type: { enum: [...HTTP_TYPES, "sse"] }, transport: { enum: [...HTTP_TYPES, "sse"] } },
      },
      { required: ["builtin"] },
    ],
  });

/** Checks one entry of `mcpServers`. */
export const serverSchema: z.ZodType<ServerShape> = serverObject;

/** The keys that an entry of `mcpServers` may have. */
export const SERVER_KEYS: readonly string[] = Object.keys(serverObject.shape);

type Scalar = string | number | bigint | boolean;
type ServerType = (typeof SERVER_TYPES)[number];

/** What {@link serverSchema} lets through. */
export interface ServerShape {
  readonly command?: string | readonly Scalar[] | undefined;
  readonly args?: readonly Scalar[] | undefined;
  readonly env?: Readonly<Record<string, Scalar>> | undefined;
  readonly environment?: Readonly<Record<string, Scalar>> | undefined;
  readonly envFile?: string | undefined;
  readonly cwd?: string | undefined;
  readonly url?: string | undefined;
  readonly headers?: Readonly<Record<string, Scalar>> | undefined;
  readonly oauth?: OAuthClientShape | undefined;
  readonly type?: ServerType | undefined;
  readonly transport?: ServerType | undefined;
  readonly builtin?: "docs" | "crm" | undefined;
  readonly enabled?: boolean | undefined;
  readonly disabled?: boolean | undefined;
  readonly purpose?: string | undefined;
  readonly description?: string | undefined;
  readonly timeoutMs?: number | undefined;
  readonly idleMs?: number | undefined;
  readonly connect?: "eager" | "lazy" | undefined;
  readonly onChange?: "accept" | "warn" | "hold" | undefined;
  readonly protocol?: "auto" | "legacy" | "2026-07-28" | undefined;
  readonly learn?: boolean | undefined;
  readonly trustAnnotations?: boolean | undefined;
  readonly fillDefaults?: boolean | undefined;
  readonly roots?: boolean | undefined;
  readonly sampling?: "client" | "model" | undefined;
  readonly tools?: ToolsShape | undefined;
}
