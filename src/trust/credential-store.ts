import { join } from "node:path";
import { digestText } from "../kernel/digest.ts";
import { withFileLock } from "../kernel/file-lock.ts";
import { removeIfExists, statIfExists, writeAtomic } from "../kernel/fsx.ts";
import { type Json, own } from "../kernel/json.ts";
import type { Redactor } from "../kernel/log.ts";
import type {
  CredentialPlace,
  CredentialStore,
  HeldCredentials,
  OAuthClient,
  StoredCredentials,
} from "../model/credentials.ts";
import { readUserFile, USER_FILE_MODE, type UserFile, userFilePath, writingUserFile } from "./user-folder.ts";

const VERSION = 1;

/**
 * Creates the store: one file for each server's address, `credentials/<digest>.json` in the user's folder, for this user only.
 * A server whose authorization server is slow keeps nobody waiting but its own callers.
 * @param redactor learns each secret as soon as it is read or written
 */
export function createCredentialStore(
  env: Readonly<Record<string, string | undefined>>,
  redactor: Redactor,
): CredentialStore {
  const pathOf = ({ url }: CredentialPlace, ending: string): string =>
    join(userFilePath(env, "credentials"), `${digestText(url).slice(0, 32)}.${ending}`);

  const readAll = async (place: CredentialPlace): Promise<readonly StoredCredentials[]> => {
    const file: UserFile<readonly StoredCredentials[]> = {
      path: pathOf(place, "json"),
      parse: parseFile,
      consequence: "nobody is signed in to that server",
      hint: 'It holds what "mcpfs auth" got. Repair or delete it, then sign in again.',
    };
    const all = (await readUserFile(file)) ?? [];
    for (const credentials of all) redactor.add(secretsIn(credentials));
    return all;
  };

  const writeAll = async (place: CredentialPlace, all: readonly StoredCredentials[]): Promise<void> => {
    const path = pathOf(place, "json");
    if (all.length === 0) return await removeIfExists(path);
    for (const credentials of all) redactor.add(secretsIn(credentials));
    const text = JSON.stringify(
      { version: VERSION, server: publicAddress(place.url), credentials: all },
      null,
      2,
    );
    await writeAtomic(path, `${text}\n`, USER_FILE_MODE);
  };

  const read = async (place: CredentialPlace): Promise<StoredCredentials | undefined> =>
    (await readAll(place)).findLast((credentials) => isMeant(place, credentials));

  const seen = new Map<string, { readonly stamp: string; readonly all: readonly StoredCredentials[] }>();
  /**
   * The same for each request: a file that was not replaced since is not read again. A network disk may tell of that late; then the
   * server refuses what is old, and under the lock the file itself is read.
   */
  const glance = async (place: CredentialPlace): Promise<StoredCredentials | undefined> => {
    const path = pathOf(place, "json");
    const stats = await statIfExists(path);
    if (stats === undefined) return undefined;
    const stamp = [stats.ino, stats.mtimeMs, stats.ctimeMs, stats.size].join(" ");
    const known = seen.get(path);
    const all = known?.stamp === stamp ? known.all : await readAll(place);
    seen.set(path, { stamp, all });
    return all.findLast((credentials) => isMeant(place, credentials));
  };

  const held = (place: CredentialPlace): HeldCredentials => ({
    read: async () => await read(place),
    write: async (credentials) => {
      const others = (await readAll(place)).filter((other) => !isSame(other, credentials));
      await writingUserFile(pathOf(place, "json"), () => writeAll(place, [...others, credentials]));
    },
    remove: async () => {
      const others = (await readAll(place)).filter((other) => !isMeant(place, other));
      await writingUserFile(pathOf(place, "json"), () => writeAll(place, others));
    },
  });

  return {
    read: glance,
    exclusive: async (place, work) => {
      // What fails in the work itself, such as a request, is no fault of the file.
      const [outcome] = await writingUserFile(pathOf(place, "json"), () =>
        withFileLock(pathOf(place, "lock"), () => Promise.allSettled([work(held(place))])),
      );
      if (outcome.status === "rejected") throw outcome.reason;
      return outcome.value;
    },
  };
}

/** A client of the config is another one than those that mcpfs registers. */
function isMeant({ clientId, issuer }: CredentialPlace, credentials: StoredCredentials): boolean {
  const { client } = credentials;
  const isClient = clientId === undefined ? client.isRegistered : client.id === clientId;
  return isClient && (issuer === undefined || issuer === credentials.issuer);
}

/** Of the clients that mcpfs registers at one authorization server, the last counts. */
function isSame(a: StoredCredentials, b: StoredCredentials): boolean {
  const isSameClient = a.client.id === b.client.id || (a.client.isRegistered && b.client.isRegistered);
  return a.issuer === b.issuer && isSameClient;
}

function secretsIn({ accessToken, refreshToken, client }: StoredCredentials): readonly string[] {
  const secrets = [accessToken, refreshToken, client.secret].filter((secret) => secret !== undefined);
  return secrets.flatMap((secret) => [secret, encodeURIComponent(secret)]);
}

/** For whoever looks into the file: queries may hold keys. */
function publicAddress(text: string): string {
  const { origin, pathname } = new URL(text);
  return origin + pathname;
}

function parseFile(value: Json): readonly StoredCredentials[] {
  const all = own(value, "credentials");
  if (own(value, "version") !== VERSION || !Array.isArray(all))
    throw new TypeError("not a store of credentials");
  return (all as readonly Json[]).map((item) => ({
    issuer: required(item, "issuer"),
    client: parseClient(own(item, "client") ?? null),
    ...texts(item, ["accessToken", "refreshToken", "scope", "missingScope", "resource"]),
    ...time(item),
  }));
}

function parseClient(value: Json): OAuthClient {
  return {
    id: required(value, "id"),
    isRegistered: own(value, "isRegistered") === true,
    ...texts(value, ["secret", "method", "redirect"]),
  };
}

function required(value: Json, key: string): string {
  const text = own(value, key);
  if (typeof text !== "string" || text === "") throw new TypeError(`${key} is not a text`);
  return text;
}

/** Those of the keys that are there. */
function texts<K extends string>(value: Json, keys: readonly K[]): { readonly [key in K]?: string } {
  const found: { [key in K]?: string } = {};
  for (const key of keys) if (own(value, key) !== undefined) found[key] = required(value, key);
  return found;
}

function time(value: Json): { readonly expiresAtMs?: number } {
  const expiresAtMs = own(value, "expiresAtMs");
  if (expiresAtMs === undefined) return {};
  if (typeof expiresAtMs !== "number") throw new TypeError("expiresAtMs is not a number");
  return { expiresAtMs };
}
