import type { ServerName } from "../../model/names.ts";
import type { SyncedServer } from "../../model/sync-report.ts";
import type { Host } from "../host.ts";

/** The servers that wait for a person: to trust them, or to sign in to them. */
export interface HeldBack {
  /** Notes what a sync learnt of a server. */
  readonly follow: (server: SyncedServer) => void;
  readonly close: () => void;
}

/** How often it is looked whether a person has trusted a server since, or signed in to it, by a command beside the watch. */
const GLANCE_MS = 1_000;

/**
 * Creates the list; `retry` is called with each server that a person has freed. Nothing is looked at while no server waits: on some
 * machines each wake-up of an idle process costs 7 ms (measured), which is 0.7 % of a core at one a second.
 */
export function createHeldBack(
  host: Pick<Host, "config" | "trusted" | "signInMark">,
  retry: (server: ServerName) => void,
): HeldBack {
  const untrusted = new Set<ServerName>();
  /** The servers that want somebody to sign in, each with the sign-in that it was tried with last. */
  const unsigned = new Map<ServerName, string>();
  let glance: NodeJS.Timeout | undefined;
  let isClosed = false;

  const look = async (): Promise<void> => {
    const listed = new Set(host.config().servers.map(({ name }) => name));
    for (const name of [...untrusted, ...unsigned.keys()]) {
      if (listed.has(name)) continue;
      untrusted.delete(name);
      unsigned.delete(name);
    }
    for (const [name, before] of unsigned) {
      const mark = await host.signInMark(name);
      if (mark === before || !unsigned.has(name)) continue;
      unsigned.set(name, mark);
      if (mark !== "") retry(name);
    }
    if (untrusted.size === 0) return;
    const servers = await host.trusted().catch(() => []);
    for (const { name, isTrusted } of servers) if (isTrusted && untrusted.delete(name)) retry(name);
  };
  const glanceWhileNeeded = (): void => {
    if (isClosed || glance !== undefined || untrusted.size + unsigned.size === 0) return;
    glance = setTimeout(async () => {
      await look();
      glance = undefined;
      glanceWhileNeeded();
    }, GLANCE_MS);
  };
  return {
    follow: ({ name, error }) => {
      if (error?.code === "UNTRUSTED") untrusted.add(name);
      else untrusted.delete(name);
      if (error?.code !== "AUTH_REQUIRED") unsigned.delete(name);
      else if (!unsigned.has(name)) unsigned.set(name, "");
      glanceWhileNeeded();
    },
    close: () => {
      isClosed = true;
      clearTimeout(glance);
    },
  };
}
