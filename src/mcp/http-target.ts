import type { CredentialPlace } from "../model/credentials.ts";
import type { HttpTransport, ServerEntry } from "../model/server-entry.ts";

/** `fetch` refuses a URL that holds credentials, so they become the header that they stand for. */
export function httpTarget(entry: ServerEntry): { url: URL; headers: Record<string, string> } {
  if (entry.transport.kind !== "http" && entry.transport.kind !== "sse")
    throw new TypeError("an HTTP way needs an HTTP entry");
  const url = new URL(entry.transport.url);
  const headers: Record<string, string> = { ...entry.transport.headers };
  if (url.username !== "" || url.password !== "") {
    const pair = `${decodeURIComponent(url.username)}:${decodeURIComponent(url.password)}`;
    if (!Object.keys(headers).some((name) => name.toLowerCase() === "authorization"))
      headers.Authorization = `Basic ${Buffer.from(pair).toString("base64")}`;
    url.username = "";
    url.password = "";
  }
  return { url, headers };
}

/** Which of the stored credentials are those of a server. */
export function credentialPlace({ url, oauth }: HttpTransport): CredentialPlace {
  return { url: new URL(url).href, clientId: oauth?.clientId, issuer: oauth?.issuer };
}

/** A header or a URL of the config that holds credentials comes before what anybody signed in to. */
export function signsItself({ url, headers }: HttpTransport): boolean {
  const { username, password } = new URL(url);
  const names = Object.keys(headers).map((name) => name.toLowerCase());
  return username !== "" || password !== "" || names.includes("authorization");
}
