import { z } from "zod";
import { SERVE_MODES, type ServeMode } from "../model/serve-mode.ts";
import { flag, type LimitsShape, text, texts } from "./schema-parts.ts";

const mode = z.enum(SERVE_MODES, { error: "auto, direct, discover or code" });

/** What `serve` of the file lets through. */
export interface ServeShape {
  readonly mode?: ServeMode | undefined;
  readonly append?: boolean | undefined;
  readonly results?: "text" | "structured" | undefined;
  readonly approvals?: "person" | "client" | undefined;
  readonly hosts?: readonly string[] | undefined;
  readonly origins?: readonly string[] | undefined;
  readonly clients?: Readonly<Record<string, ServeClientShape>> | undefined;
  readonly oauth?: OAuthShape | undefined;
}

/** One client of `serve.clients`. */
export interface ServeClientShape {
  readonly token: string;
  readonly mode?: ServeMode | undefined;
  readonly runsAtOnce?: number | undefined;
  readonly limits?: LimitsShape | undefined;
}

/** How tokens of an authorization server are judged (RFC 7662) and where clients find it (RFC 9728). */
export interface OAuthShape {
  readonly issuer: string;
  readonly introspection: string;
  readonly clientId: string;
  readonly clientSecret: string;
  readonly resource: string;
  readonly scopes?: readonly string[] | undefined;
}

/** The schema of the key `serve`; `limits` is that of the file's own key of this name. */
export function serveSchema(
  limits: z.ZodType<LimitsShape>,
): z.ZodType<ServeShape> & { readonly shape: Readonly<Record<string, unknown>> } {
  const client = z.looseObject(
    {
      token: text.describe("What the client sends as bearer token; best a variable of the environment."),
      mode: mode.describe("As serve.mode, for this client.").optional(),
      runsAtOnce: z
        .int({ error: "a whole number" })
        .min(1, { error: "at least 1" })
        .max(1_000, { error: "at most 1000" })
        .describe("Scripts of this client at once; more wait. Default: 8.")
        .optional(),
      limits: limits.describe("Bounds of this client's runs.").optional(),
    },
    { error: "an object with token" },
  );
  const oauth = z.looseObject(
    {
      issuer: text.describe("The authorization server, as clients find it."),
      introspection: text.describe("Where tokens are judged (RFC 7662)."),
      clientId: text.describe("How mcpfs names itself there."),
      clientSecret: text.describe("Its secret; best a variable of the environment."),
      resource: text.describe("The address of this server, which a token must be meant for."),
      scopes: texts.describe("Scopes that a token must have.").optional(),
    },
    { error: "an object with issuer, introspection, clientId, clientSecret and resource" },
  );
  return z.looseObject(
    {
      mode: mode
        .describe(
          "What clients get: every tool (direct), tools that find tools (discover), those and scripts (code), or what fits (auto, default).",
        )
        .optional(),
      append: flag
        .describe("true: in mode discover a tool whose details were asked joins the end of the list.")
        .optional(),
      results: z
        .enum(["text", "structured"], { error: "text or structured" })
        .describe("Answers as text (default), or as JSON with an output schema; never both.")
        .optional(),
      approvals: z
        .enum(["person", "client"], { error: "person or client" })
        .describe(
          "Who may approve calls that wait: a person, asked by the client or at a terminal (default), or whoever calls resume_run.",
        )
        .optional(),
      hosts: texts
        .describe("Names, besides those of this machine, by which clients may reach --http.")
        .optional(),
      origins: texts.describe("Web pages that may reach --http: https://example.com.").optional(),
      clients: z
        .record(z.string(), client, { error: "an object from names to clients" })
        .describe("Who may use --http, each with a token, and limits of its own.")
        .optional(),
      oauth: oauth.describe("Tokens of an authorization server for --http.").optional(),
    },
    { error: "an object that says how the workspace is served" },
  );
}
