import { digestJson } from "../../kernel/digest.ts";
import { visibleText } from "../../kernel/text.ts";
import type { ServerName } from "../../model/names.ts";
import type { ServerEntry } from "../../model/server-entry.ts";
import {
  identityDigest,
  type ServerIdentity,
  type Trustee,
  untrustedServer,
} from "../../model/server-identity.ts";
import type { TrustStore } from "../../trust/trust-store.ts";

/** What a user approves, or has approved: one server. */
export interface TrustedServer {
  readonly name: ServerName;
  /** The command line, the URL, and the module that renames its tools, as the config writes them. Untrusted; holds secrets that stand there. */
  readonly starts: string;
  readonly isTrusted: boolean;
}

/** Decides which servers of a workspace may be started. */
export interface Trust {
  /** The servers that start something, sorted by name. @throws McpfsError CONFIG_INVALID */
  readonly list: (entries: readonly Trustee[]) => Promise<readonly TrustedServer[]>;
  /**
   * The servers, with the problem UNTRUSTED in those that may not be started.
   * @param models the rest of what the digest of the config is made of
   * @throws McpfsError CONFIG_INVALID
   */
  readonly judge: (
    servers: readonly ServerEntry[],
    models: readonly Trustee[],
  ) => Promise<readonly ServerEntry[]>;
  /**
   * Asks the person, where there is one, about enabled servers that are new; about each of them once.
   * @returns true when something was approved
   */
  readonly ask: (entries: readonly Trustee[]) => Promise<boolean>;
  /** Remembers an approval. @throws McpfsError CONFIG_INVALID, FILE_FAILED */
  readonly approve: (entries: readonly Trustee[]) => Promise<void>;
}

export interface TrustOptions {
  readonly store: () => Promise<TrustStore>;
  /** Digest of a whole config that is trusted for the time of this process, as {@link trustDigest} gives it. */
  readonly digest?: string | undefined;
  /** Asks a person; absent where there is none. */
  readonly ask?: ((servers: readonly TrustedServer[]) => Promise<boolean>) | undefined;
}

/** Creates the judge; the user's store is read anew for each judgement, since another command may add to it. */
export function createTrust(options: TrustOptions): Trust {
  /** What comes of asking about what is enabled; whoever needs a server meanwhile waits for the same answer. */
  const asked = new Map<string, Promise<boolean>>();
  /** Digests of what the person did not approve. */
  const refused = new Set<string>();

  const trusted = async (entries: readonly Trustee[]): Promise<ReadonlySet<ServerName>> => {
    const starting = entries.filter((entry) => entry.identity !== undefined);
    if (starting.length === 0) return new Set();
    if (options.digest !== undefined && options.digest === trustDigest(entries))
      return new Set(starting.map((entry) => entry.name));
    const approvals = await (await options.store()).read();
    return new Set(
      starting
        .filter(({ name, identity }) => identity && approvals.get(name)?.has(identityDigest(identity)))
        .map((entry) => entry.name),
    );
  };

  const list: Trust["list"] = async (entries) => {
    const approved = await trusted(entries);
    return entries.flatMap(({ name, identity }) =>
      identity === undefined
        ? []
        : [{ name, starts: describeIdentity(identity), isTrusted: approved.has(name) }],
    );
  };

  const approve: Trust["approve"] = async (entries) => {
    const digests = entries.flatMap(({ name, identity }) =>
      identity === undefined ? [] : [[name, [identityDigest(identity)]] as const],
    );
    if (digests.length > 0) await (await options.store()).add(new Map(digests));
  };

  const askOnce = async (enabled: readonly Trustee[]): Promise<boolean> => {
    if (options.ask === undefined) return false;
    const listed = await list(enabled);
    const untrusted = new Set(listed.filter(({ isTrusted }) => !isTrusted).map(({ name }) => name));
    const fresh = enabled.filter((entry) => untrusted.has(entry.name) && !refused.has(trustDigest([entry])));
    if (fresh.length === 0) return false;
    const names = new Set(fresh.map(({ name }) => name));
    if (await options.ask(listed.filter(({ name }) => names.has(name)))) {
      await approve(fresh);
      return true;
    }
    for (const entry of fresh) refused.add(trustDigest([entry]));
    return false;
  };

  return {
    list,
    approve,
    judge: async (servers, models) => {
      const approved = await trusted([...servers, ...models]);
      return servers.map((entry) =>
        entry.identity === undefined || approved.has(entry.name) || entry.problem !== undefined
          ? entry
          : { ...entry, problem: untrustedServer(entry.name) },
      );
    },
    ask: async (entries) => {
      // Not of all: one that was new while it was off is asked about when it is switched on.
      const enabled = entries.filter((entry) => entry.isEnabled);
      const digest = trustDigest(enabled);
      const isFirst = !asked.has(digest);
      const answer = asked.get(digest) ?? askOnce(enabled);
      asked.set(digest, answer);
      try {
        return await answer;
      } finally {
        if (isFirst) asked.set(digest, Promise.resolve(false));
      }
    },
  };
}

/** Digest of all that the servers of a config start, and of its models' endpoints: what `MCPFS_TRUST` holds. The same on every machine. */
export function trustDigest(entries: readonly Trustee[]): string {
  const identities = entries.flatMap(({ name, identity }) =>
    identity === undefined ? [] : [[name, identityDigest(identity)] as const],
  );
  return digestJson(Object.fromEntries(identities));
}

/** One line, whole: what is cut away is what an attacker would put there. */
function describeIdentity({ command, cwd, url, loaders, rename }: ServerIdentity): string {
  const parts = [
    ...Object.entries(loaders).map(([name, value]) => word(`${name}=${value}`)),
    url === "" ? command.map(word).join(" ") : word(url),
    cwd === "" ? "" : `(in ${word(cwd)})`,
    rename === undefined ? "" : `(names by the code in ${word(rename.path)})`,
  ];
  return parts.filter((part) => part !== "").join(" ");
}

function word(text: string): string {
  return /^[\w@%+=:,./${}~?&#-]+$/.test(text) ? text : visibleText(JSON.stringify(text));
}
