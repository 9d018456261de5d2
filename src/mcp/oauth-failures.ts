import { OAuthError, OAuthErrorCode, RegistrationRejectedError } from "@modelcontextprotocol/client";
import { type Hint, McpfsError } from "../kernel/errors.ts";
import { type Failures, findMcpfsError } from "./failures.ts";

/** True where the authorization server says that what it was given counts no more: asking again changes nothing. */
export function isRefusal(error: unknown): error is OAuthError {
  return error instanceof OAuthError && FINAL.has(error.code);
}

const FINAL: ReadonlySet<string> = new Set([
  OAuthErrorCode.InvalidGrant,
  OAuthErrorCode.InvalidClient,
  OAuthErrorCode.UnauthorizedClient,
]);

/** What an authorization server or the way to it says, on one line. Untrusted words are redacted and visible. */
export function oauthReason(error: unknown, failures: Failures): string {
  if (findMcpfsError(error) !== undefined) return failures.reason(error);
  if (error instanceof OAuthError) return failures.shown(`${error.code}: ${error.message}`);
  if (error instanceof RegistrationRejectedError)
    return failures.shown(`it refuses to register mcpfs (HTTP ${error.status}): ${error.body}`);
  return failures.reason(error);
}

/**
 * The error of an attempt to get credentials. Errors of ours that say the cause stay; all else is a server that failed: whoever waits
 * for a call learns that it was never sent.
 * @param what begins the sentence: `The credentials of server x could not be renewed`
 */
export function oauthFailure(error: unknown, failures: Failures, what: string, hint: Hint): McpfsError {
  const ours = findMcpfsError(error);
  if (ours?.code === "AUTH_REQUIRED" || ours?.code === "SERVER_FAILED") return ours;
  const reason = oauthReason(error, failures).replace(/\.$/, "");
  return new McpfsError("SERVER_FAILED", `${what}: ${reason}.`, { hint: ours?.hint || hint, cause: error });
}
