import { joinHints, McpfsError } from "../kernel/errors.ts";
import type { ServerName } from "../model/names.ts";

/** The reason of an abort, or words for one without. */
export function abortError(signal: AbortSignal): McpfsError {
  if (signal.reason instanceof McpfsError) return signal.reason;
  return new McpfsError("SERVER_FAILED", "The caller stopped waiting for the connection.", {
    hint: "Try again.",
  });
}

/** No entry of the config has this name. */
export function unknownServer(server: ServerName, known: Iterable<ServerName>): McpfsError {
  const names = [...known].join(", ");
  return new McpfsError("TOOL_UNAVAILABLE", `There is no server ${JSON.stringify(server)}.`, {
    hint: names === "" ? "mcpfs.json names no server." : `mcpfs.json names these: ${names}.`,
  });
}

/** The entry is there and off. */
export function disabledServer(server: ServerName): McpfsError {
  return new McpfsError("TOOL_UNAVAILABLE", `Server ${server} is disabled.`, {
    hint: `Set "enabled" of ${server} in mcpfs.json to true.`,
  });
}

/** The host is closing. */
export function hubClosed(): McpfsError {
  return new McpfsError("SERVER_FAILED", "The connections were closed.", { hint: "Run the command again." });
}

/** The connection was closed since nobody used it. */
export function released(server: ServerName): McpfsError {
  return new McpfsError("SERVER_FAILED", `The connection of server ${server} was closed.`, {
    hint: "Call again to connect anew.",
  });
}

/** The config changed under a caller. */
export function replaced(server: ServerName): McpfsError {
  return new McpfsError("SERVER_FAILED", `Server ${server} was changed or removed in mcpfs.json.`, {
    hint: "Call again to connect to the new one.",
  });
}

/** A server that failed so often that callers are told at once, with the last reason and its code: what mends it stays the same. */
export function downError(
  server: ServerName,
  failures: number,
  lastError: McpfsError | undefined,
  retryMs: number,
): McpfsError {
  return new McpfsError(
    lastError?.code ?? "SERVER_FAILED",
    `Server ${server} is down: it failed ${failures} times in a row. ${lastError?.message ?? ""}`.trim(),
    {
      hint: joinHints(
        `It is tried again when it is called in ${retryMs / 1_000} s or later.`,
        lastError === undefined ? "" : { shell: lastError.hint, client: lastError.clientHint },
      ),
      data: { ...lastError?.data, server, isDown: true },
    },
  );
}
