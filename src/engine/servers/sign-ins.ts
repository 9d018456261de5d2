import { digestText } from "../../kernel/digest.ts";
import { McpfsError } from "../../kernel/errors.ts";
import { nearestOf } from "../../kernel/nearest.ts";
import type { SignedIn, SignInOptions } from "../../mcp/sign-in.ts";
import type { CredentialStore } from "../../model/credentials.ts";
import type { ServerName } from "../../model/names.ts";
import type { HttpTransport, ServerEntry } from "../../model/server-entry.ts";

/** Signs the user in to servers over HTTP, and out again. Nothing else opens a sign-in: a call only says that one is wanted. */
export interface SignIns {
  /** @throws McpfsError USAGE, UNTRUSTED, AUTH_REQUIRED, SERVER_FAILED */
  readonly signIn: (
    server: ServerName,
    person: Pick<SignInOptions, "onAddress" | "signal">,
  ) => Promise<SignedIn>;
  /** Forgets the credentials. @returns false where there were none @throws McpfsError USAGE */
  readonly signOut: (server: ServerName, signal: AbortSignal) => Promise<boolean>;
  /** Another one after each sign-in and renewal, also of other processes; empty where nobody has signed in. Never rejects. */
  readonly signInMark: (server: ServerName) => Promise<string>;
}

/** Creates it; nothing is loaded before it is needed. */
export function createSignIns(parts: {
  /** The config's entries, with the problem UNTRUSTED where that is so; may ask a person. */
  readonly judged: () => Promise<readonly ServerEntry[]>;
  readonly entries: () => readonly ServerEntry[];
  readonly store: () => Promise<CredentialStore>;
}): SignIns {
  return {
    signIn: async (server, person) => {
      const entry = overHttp(server, await parts.judged());
      if (entry.problem !== undefined) throw entry.problem;
      const { signIn } = await import("../../mcp/sign-in.ts");
      return await signIn({ ...person, entry, store: await parts.store() });
    },
    signOut: async (server, signal) => {
      const entry = overHttp(server, await parts.judged());
      const { signOut } = await import("../../mcp/sign-in.ts");
      return await signOut({ entry, store: await parts.store(), signal });
    },
    signInMark: async (server) => {
      try {
        const { transport } = overHttp(server, parts.entries());
        const { credentialPlace } = await import("../../mcp/http-target.ts");
        const stored = await (await parts.store()).read(credentialPlace(transport));
        return stored?.accessToken === undefined ? "" : digestText(stored.accessToken).slice(0, 16);
      } catch {
        return "";
      }
    },
  };
}

function overHttp(server: ServerName, entries: readonly ServerEntry[]): SignInOptions["entry"] {
  const entry = entries.find(({ name }) => name === server);
  if (entry === undefined) {
    const names = entries.map(({ name }) => name);
    const [near] = nearestOf(server, names, 1);
    throw new McpfsError("USAGE", `mcpfs.json has no server ${JSON.stringify(server)}.`, {
      hint: near === undefined ? 'See them with "mcpfs ls".' : `Did you mean ${near}?`,
    });
  }
  const { transport } = entry;
  if (isHttp(transport) && URL.canParse(transport.url)) return { ...entry, transport };
  if (entry.problem !== undefined) throw entry.problem;
  throw new McpfsError("USAGE", `Server ${server} is a program on this machine: nobody signs in to it.`, {
    hint: `Its keys are variables: "env" of ${server} in mcpfs.json.`,
  });
}

function isHttp(transport: ServerEntry["transport"]): transport is HttpTransport {
  return transport.kind === "http" || transport.kind === "sse";
}
