import type { AuthorizationServerMetadata } from "@modelcontextprotocol/client";
import type { OAuthSettings } from "../model/credentials.ts";

/** All of the scopes, each once, separated by spaces; empty where there is none. */
export function joinScopes(...scopes: readonly (string | undefined)[]): string {
  const words = scopes.flatMap((scope) => (scope ?? "").split(" ")).filter((word) => word !== "");
  return [...new Set(words)].join(" ");
}

/** Without this scope many authorization servers give no refresh token, and a person would have to come back each hour. */
export function withOfflineAccess(
  scope: string | undefined,
  metadata: AuthorizationServerMetadata,
  { grant }: OAuthSettings,
): string | undefined {
  const isOffered = metadata.scopes_supported?.includes(OFFLINE_ACCESS) === true;
  // Where nothing is asked for, the authorization server decides; this alone would narrow that.
  if (grant === "client_credentials" || !isOffered || scope === undefined || scope === "") return scope;
  return joinScopes(scope, OFFLINE_ACCESS);
}

const OFFLINE_ACCESS = "offline_access";
