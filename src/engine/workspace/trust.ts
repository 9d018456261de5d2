import { digestJson } from "../../kernel/digest.ts";
import { otherDigest } from "../../kernel/next-steps.ts";
import { quotedWord } from "../../kernel/text.ts";
import type { ServerName } from "../../model/names.ts";
import type { ServerEntry } from "../../model/server-entry.ts";
import {
  identityDigest,
  type ServerIdentity,
  type Trustee,
  untrustedServer,
} from "../../model/server-identity.ts";
import { looseningsOf } from "../../policy/loosening.ts";
import type { PolicyRules } from "../../policy/policy.ts";
import type { TrustStore } from "../../trust/trust-store.ts";

/** What of a config wants trust: all that it starts or sends data to, and the policy beside it. */
export interface Entrusted {
  readonly servers: readonly Trustee[];
  readonly models: readonly Trustee[];
  readonly policy: PolicyRules;
}

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
  readonly list: (config: Entrusted) => Promise<readonly TrustedServer[]>;
  /** The servers, with the problem UNTRUSTED in those that may not be started. @throws McpfsError CONFIG_INVALID */
  readonly judge: (
    config: Omit<Entrusted, "servers"> & { readonly servers: readonly ServerEntry[] },
  ) => Promise<readonly ServerEntry[]>;
  /** Whether the whole config, its policy too, is what the process was started to trust. */
  readonly isGiven: (config: Entrusted) => boolean;
  /**
   * Asks the person, where there is one, about enabled servers that are new; about each of them once.
   * @returns true when something was approved
   */
  readonly ask: (config: Entrusted) => Promise<boolean>;
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

  const isGiven = (config: Entrusted): boolean =>
    options.digest !== undefined && options.digest === trustDigest(config);

  const trusted = async (config: Entrusted): Promise<ReadonlySet<ServerName>> => {
    const starting = entriesOf(config).filter((entry) => entry.identity !== undefined);
    if (starting.length === 0) return new Set();
    if (isGiven(config)) return new Set(starting.map((entry) => entry.name));
    const approvals = await (await options.store()).read();
    return new Set(
      starting
        .filter(({ name, identity }) => identity && approvals.get(name)?.has(identityDigest(identity)))
        .map((entry) => entry.name),
    );
  };

  const list: Trust["list"] = async (config) => {
    const approved = await trusted(config);
    return entriesOf(config).flatMap(({ name, identity }) =>
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

  const askOnce = async (config: Entrusted): Promise<boolean> => {
    if (options.ask === undefined) return false;
    const listed = await list(config);
    const enabled = enabledOf(config);
    const untrusted = new Set(listed.filter(({ isTrusted }) => !isTrusted).map(({ name }) => name));
    const fresh = enabled.filter(
      (entry) => untrusted.has(entry.name) && !refused.has(identitiesDigest([entry])),
    );
    if (fresh.length === 0) return false;
    const names = new Set(fresh.map(({ name }) => name));
    if (await options.ask(listed.filter(({ name }) => names.has(name)))) {
      await approve(fresh);
      return true;
    }
    for (const entry of fresh) refused.add(identitiesDigest([entry]));
    return false;
  };

  return {
    list,
    approve,
    isGiven,
    judge: async (config) => {
      const approved = await trusted(config);
      const hint = options.digest === undefined ? undefined : otherDigest();
      return config.servers.map((entry) =>
        entry.identity === undefined || approved.has(entry.name) || entry.problem !== undefined
          ? entry
          : { ...entry, problem: untrustedServer(entry.name, hint) },
      );
    },
    ask: async (config) => {
      // Not of all: one that was new while it was off is asked about when it is switched on.
      const digest = identitiesDigest(enabledOf(config));
      const isFirst = !asked.has(digest);
      const answer = asked.get(digest) ?? askOnce(config);
      asked.set(digest, answer);
      try {
        return await answer;
      } finally {
        if (isFirst) asked.set(digest, Promise.resolve(false));
      }
    },
  };
}

/**
 * Digest of all that a config starts or sends data to, and of what its policy lets out: what `MCPFS_TRUST` holds. The same on every
 * machine.
 */
export function trustDigest(config: Entrusted): string {
  return digestJson({ starts: identitiesDigest(entriesOf(config)), lets: looseningsOf(config.policy) });
}

function identitiesDigest(entries: readonly Trustee[]): string {
  const identities = entries.flatMap(({ name, identity }) =>
    identity === undefined ? [] : [[name, identityDigest(identity)] as const],
  );
  return digestJson(Object.fromEntries(identities));
}

function entriesOf({ servers, models }: Entrusted): readonly Trustee[] {
  return [...servers, ...models];
}

function enabledOf(config: Entrusted): readonly Trustee[] {
  return entriesOf(config).filter((entry) => entry.isEnabled);
}

/** One line, whole: what is cut away is what an attacker would put there. */
function describeIdentity({ command, cwd, url, loaders, rename }: ServerIdentity): string {
  const parts = [
    ...Object.entries(loaders).map(([name, value]) => quotedWord(`${name}=${value}`)),
    url === "" ? command.map(quotedWord).join(" ") : quotedWord(url),
    cwd === "" ? "" : `(in ${quotedWord(cwd)})`,
    rename === undefined ? "" : `(names by the code in ${quotedWord(rename.path)})`,
  ];
  return parts.filter((part) => part !== "").join(" ");
}
