import {
  Client,
  type ClientCapabilities,
  ProtocolError,
  SdkError,
  SdkErrorCode,
  SSEClientTransport,
  StreamableHTTPClientTransport,
  type Transport,
  type VersionNegotiationOptions,
} from "@modelcontextprotocol/client";
import { McpfsError } from "../kernel/errors.ts";
import type { Log } from "../kernel/log.ts";
import { settlesWithin, unlessAborted } from "../kernel/wait.ts";
import { MAX_DURATION_MS } from "../model/run.ts";
import type { ServerEntry } from "../model/server-entry.ts";
import { declaredCapabilities } from "./capabilities.ts";
import { METHOD_NOT_FOUND } from "./client-answer.ts";
import type { Credentials } from "./credentials.ts";
import { bodyErrorCode, createFailures, type Failures, isBrokenPipe, statusOf } from "./failures.ts";
import { httpTarget } from "./http-target.ts";
import { createHttpWire, type HttpWire, plainWire, type Wire } from "./http-wire.ts";
import type { ProcessTable } from "./process-table.ts";
import { createProcessTransport, type ProcessTransport } from "./process-transport.ts";
import type { Reaper } from "./reaper.ts";

export interface ConnectOptions {
  readonly entry: ServerEntry;
  readonly log: Log;
  readonly clientInfo: { readonly name: string; readonly version: string };
  readonly reaper: Reaper;
  readonly table: ProcessTable;
  readonly platform: NodeJS.Platform;
  /** What was found when this server was connected last; `undefined` where nothing is known. */
  readonly knownEra: Era | undefined;
  /** Signs the requests; absent where the config does, or nobody has to. */
  readonly credentials: Credentials | undefined;
  readonly signal: AbortSignal;
}

/** The two generations of the protocol: with a handshake, and without (2026-07-28). */
export type Era = "legacy" | "modern";

/** A server that shook hands. */
export interface Connection {
  /** How it was reached in the end. */
  readonly kind: "stdio" | "http" | "sse";
  readonly client: Client;
  readonly transport: Transport;
  readonly wire: Wire;
  /** Set for stdio. */
  readonly process: ProcessTransport | undefined;
  readonly failures: Failures;
  /** Ends the session and everything below it, in bounded time. */
  readonly close: () => Promise<void>;
}

/** The revision without a handshake. */
const MODERN = "2026-07-28";
/** JSON-RPC: the server does not speak the offered revision. */
const UNSUPPORTED_VERSION = -32022;
/** Errors that only a server of the modern revision answers (`-32020..-32022`). */
const isModernCode = (code: number | undefined): boolean =>
  code !== undefined && code <= -32020 && code >= -32022;
/** A session is ended politely, but nobody waits longer for that. */
const END_SESSION_MS = 500;
/** What a process that broke off may need until its end is known. */
const EXIT_NEWS_MS = 200;

/** One way to reach a server: made anew for each attempt, since neither client nor transport starts twice. */
interface Way {
  readonly kind: Connection["kind"];
  readonly transport: Transport;
  readonly process?: ProcessTransport;
  readonly http?: StreamableHTTPClientTransport;
  readonly wire: Wire | HttpWire;
  readonly negotiation: VersionNegotiationOptions;
}

/**
 * Connects to a server.
 *
 * stdio with `auto` says `initialize` first, as most servers in use want it, and turns to revision 2026-07-28 when that is
 * refused: the SDK's own `auto` needs a second process for its probe and doubles the time (measured 1.2 s to 2.4 s).
 * HTTP with `auto` probes with one small POST. Where the era is known from the last time, it is tried first, and the other one
 * when the server no longer speaks it. A server of kind `http` that refuses the POST with 400, 404 or 405
 * and without words of the modern revision is tried as an SSE server, as the specification asks of clients.
 * @throws McpfsError SERVER_FAILED, SERVER_TIMEOUT, AUTH_REQUIRED
 */
export async function connectServer(options: ConnectOptions): Promise<Connection> {
  try {
    return await connectByKind(options);
  } catch (error) {
    // What was thrown before anything started: a URL that is none.
    throw failuresOf(options).connect(error, undefined);
  }
}

async function connectByKind(options: ConnectOptions): Promise<Connection> {
  const { entry } = options;
  switch (entry.transport.kind) {
    case "stdio":
      return await connectProcess(options);
    case "http":
      return await connectHttp(options);
    case "sse":
      return await attempt(options, sseWay(options));
    case "builtin":
      throw new McpfsError("INTERNAL", `Server ${entry.name} is built in and was not turned into a command.`);
  }
}

async function connectProcess(options: ConnectOptions): Promise<Connection> {
  const { protocol } = options.entry;
  const isModern = protocol === MODERN || (protocol === "auto" && options.knownEra === "modern");
  try {
    return await attempt(options, processWay(options, isModern));
  } catch (error) {
    if (protocol !== "auto" || !(isModern ? isOtherEra(error) : wantsModern(error))) throw error;
    return await attempt(options, processWay(options, !isModern));
  }
}

async function connectHttp(options: ConnectOptions): Promise<Connection> {
  const { protocol } = options.entry;
  const mode = protocol === MODERN ? { pin: MODERN } : protocol;
  const isKnownLegacy = protocol === "auto" && options.knownEra === "legacy";
  try {
    if (!isKnownLegacy) return await attempt(options, httpWay(options, mode));
    // The probe is saved.
    return await attempt(options, httpWay(options, "legacy")).catch(async (error: unknown) => {
      if (!wantsModern(error)) throw error;
      return await attempt(options, httpWay(options, mode));
    });
  } catch (error) {
    const refusal = error instanceof McpfsError ? error.cause : undefined;
    const isRefused = [400, 404, 405].includes(statusOf(refusal) ?? 0);
    if (!(error instanceof McpfsError) || !isRefused || isModernCode(bodyErrorCode(refusal))) throw error;
    return await attempt(options, sseWay(options)).catch((sseError: unknown) => {
      throw bothRefused(options.entry, error, sseError);
    });
  }
}

/** A server that refuses `initialize` itself: it may speak 2026-07-28 only. */
function wantsModern(error: unknown): boolean {
  const refusal = error instanceof McpfsError ? error.cause : undefined;
  return (
    (refusal instanceof ProtocolError && [UNSUPPORTED_VERSION, METHOD_NOT_FOUND].includes(refusal.code)) ||
    isModernCode(bodyErrorCode(refusal))
  );
}

/** A server that was of revision 2026-07-28 and now refuses it, or ends at the sight of it. */
function isOtherEra(error: unknown): boolean {
  const refusal = error instanceof McpfsError ? error.cause : undefined;
  return (
    refusal instanceof ProtocolError ||
    (refusal instanceof SdkError && refusal.code === SdkErrorCode.EraNegotiationFailed)
  );
}

function bothRefused(entry: ServerEntry, http: McpfsError, sse: unknown): unknown {
  if (!(sse instanceof McpfsError) || sse.code === "AUTH_REQUIRED") return sse;
  const failures = createFailures(entry);
  return new McpfsError(
    "SERVER_FAILED",
    `Server ${entry.name} could not be reached in either way. Streamable HTTP: ${failures.reason(http.cause)}. SSE: ${failures.reason(sse.cause ?? sse)}.`,
    {
      hint: `Check "url" and "headers" of ${entry.name} in mcpfs.json.`,
      data: { server: entry.name },
      cause: http,
    },
  );
}

function processWay(options: ConnectOptions, isModern: boolean): Way {
  const { entry, log, reaper, table, platform } = options;
  if (entry.transport.kind !== "stdio") throw new TypeError("a process way needs a stdio entry");
  const process = createProcessTransport({
    server: entry.name,
    config: entry.transport,
    log,
    reaper,
    table,
    platform,
  });
  return {
    kind: "stdio",
    transport: process,
    process,
    wire: plainWire,
    negotiation: isModern
      ? // The probe must not give up before the connect as a whole does: a cold start takes its time.
        { mode: { pin: MODERN }, probe: { timeoutMs: entry.timeoutMs } }
      : { mode: "legacy" },
  };
}

function failuresOf({ entry, credentials }: ConnectOptions): Failures {
  return createFailures(entry, credentials?.secrets);
}

function httpWireTo(url: URL, options: ConnectOptions): HttpWire {
  const { entry, credentials } = options;
  const { shown } = failuresOf(options);
  return createHttpWire({ server: entry.name, origin: url.origin, credentials, shown });
}

function httpWay(options: ConnectOptions, mode: VersionNegotiationOptions["mode"]): Way {
  const { entry } = options;
  const { url, headers } = httpTarget(entry);
  const wire = httpWireTo(url, options);
  const http = new StreamableHTTPClientTransport(url, { fetch: wire.fetch, requestInit: { headers } });
  // The types of its `sessionId` are looser than those of the interface it implements.
  return {
    kind: "http",
    transport: http as Transport,
    http,
    wire,
    negotiation: { ...(mode !== undefined && { mode }), probe: { timeoutMs: entry.timeoutMs } },
  };
}

function sseWay(options: ConnectOptions): Way {
  const { url, headers } = httpTarget(options.entry);
  const wire = httpWireTo(url, options);
  const transport = new SSEClientTransport(url, { fetch: wire.fetch, requestInit: { headers } });
  return { kind: "sse", transport, wire, negotiation: { mode: "legacy" } };
}

async function attempt(options: ConnectOptions, way: Way): Promise<Connection> {
  const { entry, log, clientInfo, signal } = options;
  const failures = failuresOf(options);
  const client = new Client(
    { ...clientInfo },
    { capabilities: declaredCapabilities(entry) as ClientCapabilities, versionNegotiation: way.negotiation },
  );
  client.onerror = (error) => log.debug(`Server ${entry.name}: ${failures.reason(error)}`);
  const end = async (): Promise<void> => {
    if (way.http?.sessionId !== undefined) await settlesWithin(way.http.terminateSession(), END_SESSION_MS);
    await client.close().catch(() => {});
    await way.transport.close().catch(() => {});
  };
  let ending: Promise<void> | undefined;
  const close = (): Promise<void> => {
    // The link and the hub both close what they have; a session is ended once.
    ending ??= end();
    return ending;
  };
  // Above our own limit, which also covers what the SDK's does not: the start of an SSE stream, a probe.
  const connecting = client.connect(way.transport, { timeout: MAX_DURATION_MS });
  connecting.catch(() => {});
  try {
    await inTime(connecting, entry.timeoutMs, signal, () => tooSlow(entry, way.process, failures));
  } catch (error) {
    if (isBrokenPipe(error)) await way.process?.hasEnded(EXIT_NEWS_MS);
    const refusal = "refusal" in way.wire ? way.wire.refusal() : undefined;
    const failure = way.process?.failure() ?? refusal ?? failures.connect(error, way.process);
    await settlesWithin(close(), 2_000);
    throw failure;
  }
  const { kind, transport, wire, process } = way;
  return { kind, client, transport, wire, process, failures, close };
}

async function inTime(
  connecting: Promise<void>,
  timeoutMs: number,
  signal: AbortSignal,
  tooLate: () => McpfsError,
): Promise<void> {
  const limit = new AbortController();
  // Not AbortSignal.timeout, which would let the process end while it waits.
  const timer = setTimeout(() => limit.abort(tooLate()), Math.min(timeoutMs, MAX_DURATION_MS));
  try {
    await unlessAborted(connecting, AbortSignal.any([signal, limit.signal]));
  } finally {
    clearTimeout(timer);
  }
}

function tooSlow(entry: ServerEntry, process: ProcessTransport | undefined, failures: Failures): McpfsError {
  return failures.withLastWords(
    "SERVER_TIMEOUT",
    `Server ${entry.name} was not ready within ${entry.timeoutMs} ms.`,
    `Raise "timeoutMs" of ${entry.name} in mcpfs.json if its start takes longer.`,
    process,
  );
}
