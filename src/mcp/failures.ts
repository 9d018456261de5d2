import { ProtocolError, SdkError, SdkErrorCode, SdkHttpError, SseError } from "@modelcontextprotocol/client";
import { type ErrorCode, McpfsError, systemCode } from "../kernel/errors.ts";
import { isDeeperThan, isJsonObject, type Json, own, parseJson } from "../kernel/json.ts";
import { createRedactor } from "../kernel/log.ts";
import { oneLine, visibleText } from "../kernel/text.ts";
import type { ServerEntry } from "../model/server-entry.ts";
import type { ProcessExit, ProcessTransport } from "./process-transport.ts";

/** Turns what the SDK, Node.js and servers say into our errors, for one server: redacted, visible, never by message text. */
export interface Failures {
  /** A connect that failed. */
  readonly connect: (error: unknown, process: ProcessTransport | undefined) => McpfsError;
  /** A process that ended or a stream that broke, as a sentence's end: `ended with exit code 3`. */
  readonly ended: (process: ProcessTransport | undefined) => string;
  /** An error with the last words of the process added to its message and, in full, to `data.stderr`. */
  readonly withLastWords: (
    code: ErrorCode,
    message: string,
    hint: string,
    process: ProcessTransport | undefined,
    cause?: unknown,
  ) => McpfsError;
  /** What an error of the transport says, on one line. */
  readonly reason: (error: unknown) => string;
  /** Text of a server for a message: redacted, visible, one line. */
  readonly shown: (text: string, maxLength?: number) => string;
  /** A tool's definition in which no text holds a secret of the entry: it is committed, and read by models. */
  readonly withoutSecrets: (definition: Json) => Json;
}

/** Of stderr: enough for the sentence that explains, in a message; and for the stack trace, in the data. */
const SHOWN_WORDS = 600;
const KEPT_WORDS = 8_000;

/**
 * Creates the translator of one server's failures.
 * @param granted secrets that are got while mcpfs runs; asked for each time
 */
export function createFailures(entry: ServerEntry, granted: () => readonly string[] = () => []): Failures {
  const known = createRedactor();
  known.add(entry.secrets);
  const redact = (text: string): string => {
    known.add(granted());
    return known.redact(text);
  };
  const server = entry.name;
  const shown = (text: string, maxLength = 500): string => oneLine(redact(text), maxLength);

  const withLastWords: Failures["withLastWords"] = (code, message, hint, process, cause) => {
    const tail = redact(process?.stderrTail() ?? "").trim();
    const exit = process?.exit();
    const words = lastWords(tail);
    return new McpfsError(code, words === "" ? message : `${message} Its last words: ${words}`, {
      hint,
      cause,
      data: {
        server,
        ...(exit !== undefined && { exitCode: exit.code, signal: exit.signal }),
        ...(tail !== "" && { stderr: visibleText(tail.slice(-KEPT_WORDS)) }),
      },
    });
  };

  const reason = (error: unknown): string => {
    const ours = findMcpfsError(error);
    if (ours !== undefined) return ours.message;
    if (error instanceof SdkHttpError) {
      const words = explanation(error.data);
      return `HTTP ${error.status}: ${shown(words || error.message)}`;
    }
    if (error instanceof SseError)
      return shown(error.code === undefined ? error.message : `HTTP ${error.code}`);
    if (!(error instanceof Error)) return shown(String(error));
    // The SDK's probe wraps the reason in words about its own negotiation.
    if (error instanceof SdkError && error.cause !== undefined) return reason(error.cause);
    const code = networkCode(error);
    if (code === "")
      return shown(error.cause instanceof Error ? `${error.message}: ${error.cause.message}` : error.message);
    return `${NETWORK_WORDS.get(code) ?? shown(error.message, 200)} (${code})`;
  };

  const place = (): string => (entry.transport.kind === "stdio" ? "" : ` at ${shown(publicUrl(entry))}`);

  return {
    shown,
    // Most servers are given no secret, and then there is nothing to walk for.
    withoutSecrets: (definition) =>
      entry.secrets.length === 0 && granted().length === 0 && !isDeeperThan(definition, MAX_DEPTH)
        ? definition
        : redactTexts(definition, redact),
    reason,
    withLastWords,
    ended: (process) => {
      const exit = process?.exit();
      return exit === undefined ? "closed the connection" : `ended with ${exitText(exit)}`;
    },
    connect: (error, process) => {
      const ours = findMcpfsError(error);
      if (ours !== undefined) return ours;
      if (statusOf(error) === 401 || statusOf(error) === 403)
        return new McpfsError(
          "AUTH_REQUIRED",
          `Server ${server}${place()} wants credentials: ${reason(error)}.`,
          {
            hint: `Set "headers" of ${server} in mcpfs.json, for example {"Authorization": "Bearer \${TOKEN}"}.`,
            data: { server, status: statusOf(error) },
            cause: error,
          },
        );
      if (error instanceof ProtocolError)
        return withLastWords(
          "SERVER_FAILED",
          `Server ${server}${place()} refused to start a session: ${shown(error.message) || `error ${error.code}`}.`,
          `Check the settings of ${server} in mcpfs.json.`,
          process,
          error,
        );
      const exit = process?.exit();
      // The SDK ends a process whose answer it did not like; only a process that ended first explains the failure.
      if (exit !== undefined && isBrokenPipe(error))
        return withLastWords(
          "SERVER_FAILED",
          `Server ${server} ended with ${exitText(exit)} before it was ready.`,
          `Check "command", "args" and "env" of ${server} in mcpfs.json, or start it by hand to see all that it writes.`,
          process,
          error,
        );
      return withLastWords(
        "SERVER_FAILED",
        `Server ${server}${place()} could not be reached: ${reason(error)}.`,
        isUnderstood(error)
          ? `Its answer was read and is not what MCP asks for: report this to the makers of ${server}, or use another version.`
          : entry.transport.kind === "stdio"
            ? `Check "command" and "args" of ${server} in mcpfs.json: its stdout must hold MCP messages.`
            : `Check "url" of ${server} in mcpfs.json, and that the server runs.`,
        process,
        error,
      );
    },
  };
}

/** True when an error says that the other side is gone, and not that it said something wrong. */
export function isBrokenPipe(error: unknown): boolean {
  if (systemCode(error) === "EPIPE" || systemCode(error) === "ECONNRESET") return true;
  return error instanceof SdkError && BROKEN_CODES.has(error.code);
}

/** The server spoke MCP, in a way that the SDK does not take: another revision, an odd answer. */
function isUnderstood(error: unknown): boolean {
  return error instanceof SdkError && !isBrokenPipe(error) && !(error instanceof SdkHttpError);
}

const BROKEN_CODES: ReadonlySet<string> = new Set([
  SdkErrorCode.ConnectionClosed,
  SdkErrorCode.NotConnected,
  SdkErrorCode.SendFailed,
  SdkErrorCode.EraNegotiationFailed,
]);

function exitText(exit: ProcessExit): string {
  return exit.signal === null ? `exit code ${exit.code ?? "unknown"}` : `signal ${exit.signal}`;
}

/** Frames of a stack trace are left out: the line before them is the one that explains. */
function lastWords(tail: string): string {
  const lines = tail.split("\n").filter((line) => line.trim() !== "" && !/^\s+at /.test(line));
  const words = oneLine(lines.slice(-12).join(" "), Number.MAX_SAFE_INTEGER);
  return words.length <= SHOWN_WORDS ? words : `…${words.slice(-SHOWN_WORDS)}`;
}

/** Ours may lie below the SDK's: it wraps what `fetch` threw. */
export function findMcpfsError(error: unknown): McpfsError | undefined {
  for (let cause = error, depth = 0; cause instanceof Error && depth < 5; cause = cause.cause, depth += 1)
    if (cause instanceof McpfsError) return cause;
  return undefined;
}

/** The HTTP status of an error of either HTTP transport. */
export function statusOf(error: unknown): number | undefined {
  if (error instanceof SdkHttpError) return error.status;
  return error instanceof SseError ? error.code : undefined;
}

/** The words of an HTTP error's body: the message of a JSON-RPC error in it, or the body itself. */
function explanation(data: unknown): string {
  const text = typeof data === "object" && data !== null && "text" in data ? data.text : undefined;
  if (typeof text !== "string") return "";
  const message = own(own(parseOrUndefined(text), "error"), "message");
  return typeof message === "string" ? message : text;
}

/** The code of the JSON-RPC error in the body of an HTTP error, if there is one. */
export function bodyErrorCode(error: unknown): number | undefined {
  if (!(error instanceof SdkHttpError)) return undefined;
  const { text } = error.data as { readonly text?: unknown };
  const code = typeof text === "string" ? own(own(parseOrUndefined(text), "error"), "code") : undefined;
  return typeof code === "number" ? code : undefined;
}

function parseOrUndefined(text: string): unknown {
  try {
    return parseJson(text);
  } catch {
    return undefined;
  }
}

/** What the network's common codes mean; for others the error's own words are shown. */
const NETWORK_WORDS: ReadonlyMap<string, string> = new Map([
  ["ECONNREFUSED", "nothing answers at this port"],
  ["ENOTFOUND", "no host has this name"],
  ["EAI_AGAIN", "the name of the host cannot be looked up at the moment"],
  ["ECONNRESET", "the connection was cut"],
  ["ETIMEDOUT", "the host does not answer"],
  ["EHOSTUNREACH", "the host cannot be reached"],
  ["ENETUNREACH", "the network cannot be reached"],
]);

/** `fetch` says "fetch failed" and hides the reason one or two causes below. */
export function networkCode(error: unknown): string {
  for (let cause = error, depth = 0; cause instanceof Error && depth < 5; cause = cause.cause, depth += 1) {
    const code = cause instanceof SdkError ? "" : systemCode(cause);
    if (/^(?:E[A-Z]|UND_|CERT_|DEPTH_|SELF_|UNABLE_|ERR_)/.test(code)) return code;
  }
  return "";
}

/** Where the server is, without credentials and query. */
function publicUrl(entry: ServerEntry): string {
  if (entry.transport.kind !== "http" && entry.transport.kind !== "sse") return "";
  if (!URL.canParse(entry.transport.url)) return JSON.stringify(entry.transport.url);
  const url = new URL(entry.transport.url);
  return url.origin + url.pathname;
}

/** Texts that decide what a call may hold; a value that only looks like a secret (`"mode": "verbose"`) would break the tool. */
const MEANT_LITERALLY: ReadonlySet<string> = new Set([
  "name",
  "type",
  "enum",
  "const",
  "pattern",
  "required",
  "format",
  "$ref",
]);

/** More than the catalog takes, and far from what a stack holds. */
const MAX_DEPTH = 400;

/** Redacts the texts of a definition that are there to be read: descriptions, titles, examples, defaults. */
function redactTexts(value: Json, redact: (text: string) => string, depth = 0): Json {
  if (typeof value === "string") return redact(value);
  // What nests deeper is not kept: the catalog cuts it.
  if (depth > MAX_DEPTH) return null;
  if (Array.isArray(value))
    return (value as readonly Json[]).map((item) => redactTexts(item, redact, depth + 1));
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => {
      const isLiteral = item === undefined || (MEANT_LITERALLY.has(key) && !isJsonObject(item));
      return [key, isLiteral ? item : redactTexts(item, redact, depth + 1)];
    }),
  );
}
