import type { Transport } from "../model/server-entry.ts";
import type { UsedVariable } from "./variables.ts";

/**
 * The values of one server that must never be shown: every env and header value, an OAuth client's secret, credentials and query values of
 * URLs, arguments that follow a flag like `--token`, and variables whose name says what they hold. Each in the
 * forms in which it may come back in a server's error: without `Bearer`, line by line, percent-encoded, as JSON.
 */
export function secretsOf(transport: Transport, used: readonly UsedVariable[]): readonly string[] {
  const secrets = new Set<string>();
  const add = (value: string): void => {
    for (const form of formsOf(value)) if (form !== "") secrets.add(form);
  };
  for (const { name, value, isInput } of used) if (isInput || SECRET_NAME.test(name)) add(value);
  switch (transport.kind) {
    case "stdio":
      for (const value of Object.values(transport.env)) {
        add(value);
        addFromUrl(value, add);
      }
      addFromArguments(transport.args, add);
      break;
    case "http":
    case "sse":
      addFromUrl(transport.url, add);
      for (const value of Object.values(transport.headers)) addHeader(value, add);
      if (transport.oauth?.clientSecret !== undefined) add(transport.oauth.clientSecret);
      break;
    case "builtin":
      break;
  }
  return [...secrets];
}

/** True for a name of a flag, variable or header that says that its value is a secret. */
export function isSecretName(name: string): boolean {
  return SECRET_NAME.test(name);
}

/** Names that hold a secret in flags, variables and headers: `--api-key`, `GITHUB_PAT`, `X-Auth-Token`. */
const SECRET_NAME =
  /(token|secret|passw(or)?d|passphrase|passwd|pwd|api[-_]?key|[-_]key|^-*key|credential|auth|bearer|cookie|(^|[-_])(pat|pass|dsn))s?$|^authorization$/i;

type Add = (value: string) => void;

function addFromArguments(args: readonly string[], add: Add): void {
  let isNextSecret = false;
  let isNextHeader = false;
  for (const argument of args) {
    if (isNextSecret) add(argument);
    addAssigned(argument, add);
    const header = /^(?:--header=)?([\w-]+):\s*([\s\S]*)$/.exec(argument);
    if (header?.[1] !== undefined && (isNextHeader || SECRET_NAME.test(header[1])))
      addHeader(header[2] ?? "", add);
    addFromUrl(argument, add);
    isNextSecret = argument.startsWith("-") && SECRET_NAME.test(argument);
    isNextHeader = argument === "--header" || argument === "-H";
  }
}

/** `--token=abc`, `--env=TOKEN=abc`, `Server=db;Password=abc;Port=1`: whole, and up to what may be the next part. */
function addAssigned(argument: string, add: Add): void {
  const parts = argument.split("=");
  for (const [index, name] of parts.slice(0, -1).entries()) {
    if (!SECRET_NAME.test(name)) continue;
    const value = parts.slice(index + 1).join("=");
    add(value);
    add(value.split(/[;&,\s]/, 1)[0] ?? "");
  }
}

/** `Bearer abc` is also `abc`: servers repeat the token alone. */
function addHeader(value: string, add: Add): void {
  add(value);
  const credential = /^\S+\s+(\S[\s\S]*)$/.exec(value)?.[1];
  if (credential !== undefined) add(credential);
}

function addFromUrl(text: string, add: Add): void {
  const start = text.search(/[A-Za-z][A-Za-z0-9+.-]*:\/\//);
  if (start === -1 || !URL.canParse(text.slice(start))) return;
  const url = new URL(text.slice(start));
  // A user's name beside a password is a common word ("postgres"); alone it is a token.
  add(url.password === "" ? url.username : url.password);
  if (url.password !== "")
    add(Buffer.from(`${decoded(url.username)}:${decoded(url.password)}`).toString("base64"));
  for (const [, value] of url.searchParams) add(value);
  for (const part of url.search.slice(1).split("&")) add(part.slice(part.indexOf("=") + 1));
}

function formsOf(value: string): readonly string[] {
  const lines = value.split(/\r?\n/);
  const forms = [value, value.trim(), ...(lines.length > 1 ? lines.map((line) => line.trim()) : [])];
  // The last is how a console shows a text between single quotes.
  return [
    ...forms,
    JSON.stringify(value).slice(1, -1),
    encoded(value),
    decoded(value),
    value.replaceAll("\\", "\\\\"),
  ];
}

/** A lone surrogate has no percent-encoded form. */
function encoded(value: string): string {
  try {
    return encodeURIComponent(value);
  } catch {
    return value;
  }
}

function decoded(value: string): string {
  try {
    return decodeURIComponent(value);
  } catch {
    return value;
  }
}
