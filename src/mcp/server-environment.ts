/** Names of variables, by platform; only these and the entry's own reach a server. */
const POSIX_NAMES = [
  "HOME",
  "LANG",
  "LANGUAGE",
  "LOGNAME",
  "PATH",
  "SHELL",
  "TERM",
  "TMPDIR",
  "TZ",
  "USER",
] as const;

const WINDOWS_NAMES = [
  "APPDATA",
  "COMSPEC",
  "HOMEDRIVE",
  "HOMEPATH",
  "LOCALAPPDATA",
  "NUMBER_OF_PROCESSORS",
  "OS",
  "PATH",
  "PATHEXT",
  "PROCESSOR_ARCHITECTURE",
  "PROGRAMDATA",
  "PROGRAMFILES",
  "PROGRAMFILES(X86)",
  "PROGRAMW6432",
  "SYSTEMDRIVE",
  "SYSTEMROOT",
  "TEMP",
  "TMP",
  "USERDOMAIN",
  "USERNAME",
  "USERPROFILE",
  "WINDIR",
] as const;

/** A server behind a company's proxy or with its own certificate authority fails without these, and they are no secrets of others. */
const NETWORK_NAMES = [
  "HTTP_PROXY",
  "HTTPS_PROXY",
  "NO_PROXY",
  "ALL_PROXY",
  "http_proxy",
  "https_proxy",
  "no_proxy",
  "all_proxy",
  "NODE_EXTRA_CA_CERTS",
  "SSL_CERT_FILE",
  "SSL_CERT_DIR",
  "REQUESTS_CA_BUNDLE",
  "CURL_CA_BUNDLE",
] as const;

/**
 * The environment of a server's process: the few variables of `host` that every program needs, then the entry's
 * own. A token that happens to stand in the host's environment does not reach a server that was not given it.
 */
export function serverEnvironment(
  platform: NodeJS.Platform,
  host: Readonly<Record<string, string | undefined>>,
  own: Readonly<Record<string, string>>,
): Record<string, string> {
  const isWindows = platform === "win32";
  const names = new Set<string>([...(isWindows ? WINDOWS_NAMES : POSIX_NAMES), ...NETWORK_NAMES]);
  const environment = new Map<string, string>();
  for (const [name, value] of Object.entries(host)) {
    if (value === undefined || value.startsWith("()")) continue; // An exported shell function is code.
    const known = isWindows ? name.toUpperCase() : name;
    if (names.has(known) || known.startsWith("LC_") || known.startsWith("XDG_")) environment.set(name, value);
  }
  for (const [name, value] of Object.entries(own)) {
    // Windows knows one variable by any spelling; two spellings of PATH would leave the choice to chance.
    if (isWindows)
      for (const other of [...environment.keys()])
        if (other.toUpperCase() === name.toUpperCase()) environment.delete(other);
    environment.set(name, value);
  }
  return Object.fromEntries(environment);
}
