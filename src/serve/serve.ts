import type { Readable, Writable } from "node:stream";
import type { Host } from "../engine/host.ts";
import { type ChangeFeed, type WatchEvent, watchWorkspace } from "../engine/watch/watch.ts";
import type { Log } from "../kernel/log.ts";
import { settlesWithin, untilAborted } from "../kernel/wait.ts";
import type { ServeMode } from "../model/serve-mode.ts";
import { serveOnStdio } from "../protocol/serve-stdio.ts";
import { listenOnHttp } from "./http-listener.ts";
import { type ServedWorkspace, serveWorkspace } from "./served-workspace.ts";

export interface ServeOptions {
  readonly version: string;
  readonly log: Log;
  /** Ends the serving. */
  readonly signal: AbortSignal;
  readonly stdin: Readable;
  readonly stdout: Writable;
  /** Instead of what the config says. */
  readonly mode: ServeMode | undefined;
  /** Instead of the two streams: an address. */
  readonly http?: { readonly host: string; readonly port: number; readonly token: string | undefined };
  /** Ready for clients. `url` is set for HTTP. */
  readonly onReady: (
    facts: ReturnType<ServedWorkspace["cost"]> & { readonly url: string | undefined },
  ) => void;
}

/** A new workspace's servers get so long to be listed before the first client is answered. */
const FIRST_SYNC_MS = 10_000;

/**
 * Serves a workspace until the client goes away or `signal` aborts, and keeps its tree true meanwhile. Servers are started
 * when something needs them.
 * @throws McpfsError CONFIG_INVALID for a token that is missing, USAGE for an address that cannot be served
 */
export async function serve(host: Host, feed: ChangeFeed, options: ServeOptions): Promise<void> {
  const { problem } = host.config().serve;
  if (problem !== undefined) throw problem;
  const { log, version } = options;
  const over = new AbortController();
  const signal = AbortSignal.any([options.signal, over.signal]);
  let workspace: ServedWorkspace | undefined;
  /** A sync has ended while there was no workspace that could take it in. */
  let isMissed = false;
  let firstSynced = (): void => {};
  const first = new Promise<void>((resolve) => {
    firstSynced = resolve;
  });
  const onEvent = (event: WatchEvent): void => {
    note(event, log);
    if (event.kind === "synced" || event.kind === "failed") firstSynced();
    if (event.kind !== "synced") return;
    isMissed = workspace === undefined;
    void workspace?.refresh().catch((error: Error) => log.warn(error.message));
  };
  const watching = watchWorkspace(host, feed, { onEvent, signal, connects: "unknown" });
  watching.catch((error: Error) => log.warn(`Changes are not followed any more: ${error.message}`));
  try {
    await settlesWithin(first, FIRST_SYNC_MS);
    isMissed = false;
    workspace = await serveWorkspace(host, { version, log, mode: options.mode });
    if (isMissed) await workspace.refresh();
    await answerClients(workspace, host, { ...options, signal });
  } finally {
    over.abort();
    workspace?.close();
    await watching.catch(() => {});
  }
}

async function answerClients(workspace: ServedWorkspace, host: Host, options: ServeOptions): Promise<void> {
  const { stdin, stdout, signal, http, log, onReady } = options;
  if (http === undefined) {
    onReady({ ...workspace.cost(), url: undefined });
    await serveOnStdio(workspace.served, { stdin, stdout, signal });
    return;
  }
  const listener = await listenOnHttp(workspace.served, { ...http, config: () => host.config().serve, log });
  onReady({ ...workspace.cost(), url: listener.url });
  await untilAborted(signal);
  await listener.close();
}

/** What a person who looks at the log should know; a server that failed says so to whoever calls it. */
function note(event: WatchEvent, log: Log): void {
  if (event.kind === "synced") {
    for (const { name, error } of event.report.servers)
      if (error !== null && !event.retried.has(name)) log.warn(`${name}: ${error.code}: ${error.message}`);
  } else if (event.kind === "failed") log.warn(`${event.error.code}: ${event.error.message}`);
  else if (event.kind === "lost") log.info(`${event.server}: ${event.error.message}`);
  else if (event.kind === "down") log.warn(`${event.server}: ${event.reason}`);
}
