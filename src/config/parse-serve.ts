import type { McpfsError } from "../kernel/errors.ts";
import type { Limits } from "../model/run.ts";
import type { ServeMode } from "../model/serve-mode.ts";
import { type ConfigContext, createEntryReader } from "./entry-reader.ts";
import type { JsonText } from "./json-text.ts";
import type { LimitsShape } from "./schema-parts.ts";
import type { OAuthShape, ServeShape } from "./serve-schema.ts";

/** How the workspace is served to MCP clients: the key `serve`, with defaults filled in. */
export interface ServeConfig {
  readonly mode: ServeMode;
  /** In mode `discover`: a tool whose details were asked joins the list. */
  readonly appends: boolean;
  /** `text`: all answers as text, no output schemas. `structured`: as JSON values with a schema, and next to no text. */
  readonly results: "text" | "structured";
  /** `client`: whoever calls `resume_run` may approve what waits, a model too. */
  readonly approvals: "person" | "client";
  readonly hosts: readonly string[];
  readonly origins: readonly string[];
  readonly clients: readonly ServeClient[];
  readonly oauth: OAuthShape | undefined;
  /** A variable that is missing: `serve` does not start, all other commands do. */
  readonly problem: McpfsError | undefined;
  /** Tokens, which must never be shown. */
  readonly secrets: readonly string[];
}

/** A client of `--http`, known by its token. */
export interface ServeClient {
  readonly name: string;
  /** A secret. */
  readonly token: string;
  readonly mode: ServeMode | undefined;
  readonly runsAtOnce: number;
  readonly limits: Partial<Limits>;
}

/** Scripts of one client at once, where the config says nothing. */
export const DEFAULT_RUNS_AT_ONCE = 8;
/** A token that can be guessed is none. */
export const MIN_TOKEN_LENGTH = 16;
/** What makes a good one. */
export const TOKEN_HINT = "Make one with: openssl rand -hex 32";

/** Parses the key `serve`, whose shape was checked; `readLimits` is the file's own reading of limits. */
export function parseServe(
  shape: ServeShape,
  source: { readonly document: JsonText; readonly context: ConfigContext; readonly warnings: string[] },
  readLimits: (limits: LimitsShape) => Partial<Limits>,
): ServeConfig {
  const reader = createEntryReader({ ...source, at: ["serve"] });
  const clients = Object.entries(shape.clients ?? {}).map(([name, client]): ServeClient => {
    const path = ["clients", name, "token"];
    const token = reader.text(client.token, path);
    if (token.length < MIN_TOKEN_LENGTH && reader.error() === undefined)
      reader.problem(path, `must have at least ${MIN_TOKEN_LENGTH} characters.`, TOKEN_HINT);
    return {
      name,
      token,
      mode: client.mode,
      runsAtOnce: client.runsAtOnce ?? DEFAULT_RUNS_AT_ONCE,
      limits: readLimits(client.limits ?? {}),
    };
  });
  const oauth =
    shape.oauth === undefined
      ? undefined
      : { ...shape.oauth, clientSecret: reader.text(shape.oauth.clientSecret, ["oauth", "clientSecret"]) };
  const secrets = [
    ...clients.map(({ token }) => token),
    ...(oauth === undefined ? [] : [oauth.clientSecret]),
  ];
  return {
    mode: shape.mode ?? "auto",
    appends: shape.append ?? false,
    results: shape.results ?? "text",
    approvals: shape.approvals ?? "person",
    hosts: shape.hosts ?? [],
    origins: shape.origins ?? [],
    clients,
    oauth,
    problem: reader.error(),
    secrets: secrets.filter((secret) => secret !== ""),
  };
}
