import { isJsonObject, type Json, type JsonObject, own } from "../../kernel/json.ts";
import { inputVariable } from "../variables.ts";
import type { VariableForm } from "./mcp-clients.ts";
import type { ClientInput } from "./read-client-file.ts";

/** A server's entry in our words, and what was left out of it. */
export interface TranslatedEntry {
  readonly entry: JsonObject;
  /** Keys that mean nothing here, and that are no mere decoration. */
  readonly leftOut: readonly string[];
}

/**
 * Puts a client's entry into our words: Codex's `bearer_token_env_var`, `http_headers` and seconds, Gemini's `httpUrl` and
 * `includeTools`, Windsurf's `serverUrl`, Cursor's `auth`, and the way in which each writes variables. Values are not judged.
 */
export function translateEntry(
  value: JsonObject,
  variables: VariableForm,
  inputs: ReadonlyMap<string, ClientInput>,
): TranslatedEntry {
  const ours = withVariables(value, variables, inputs) as JsonObject;
  const keys = Object.keys(value);
  const renamed = keys.flatMap((key) => {
    const known = KEYS.get(key);
    return known === undefined ? [] : [[known, ours[key] ?? null] as const];
  });
  const entry = {
    ...Object.fromEntries(renamed),
    ...environment(value, ours),
    ...headers(value, ours),
    ...signIn(ours),
    ...deadline(value, variables),
    ...toolLists(value),
  };
  return { entry, leftOut: keys.filter((key) => !KEYS.has(key) && !OTHER_KEYS.has(key)) };
}

/** Keys that are taken as they are, by our word. What a user writes for mcpfs alone (`tools`, `builtin`) is not taken from a client. */
const KEYS: ReadonlyMap<string, string> = new Map([
  ["command", "command"],
  ["args", "args"],
  ["environment", "environment"],
  ["envFile", "envFile"],
  ["env_file", "envFile"],
  ["cwd", "cwd"],
  ["url", "url"],
  ["httpUrl", "url"],
  ["serverUrl", "url"],
  ["type", "type"],
  ["transport", "transport"],
  ["enabled", "enabled"],
  ["disabled", "disabled"],
  ["description", "description"],
]);

/** Keys that are read below, and those that only concern how a client shows a server or asks its own user. */
const OTHER_KEYS: ReadonlySet<string> = new Set([
  ...["env", "env_vars", "headers", "http_headers", "env_http_headers", "bearer_token_env_var"],
  ...["startup_timeout_sec", "startup_timeout_ms", "tool_timeout_sec", "timeout"],
  ...["enabled_tools", "includeTools", "disabled_tools", "disabledTools", "excludeTools"],
  ...["alwaysAllow", "autoApprove", "default_tools_approval_mode", "dev", "gallery", "icon", "icons"],
  ...["auth", "oauth", "name", "required", "trust", "version"],
]);

function environment(value: JsonObject, ours: JsonObject): JsonObject {
  const env = own(ours, "env");
  const names = own(value, "env_vars");
  if (!Array.isArray(names)) return env === undefined ? {} : { env };
  const forwarded = names.map((name) => [String(name), `\${${String(name)}}`]);
  return { env: { ...Object.fromEntries(forwarded), ...(isJsonObject(env) ? env : {}) } };
}

function headers(value: JsonObject, ours: JsonObject): JsonObject {
  const written = own(ours, "headers") ?? own(ours, "http_headers");
  const referring = own(value, "env_http_headers");
  const token = own(value, "bearer_token_env_var");
  // What is no object stays, and is told as wrong.
  if (written !== undefined && !isJsonObject(written)) return { headers: written };
  const all = {
    ...written,
    ...Object.fromEntries(
      Object.entries(isJsonObject(referring) ? referring : {}).map(([name, variable]) => [
        name,
        `\${${String(variable)}}`,
      ]),
    ),
    ...(token === undefined ? {} : { Authorization: `Bearer \${${String(token)}}` }),
  };
  return Object.keys(all).length === 0 ? {} : { headers: all };
}

/** A client that was registered by hand. Who has signed in with it in another program has not with mcpfs. */
function signIn(ours: JsonObject): JsonObject {
  const [oauth, auth] = [own(ours, "oauth"), own(ours, "auth")];
  const parts = {
    clientId: own(oauth, "clientId") ?? own(auth, "CLIENT_ID"),
    clientSecret: own(oauth, "clientSecret") ?? own(auth, "CLIENT_SECRET"),
    scopes: own(oauth, "scopes") ?? own(oauth, "scope") ?? own(auth, "scopes"),
    callbackPort: own(oauth, "callbackPort"),
  };
  const said = Object.entries(parts).filter(([, part]) => part !== undefined);
  return said.length === 0 ? {} : { oauth: Object.fromEntries(said) };
}

/** A client without deadlines in the file gives a server about as long as mcpfs does. */
const USUAL_DEADLINE_MS = 60_000;

/**
 * Codex counts in seconds, Gemini in milliseconds; a bare `timeout` of others is either, so it is left. mcpfs has one deadline
 * for start and calls: a short one for the start must not cut calls, so the longer one counts.
 */
function deadline(value: JsonObject, variables: VariableForm): JsonObject {
  const start =
    milliseconds(value, "startup_timeout_sec", 1_000) ?? milliseconds(value, "startup_timeout_ms", 1);
  const call =
    milliseconds(value, "tool_timeout_sec", 1_000) ??
    (variables === "dollar" ? milliseconds(value, "timeout", 1) : undefined);
  const timeoutMs = Math.ceil(Math.max(start ?? 0, call ?? USUAL_DEADLINE_MS));
  return timeoutMs === USUAL_DEADLINE_MS ? {} : { timeoutMs };
}

function milliseconds(value: JsonObject, key: string, unit: number): number | undefined {
  const amount = own(value, key);
  return typeof amount === "number" && amount > 0 ? amount * unit : undefined;
}

/** Gemini also takes `tool(argument)`; what it allows of arguments is a matter of policy here. */
function toolLists(value: JsonObject): JsonObject {
  const list = (...keys: readonly string[]): readonly string[] | undefined => {
    const found = keys.map((key) => own(value, key)).find((names) => Array.isArray(names));
    return Array.isArray(found) ? found.map((name) => String(name).replace(/\(.*$/s, "")) : undefined;
  };
  const allow = list("enabled_tools", "includeTools");
  const deny = list("disabled_tools", "disabledTools", "excludeTools");
  const tools = { ...(allow === undefined ? {} : { allow }), ...(deny?.length ? { deny } : {}) };
  return Object.keys(tools).length === 0 ? {} : { tools };
}

function withVariables(value: Json, form: VariableForm, inputs: ReadonlyMap<string, ClientInput>): Json {
  if (typeof value === "string") return withInputs(inOurForm(value, form), inputs);
  if (Array.isArray(value)) return value.map((item) => withVariables(item, form, inputs));
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => [key, withVariables(inner ?? null, form, inputs)]),
  );
}

function inOurForm(text: string, form: VariableForm): string {
  const escaped = text.replaceAll("${", () => "$${");
  switch (form) {
    case "dollar-braces":
      return text;
    case "dollar":
      return text.replace(/\$([A-Za-z_][A-Za-z0-9_]*)/g, (_, name: string) => `\${${name}}`);
    case "env-braces":
      return escaped.replace(/\{env:([A-Za-z_][A-Za-z0-9_]*)\}/g, (_, name: string) => `\${${name}}`);
    case "none":
      return escaped;
  }
}

/** An input of VS Code stays one, unless it has an answer of its own. */
function withInputs(text: string, inputs: ReadonlyMap<string, ClientInput>): string {
  return text.replace(/\$\{input:([^\s:{}]+)\}/g, (whole, id: string) => {
    const fallback = inputs.get(id)?.fallback;
    return fallback === undefined ? whole : `\${${inputVariable(id)}:-${fallback}}`;
  });
}
