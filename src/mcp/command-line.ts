import { posix, win32 } from "node:path";

/** What to hand to `spawn`, always with `shell: false`. */
export interface CommandLine {
  readonly file: string;
  readonly args: readonly string[];
  /** Windows only: the arguments are one text, quoted already. */
  readonly isVerbatim: boolean;
}

/** Facts about the machine that decide how a command is started. */
export interface CommandSurroundings {
  readonly platform: NodeJS.Platform;
  /** The environment that the server will get: its PATH decides, not ours. */
  readonly environment: Readonly<Record<string, string>>;
  readonly cwd: string;
  readonly isExecutable: (path: string) => boolean;
}

/**
 * Finds the program that `command` names and says how to start it, or `undefined` where there is none. Looking
 * first gives a clear error, since `spawn` says ENOENT for a missing command and a missing folder alike.
 *
 * On Windows `npx`, `uvx` and most of what configs name are `.cmd` files. Node.js refuses to start those without a
 * shell (CVE-2024-27980), so they go through `cmd.exe` with every argument quoted for both parsers.
 */
export function findCommand(
  command: string,
  args: readonly string[],
  surroundings: CommandSurroundings,
): CommandLine | undefined {
  if (surroundings.platform === "win32") return findOnWindows(command, args, surroundings);
  const { environment, cwd, isExecutable } = surroundings;
  const candidates = command.includes("/")
    ? [posix.resolve(cwd, command)]
    : (environment.PATH ?? "/usr/bin:/bin").split(":").map((folder) => posix.resolve(cwd, folder, command));
  // The system looks the name up again, in the same places: the program then sees the name that the config gave.
  return candidates.some(isExecutable) ? { file: command, args, isVerbatim: false } : undefined;
}

function findOnWindows(
  command: string,
  args: readonly string[],
  { environment, cwd, isExecutable }: CommandSurroundings,
): CommandLine | undefined {
  const variable = (name: string): string | undefined =>
    Object.entries(environment).find(([key]) => key.toUpperCase() === name)?.[1];
  const endings = (variable("PATHEXT") ?? ".COM;.EXE;.BAT;.CMD").split(";").filter((ending) => ending !== "");
  const hasEnding = endings.some((ending) => command.toUpperCase().endsWith(ending.toUpperCase()));
  const names = hasEnding ? [command] : endings.map((ending) => command + ending.toLowerCase());
  const folders = /[\\/]/.test(command) ? [cwd] : [...(variable("PATH") ?? "").split(";")];
  const found = folders
    .flatMap((folder) => names.map((name) => win32.resolve(cwd, folder, name)))
    .find((path) => isExecutable(path));
  if (found === undefined) return undefined;
  if (!/\.(?:cmd|bat)$/i.test(found)) return { file: found, args, isVerbatim: false };
  const shell =
    variable("COMSPEC") ?? win32.resolve(variable("SYSTEMROOT") ?? "C:\\Windows", "System32", "cmd.exe");
  const line = [escapeForCmd(found), ...args.map((arg) => escapeForCmd(quoteArgument(arg), true))].join(" ");
  return { file: shell, args: ["/d", "/s", "/c", `"${line}"`], isVerbatim: true };
}

/** Quotes as the C runtime reads it: backslashes count only in front of a quote. */
function quoteArgument(argument: string): string {
  return `"${argument.replace(/(\\*)"/g, '$1$1\\"').replace(/(\\*)$/, "$1$1")}"`;
}

/** Takes the meaning from every character that `cmd.exe` acts on; a batch file reads its arguments a second time. */
function escapeForCmd(text: string, isReadTwice = false): string {
  const once = text.replace(/[()\][%!^"`<>&|;, *?]/g, "^$&");
  return isReadTwice ? once.replace(/[()\][%!^"`<>&|;, *?]/g, "^$&") : once;
}
