import type { SealKey } from "../../journal/seal-key.ts";
import type { Clock } from "../../kernel/clock.ts";
import type { Redactor } from "../../kernel/log.ts";
import type { CredentialStore } from "../../model/credentials.ts";
import type { ServerEntry } from "../../model/server-entry.ts";
import { createReadStore } from "./read-store.ts";
import { createResourceReads, type ResourceReads } from "./resource-reads.ts";
import type { StartedServers } from "./started-servers.ts";

/** Puts the reads of a host together: memory, disk, and whose contents they are. */
export function openReads(parts: {
  readonly root: string;
  readonly clock: Clock;
  readonly redactor: Redactor;
  readonly links: StartedServers;
  readonly entries: () => readonly ServerEntry[];
  readonly sealKey: () => Promise<SealKey>;
  readonly credentials: () => Promise<CredentialStore>;
}): ResourceReads {
  const { root, clock, links, entries, redactor } = parts;
  const store = createReadStore({
    root,
    key: async () => {
      const { key, isKept } = await parts.sealKey();
      return isKept ? key : undefined;
    },
    redact: redactor.redactJson,
    now: clock.now,
  });
  return createResourceReads({
    links,
    clock,
    entries,
    store,
    isSignedIn: async (entry) => await isSignedIn(entry, parts.credentials),
  });
}

/** Credentials that cannot be read may be somebody's. */
async function isSignedIn(entry: ServerEntry, store: () => Promise<CredentialStore>): Promise<boolean> {
  const { transport } = entry;
  if ((transport.kind !== "http" && transport.kind !== "sse") || !URL.canParse(transport.url)) return false;
  const { credentialPlace, signsItself } = await import("../../mcp/http-target.ts");
  if (signsItself(transport)) return false;
  return await (await store()).read(credentialPlace(transport)).then(
    (stored) => stored !== undefined,
    () => true,
  );
}
