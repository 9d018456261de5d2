import type { Transport } from "../model/server-entry.ts";
import type { ServerIdentity } from "../model/server-identity.ts";
import type { Rename } from "./filter.ts";
import { oauthVariables } from "./oauth.ts";
import type { ServerShape } from "./server-schema.ts";
import { commandWords } from "./transport.ts";
import { variableNames } from "./variables.ts";

/**
 * What a user approves of an entry, from its texts as written. A demo server that ships with mcpfs has none, unless a module
 * renames its tools.
 * @param transport for what only the env file says
 */
export function identityOf(
  entry: ServerShape,
  transport: Transport,
  rename: Rename | undefined,
): ServerIdentity | undefined {
  const module = rename?.kind === "module" ? rename : undefined;
  if (transport.kind === "builtin" && module === undefined) return undefined;
  const env = { ...entry.environment, ...entry.env };
  const headers = entry.headers ?? {};
  const values = [...Object.values(env), ...Object.values(headers)].map(String);
  return {
    kind: transport.kind,
    command: transport.kind === "stdio" ? commandWords(entry).map((word) => word.raw) : [],
    cwd: entry.cwd ?? "",
    url: entry.url ?? "",
    envFile: entry.envFile ?? "",
    env: Object.keys(env).sort(),
    headers: Object.keys(headers).sort(),
    variables: [...new Set([...values.flatMap(variableNames), ...oauthVariables(entry)])].sort(),
    ...oauthOf(entry),
    loaders: loadersOf(transport, env),
    rename: module === undefined ? undefined : { path: module.written, digest: module.digest },
  };
}

function oauthOf({ oauth }: ServerShape): Pick<ServerIdentity, "oauth"> {
  if (oauth === undefined) return {};
  const { grant = "", clientId = "", issuer = "" } = oauth;
  return { oauth: { grant, clientId, issuer } };
}

/** As written where the config says them; those of the env file as they are. */
function loadersOf(
  transport: Transport,
  written: Readonly<Record<string, unknown>>,
): Readonly<Record<string, string>> {
  if (transport.kind !== "stdio") return {};
  const names = Object.keys(transport.env).filter((name) => LOADER.test(name));
  return Object.fromEntries(
    names.map((name) => [
      name,
      Object.hasOwn(written, name) ? String(written[name]) : (transport.env[name] ?? ""),
    ]),
  );
}

/**
 * Variables by which a trusted command runs other code: search paths, preloaded libraries, options of interpreters, the
 * registry that `npx` and `uvx` take a package from.
 */
const LOADER =
  /^(?:PATH|PATHEXT|COMSPEC|LD_.*|DYLD_.*|NODE_(?:OPTIONS|PATH|EXTRA_CA_CERTS)|BUN_.*|DENO_.*|NPM_CONFIG_.*|PYTHON(?:PATH|STARTUP|HOME)|PIP_.*|UV_.*|PERL5(?:LIB|OPT)|RUBY(?:LIB|OPT)|BASH_ENV|ENV|IFS|CLASSPATH|(?:_|JDK_)?JAVA_(?:TOOL_)?OPTIONS|DOTNET_.*|GIT_(?:SSH|SSH_COMMAND|ASKPASS|EXEC_PATH|PROXY_COMMAND|CONFIG_.*)|DOCKER_HOST|.*_PROXY)$/i;
