import type { OAuthSettings } from "../model/credentials.ts";
import type { EntryReader } from "./entry-reader.ts";
import type { ServerShape } from "./server-schema.ts";
import { variableNames } from "./variables.ts";

/** How to sign in to a server over HTTP; `undefined` where the entry says nothing of it. What is wrong goes to the reader. */
export function readOAuth({ oauth }: ServerShape, reader: EntryReader): OAuthSettings | undefined {
  if (oauth === undefined) return undefined;
  const { grant = "authorization_code", callbackPort } = oauth;
  const expanded = (key: "clientId" | "clientSecret" | "issuer"): string | undefined => {
    const raw = oauth[key];
    if (raw === undefined) return undefined;
    const value = reader.text(raw, ["oauth", key]).trim();
    if (value === "" && reader.error() === undefined)
      reader.problem(["oauth", key], "is empty.", "Set the variable that holds it, or remove the key.");
    return value;
  };
  const clientId = expanded("clientId");
  const clientSecret = expanded("clientSecret");
  const issuer = expanded("issuer");
  const scopes = scopesOf(oauth.scopes);
  if (clientSecret !== undefined && clientId === undefined)
    reader.problem(["oauth", "clientSecret"], "needs a clientId.", "A secret belongs to one client.");
  if (grant === "client_credentials" && clientSecret === undefined)
    reader.problem(
      ["oauth"],
      "needs clientId and clientSecret for this grant.",
      "No person signs in with it.",
    );
  if (issuer !== undefined && !URL.canParse(issuer) && reader.error() === undefined)
    reader.problem(["oauth", "issuer"], "must be a whole URL.", "Example: https://login.host.example");
  return {
    grant,
    ...(clientId === undefined ? {} : { clientId }),
    ...(clientSecret === undefined ? {} : { clientSecret }),
    ...(scopes.length === 0 ? {} : { scopes }),
    ...(issuer === undefined ? {} : { issuer }),
    ...(callbackPort === undefined ? {} : { callbackPort }),
  };
}

/** Names of the variables that `oauth` is made of: another one is another secret sent. */
export function oauthVariables({ oauth }: ServerShape): readonly string[] {
  const values = [oauth?.clientId, oauth?.clientSecret, oauth?.issuer];
  return values.flatMap((value) => (value === undefined ? [] : variableNames(value)));
}

function scopesOf(scopes: string | readonly string[] | undefined): readonly string[] {
  const words = typeof scopes === "string" ? [scopes] : (scopes ?? []);
  return words.flatMap((word) => word.split(/\s+/)).filter((word) => word !== "");
}
