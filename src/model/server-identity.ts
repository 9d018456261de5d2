import { digestJson } from "../kernel/digest.ts";
import { type Hint, McpfsError } from "../kernel/errors.ts";
import { trustServers } from "../kernel/next-steps.ts";
import type { ServerName } from "./names.ts";

/**
 * What decides which code runs and which address is asked, as the config writes it: variables are not replaced and no value
 * of `env` or `headers` is in it, so that it is the same on every machine and a key that was renewed asks nobody again.
 */
export interface ServerIdentity {
  readonly kind: "stdio" | "http" | "sse" | "builtin";
  /** Program and arguments; empty where there is none. */
  readonly command: readonly string[];
  readonly cwd: string;
  /** Where the server listens; empty for a program. */
  readonly url: string;
  readonly envFile: string;
  /** Names, sorted. */
  readonly env: readonly string[];
  readonly headers: readonly string[];
  /** Names of the variables that the values of `env`, `headers` and `oauth` are made of, sorted: another one is another secret sent. */
  readonly variables: readonly string[];
  /** Where a secret of `oauth` goes, and in whose name; absent where the entry has none, as it is for most. */
  readonly oauth?: { readonly grant: string; readonly clientId: string; readonly issuer: string };
  /** Values of those variables of `env` that decide which code a program loads (`NODE_OPTIONS`). */
  readonly loaders: Readonly<Record<string, string>>;
  /** The module that renames the tools: code of the workspace that runs in mcpfs itself, so its text counts too. */
  readonly rename: { readonly path: string; readonly digest: string } | undefined;
}

/** What wants the user's trust: a server of the config, or a model's endpoint. */
export interface Trustee {
  readonly name: ServerName;
  /** What is approved; absent where nothing needs to be. */
  readonly identity: ServerIdentity | undefined;
  readonly isEnabled: boolean;
}

/** Digest of an identity: 64 hexadecimal characters. */
export function identityDigest(identity: ServerIdentity): string {
  return digestJson(identity);
}

/** The error of a server that this user has not approved. It costs that server only. */
export function untrustedServer(server: ServerName, hint: Hint = trustServers()): McpfsError {
  return new McpfsError(
    "UNTRUSTED",
    `You have not trusted server ${server}: what it starts is new or has changed since.`,
    { hint, data: { server } },
  );
}
