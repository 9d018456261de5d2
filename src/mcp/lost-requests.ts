import { McpfsError } from "../kernel/errors.ts";
import type { Connection } from "./connect.ts";
import { findMcpfsError, networkCode, statusOf } from "./failures.ts";
import type { RequestOutcome } from "./requests.ts";

/** A request that got no answer. */
export type Unanswered = Exclude<RequestOutcome, { kind: "result" | "refused" }>;

/**
 * Makes the error of a request that got no answer.
 * @param what `call of echo`
 * @param isCall true where the request may have had an effect
 * @param onLinkLost told when the connection is of no use any more
 */
export function unansweredError(
  outcome: Unanswered,
  { server, failures, process, wire, transport }: Connection & { readonly server: string },
  what: string,
  isCall: boolean,
  signal: AbortSignal | undefined,
  onLinkLost: () => void,
): McpfsError {
  if (outcome.kind === "aborted") {
    if (signal?.reason instanceof McpfsError) return signal.reason;
    return new McpfsError("SERVER_FAILED", `The ${what} of server ${server} was stopped by its caller.`, {
      hint: isCall ? "Whether it took effect is not known." : "Ask again.",
    });
  }
  if (outcome.kind === "timeout")
    return new McpfsError(
      "SERVER_TIMEOUT",
      `Server ${server} did not answer the ${what} within ${outcome.timeoutMs} ms.`,
      {
        hint: `${isCall ? "Whether it took effect is not known. " : ""}Raise "timeoutMs" of ${server} in mcpfs.json if it needs longer.`,
        data: { server, timeoutMs: outcome.timeoutMs },
      },
    );
  const { cause } = outcome;
  const ours =
    process?.failure() ?? findMcpfsError(cause) ?? (cause === undefined ? wire.takeFailure() : undefined);
  const isSessionGone = statusOf(cause) === 404 && transport.sessionId !== undefined;
  // What kept us from sending it, such as an authorization server that is down, says nothing of the link.
  const isCut =
    findMcpfsError(cause) === undefined && statusOf(cause) === undefined && networkCode(cause) !== "";
  if (isSessionGone || isCut) onLinkLost();
  if (ours?.code === "AUTH_REQUIRED") return ours;
  const reason =
    ours !== undefined
      ? failures.shown(ours.message)
      : cause === undefined
        ? `It ${failures.ended(process)}.`
        : `${failures.reason(cause)}.`;
  if (isCall && !isNeverSent(cause))
    return failures.withLastWords(
      "OUTCOME_UNKNOWN",
      `Server ${server} was lost while the ${what} was open. ${reason}`,
      "Check whether it took effect before you make the call again; the next call connects anew.",
      process,
    );
  const error = failures.withLastWords(
    "SERVER_FAILED",
    `The ${what} did not reach server ${server}. ${reason}`,
    ours?.hint || "Try again: the next call connects anew.",
    process,
  );
  if (!isSessionGone) return error;
  const { message, hint, data } = error;
  return new McpfsError("SERVER_FAILED", message, { hint, data: { ...data, isSessionGone }, cause });
}

/**
 * True when the server forgot the session: 404 to a request that carries one means that it was not read
 * (basic/transports, Session Management), so it may be made again on a new session.
 */
export function isSessionGone(error: unknown): boolean {
  return error instanceof McpfsError && error.data.isSessionGone === true;
}

/**
 * Errors of the network that come before a byte is sent, ours that keep a request from being sent, and answers of 4xx, which refuse a
 * request unread. An answer that is too long to be read is none of these.
 */
function isNeverSent(cause: unknown): boolean {
  if (cause === undefined) return false;
  const ours = findMcpfsError(cause);
  if (ours?.data.isTooLong === true) return false;
  if (ours?.code === "AUTH_REQUIRED" || ours?.code === "SERVER_FAILED") return true;
  const status = statusOf(cause);
  if (status !== undefined) return status >= 300 && status < 500;
  return /^(?:ECONNREFUSED|ENOTFOUND|EAI_|EHOSTUNREACH|ENETUNREACH|EPIPE|CERT_|DEPTH_|SELF_|UNABLE_|ERR_TLS|UND_ERR_CONNECT)/.test(
    networkCode(cause),
  );
}
