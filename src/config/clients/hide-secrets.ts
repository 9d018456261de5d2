import { isSecretName } from "../secrets.ts";
import type { PlainEntry } from "./place-entry.ts";
import type { NeededVariable, VariableNames } from "./variable-names.ts";

/**
 * The entry with a variable in the place of each value that may be a key: what a name says is one, credentials in URLs, and
 * texts that look like one. `mcpfs.json` may be committed, and a client's file is not.
 */
export function hideSecrets(
  entry: PlainEntry,
  options: {
    readonly server: string;
    /** The client's file, where the values stay. */
    readonly file: string;
    readonly names: VariableNames;
    readonly env: Readonly<Record<string, string | undefined>>;
  },
): { readonly entry: PlainEntry; readonly needed: readonly NeededVariable[] } {
  const { server, file, names, env } = options;
  const needed: NeededVariable[] = [];
  const hide = (value: string, preferred: string, field: string): string => {
    const name = names.nameOf(preferred, server, value);
    if (needed.every((known) => known.name !== name))
      needed.push({ name, server, source: `${field} in ${file}`, isSet: env[name] === value });
    return `\${${name}}`;
  };
  const { args, env: variables, headers, url, oauth } = entry;
  const secret = oauth?.clientSecret;
  return {
    entry: {
      ...entry,
      ...(args === undefined
        ? {}
        : {
            args: args.map((argument, index) =>
              hideInArgument(argument, args[index - 1], inField(`args[${index}]`)),
            ),
          }),
      ...(url === undefined ? {} : { url: hideInUrl(url, inField("url")) }),
      ...(secret === undefined || !isLiteral(secret)
        ? {}
        : {
            oauth: { ...oauth, clientSecret: inField("oauth.clientSecret")(secret, "CLIENT_SECRET") },
          }),
      ...(headers === undefined
        ? {}
        : {
            headers: mapped(headers, (name, value) => hideInHeader(name, value, inField(`headers.${name}`))),
          }),
      ...(variables === undefined
        ? {}
        : { env: mapped(variables, (name, value) => hideInVariable(name, value, inField(`env.${name}`))) }),
    },
    needed,
  };

  function inField(field: string): Hide {
    return (value, preferred, isOwnName = false) =>
      hide(value, isOwnName ? preferred : `${server}_${preferred}`, field);
  }
}

/** Gives the variable that stands for `value`; `isOwnName` where the program that gets it knows it by that very name. */
type Hide = (value: string, preferred: string, isOwnName?: boolean) => string;

function mapped(
  values: Readonly<Record<string, string>>,
  change: (name: string, value: string) => string,
): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, change(name, value)]));
}

function hideInVariable(name: string, value: string, hide: Hide): string {
  const isSecret = isSecretName(name) || SECRET_VARIABLE.test(name) ? isLiteral(value) : holdsSecret(value);
  return isSecret ? hide(value, name, true) : value;
}

/** Variables that are made of a key and more. */
const SECRET_VARIABLE = /webhook|conn(ection)?_?str(ing)?$/i;

/** `Bearer abc` keeps its first word. */
function hideInHeader(name: string, value: string, hide: Hide): string {
  const [, scheme = "", credential = value] = /^((?:bearer|basic|token|apikey)\s+)(\S.*)$/i.exec(value) ?? [];
  const isSecret = isSecretName(name) || scheme !== "" ? isLiteral(credential) : looksSecret(credential);
  if (!isSecret) return value;
  return scheme + hide(credential, /^authorization$/i.test(name) ? "TOKEN" : name.replace(/^x-/i, ""));
}

/** `--token abc`, `--token=abc`, `-e TOKEN=abc`, `--header "X-Api-Key: abc"`, `postgres://ann:abc@host/db`. */
function hideInArgument(argument: string, before: string | undefined, hide: Hide): string {
  if (before?.startsWith("-") && !before.includes("=") && isSecretName(before) && isLiteral(argument))
    return hide(argument, before);
  const header = /^((?:--header=)?([\w-]+):\s*)(\S.*)$/s.exec(argument);
  if (header !== null && (isSecretName(header[2] ?? "") || /^(-H|--header)$/.test(before ?? "")))
    return header[1] + hideInHeader(header[2] ?? "", header[3] ?? "", hide);
  const assigned = /^(-*)([\w.-]+)=(.*)$/s.exec(argument);
  if (assigned !== null) {
    const [, dashes = "", name = "", value = ""] = assigned;
    const isSecret = isSecretName(name) ? isLiteral(value) : holdsSecret(value);
    return isSecret ? `${dashes}${name}=${hide(value, name, dashes === "")}` : argument;
  }
  if (hasCredentials(argument)) return hide(argument, "URL");
  return looksSecret(argument) ? hide(argument, "KEY") : argument;
}

/** Parts of an address keep the form in which they stand, percent-encoded or not. */
function hideInUrl(url: string, hide: Hide): string {
  const [, start = "", user = "", path = "", query = "", hash = ""] =
    /^([a-z][a-z0-9+.-]*:\/\/)(?:([^/?#]*)@)?([^?#]*)(?:\?([^#]*))?(#.*)?$/is.exec(url) ?? [];
  if (start === "") return url;
  const login = user === "" || !isLiteral(user) ? user : hide(user, "LOGIN");
  const segments = path
    .split("/")
    .map((part, index) => (index > 0 && looksSecret(part) ? hide(part, "URL_KEY") : part));
  const parameters = query.split("&").map((part) => {
    const [name = "", ...rest] = part.split("=");
    const value = rest.join("=");
    const isSecret = isSecretName(name) ? isLiteral(value) : looksSecret(value);
    return isSecret ? `${name}=${hide(value, name)}` : part;
  });
  return `${start}${login === "" ? "" : `${login}@`}${segments.join("/")}${query === "" ? "" : `?${parameters.join("&")}`}${hash}`;
}

/** False for true and false, and where nothing is left of a text beside variables without defaults. */
function isLiteral(text: string): boolean {
  if (text === "true" || text === "false") return false;
  return text.replace(/\$\{[^}:-]*(?::[^}-][^}]*)?\}/g, "").replace(/[\s:@]/g, "") !== "";
}

/** A key in the midst of a text: `Bearer abc`, `Server=db;Password=abc`, a login in a URL, or what looks like one. */
function holdsSecret(text: string): boolean {
  const assigned =
    /(?:^|[;&,\s])(?:bearer|basic)\s+(\S+)$|[;&,\s]\w*(?:password|pwd|secret|token|key)=([^;&,\s]+)/i.exec(
      text,
    );
  const value = assigned?.[1] ?? assigned?.[2];
  return (value !== undefined && isLiteral(value)) || looksSecret(text) || hasCredentials(text);
}

/** A URL that carries a password, or a user's name alone, which is then a token. */
function hasCredentials(text: string): boolean {
  const login = /[a-z][a-z0-9+.-]*:\/\/([^/?#\s]*)@/i.exec(text)?.[1];
  return login !== undefined && isLiteral(login.slice(login.indexOf(":") + 1));
}

/**
 * True for what looks like a key, whatever its name: the prefixes of well-known ones, a UUID, or twenty letters and digits in a row
 * that are no word of a path or package.
 */
function looksSecret(text: string): boolean {
  return KNOWN_KEY.test(text) || UUID.test(text) || (text.match(/[A-Za-z0-9_]{20,}/g) ?? []).some(isMixed);
}

function isMixed(run: string): boolean {
  const digits = (run.match(/\d/g) ?? []).length;
  const isRandom = /[a-z]/.test(run) && /[A-Z]/.test(run) ? digits > 0 : digits >= 3 && /[A-Za-z]/.test(run);
  return isRandom && !/^[a-z]+_[a-z_]+\d*$/.test(run);
}

const UUID = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/i;

const KNOWN_KEY =
  /(?:^|[^A-Za-z0-9])(?:sk-|pk_|rk_|gh[opsru]_|github_pat_|glpat-|xox[a-z]-|npm_|hf_|lin_api_|ntn_|secret_|figd_|shpat_)(?=[\w-]*\d)[\w-]{12,}|(?:^|[^A-Za-z0-9])(?:AKIA|ASIA|AIza|eyJ)[\w-]{12,}/;
