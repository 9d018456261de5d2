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
    signedInAs: async (entry) => await signedInAs(entry, parts.credentials),
  });
}

/** The access token: the one thing that differs from one account to another. Where it cannot be read, it may be anybody's. */
async function signedInAs(entry: ServerEntry, store: () => Promise<CredentialStore>): Promise<string> {
  const { transport } = entry;
  if ((transport.kind !== "http" && transport.kind !== "sse") || !URL.canParse(transport.url)) return "";
  const { credentialPlace, signsItself } = await import("../../mcp/http-target.ts");
  if (signsItself(transport)) return "";
  return await (await store()).read(credentialPlace(transport)).then(
    (stored) => (stored === undefined ? "" : `token ${stored.accessToken ?? ""}`),
    () => "unreadable",
  );
}
