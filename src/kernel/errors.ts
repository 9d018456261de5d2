/**
 * Every error that a user, a script or a program can meet, with the exit code it gives a command it ends.
 * The list is closed: nothing else is thrown on purpose, and nobody decides by the text of a message.
 */
export const ERROR_CODES = {
  /** The script threw, or did not parse. */
  SCRIPT_ERROR: 1,
  /** The script imports something that does not exist in the sandbox, or uses such a name. */
  IMPORT_REFUSED: 1,
  /** The type check found errors. */
  CHECK_FAILED: 1,
  /** The tool answered `isError`. */
  TOOL_ERROR: 1,
  /** No tool has this name. */
  TOOL_UNKNOWN: 1,
  /** The tool was removed or disabled, or its server is. */
  TOOL_UNAVAILABLE: 1,
  /** The arguments do not fit the tool's schema. */
  ARGUMENTS_INVALID: 1,
  /** A rule denies the call. */
  POLICY_DENIED: 1,
  /** A rule denies this data the way to that server. */
  FLOW_DENIED: 1,
  /** The definition differs from the accepted one, and policy holds it back. */
  DEFINITION_CHANGED: 1,
  /** A path leads out of the files folder. */
  FILE_OUTSIDE_WORKSPACE: 1,
  /** A file operation failed: not found, not a folder, and the like. */
  FILE_FAILED: 1,
  /** A resumed run does not do what was recorded. */
  REPLAY_DIVERGED: 1,
  /** The call went out, and nobody knows whether it took effect. */
  OUTCOME_UNKNOWN: 1,
  /** A generated file was edited, or a foreign file stands in the way. */
  FILE_IN_THE_WAY: 1,
  /** A skill's name or front matter breaks a rule of the Agent Skills format. */
  SKILL_INVALID: 1,
  /** Wrong words on the command line. */
  USAGE: 2,
  /** `mcpfs.json` or `mcpfs.lock.json` cannot be read. */
  CONFIG_INVALID: 3,
  /** A server did not start, closed, or broke the protocol. */
  SERVER_FAILED: 3,
  /** A server did not answer in time. */
  SERVER_TIMEOUT: 3,
  /** A server wants credentials. */
  AUTH_REQUIRED: 3,
  /** A language model is needed, and neither the config nor the client has one. */
  MODEL_MISSING: 3,
  /** A server's command has not been trusted by this user. */
  UNTRUSTED: 3,
  /** There is no `mcpfs.json` here or above. */
  WORKSPACE_MISSING: 3,
  /** Another process holds the workspace's lock. */
  WORKSPACE_BUSY: 3,
  /** The run goes on in another process, or is being resumed there. */
  RUN_BUSY: 3,
  /** The journal of a run cannot be believed: it was cut or edited, or another version wrote it. */
  JOURNAL_INVALID: 3,
  /** A file of the workspace or of mcpfs cannot be read or written: no room, no permission, a folder in its place. */
  DISK_FAILED: 3,
  /** A fault of mcpfs itself. */
  INTERNAL: 3,
  /** A call waits for a person. */
  APPROVAL_NEEDED: 4,
  /** The run's wall time is over. */
  LIMIT_WALL: 5,
  /** The script computed for too long. */
  LIMIT_CPU: 5,
  /** One call took too long. */
  LIMIT_CALL: 5,
  /** The script's memory is full. */
  LIMIT_MEMORY: 5,
  /** Too many calls in one run. */
  LIMIT_CALLS: 5,
  /** Too many calls of one tool in one run. */
  LIMIT_TOOL_CALLS: 5,
  /** Too many calls wait for one of the places for calls at once. */
  LIMIT_AT_ONCE: 5,
  /** Too many calls a second. */
  LIMIT_RATE: 5,
  /** Too many calls a minute. */
  LIMIT_RATE_MINUTE: 5,
  /** Arguments too large. */
  LIMIT_ARGUMENTS: 5,
  /** Result too large. */
  LIMIT_RESULT: 5,
  /** Too much output. */
  LIMIT_OUTPUT: 5,
  /** Bundle too large. */
  LIMIT_BUNDLE: 5,
  /** The script waits for something that can no longer happen. */
  DEADLOCK: 5,
  /** A person ended it with Ctrl-C, or a signal did: 128 + SIGINT, as shells count. */
  INTERRUPTED: 130,
} as const;

/** One of the closed list of error codes. */
export type ErrorCode = keyof typeof ERROR_CODES;

/**
 * What to do next, in a sentence; in two, where it matters who reads it: somebody with a shell in the workspace, or a client of `serve`,
 * which has the tools of `serve` and nothing else (`next-steps.ts`).
 */
export type Hint = string | Readonly<Record<Reader, string>>;

/** Who reads a hint. */
export type Reader = "shell" | "client";

/** Hints one after the other. */
export function joinHints(...hints: readonly Hint[]): Readonly<Record<Reader, string>> {
  const joined = (reader: Reader): string =>
    hints
      .map((hint) => (typeof hint === "string" ? hint : hint[reader]))
      .filter((hint) => hint !== "")
      .join(" ");
  return { shell: joined("shell"), client: joined("client") };
}

/** What every error says besides its code: a sentence; what to do; facts for programs. */
export interface ErrorDetails {
  readonly hint?: Hint;
  /** Facts for programs that catch the error; commands do not print them. Never holds a secret. */
  readonly data?: Readonly<Record<string, unknown>>;
  readonly cause?: unknown;
}

/** The one error class of mcpfs: a code of the closed list, a sentence, a hint. */
export class McpfsError extends Error {
  readonly code: ErrorCode;
  /** For who has a shell. */
  readonly hint: string;
  /** For a client of `serve`. */
  readonly clientHint: string;
  readonly data: Readonly<Record<string, unknown>>;

  constructor(code: ErrorCode, message: string, details: ErrorDetails = {}) {
    super(message, details.cause === undefined ? undefined : { cause: details.cause });
    this.name = "McpfsError";
    this.code = code;
    const { shell, client } = joinHints(details.hint ?? "");
    this.hint = shell;
    this.clientHint = client;
    this.data = details.data ?? {};
  }
}

/** The exit code of a command that ends with `error`; an error that is not ours counts as a fault of mcpfs. */
export function exitCodeOf(error: unknown): number {
  return error instanceof McpfsError ? ERROR_CODES[error.code] : ERROR_CODES.INTERNAL;
}

/**
 * Turns anything thrown into an {@link McpfsError}. What the system says of a file becomes `DISK_FAILED`: such an error can come
 * from any step that touches the disk, and no step knows more of it. Other foreign errors become `INTERNAL`. Both keep
 * their cause.
 */
export function toMcpfsError(error: unknown): McpfsError {
  if (error instanceof McpfsError) return error;
  const fault = DISK_FAULTS.get(systemCode(error));
  if (fault !== undefined) {
    const { path } = error as { readonly path?: string };
    const where =
      path === undefined ? "A file cannot be read or written" : `${path} cannot be read or written`;
    return new McpfsError("DISK_FAILED", `${where}: ${fault.reason} (${systemCode(error)}).`, {
      hint: fault.hint,
      data: path === undefined ? {} : { path },
      cause: error,
    });
  }
  const message = error instanceof Error ? error.message : String(error);
  return new McpfsError("INTERNAL", `Unexpected error: ${message}`, {
    hint: "This is a fault of mcpfs; please report it with the command that caused it.",
    cause: error,
  });
}

/** The `code` of a Node.js system error (`ENOENT`), or an empty string. */
export function systemCode(error: unknown): string {
  return error instanceof Error && "code" in error && typeof error.code === "string" ? error.code : "";
}

interface DiskFault {
  readonly reason: string;
  readonly hint: string;
}

const MAKE_ROOM: string = "Make room and run the command again.";
const CORRECT_PERMISSIONS: string =
  "Correct the permissions of the file and of its folder, and run the command again.";
const MOVE_AWAY: string = "Move away what stands there, and run the command again.";

/** What the system's codes for files mean, and what to do. */
const DISK_FAULTS: ReadonlyMap<string, DiskFault> = new Map([
  ["ENOSPC", { reason: "the disk is full", hint: MAKE_ROOM }],
  ["EDQUOT", { reason: "this user's share of the disk is used up", hint: MAKE_ROOM }],
  ["EFBIG", { reason: "the file would be larger than this system allows", hint: MAKE_ROOM }],
  ["EACCES", { reason: "this user may not", hint: CORRECT_PERMISSIONS }],
  ["EPERM", { reason: "this user may not", hint: CORRECT_PERMISSIONS }],
  ["EROFS", { reason: "the disk is read-only", hint: "Work in a folder that can be written." }],
  ["EISDIR", { reason: "a folder stands where a file is needed", hint: MOVE_AWAY }],
  ["ENOTDIR", { reason: "a file stands where a folder is needed", hint: MOVE_AWAY }],
  ["EEXIST", { reason: "something else stands there", hint: MOVE_AWAY }],
  // Node.js says this of a folder that it cannot make on a read-only disk.
  [
    "ENOENT",
    {
      reason: "it is missing, or its folder cannot be made",
      hint: "Check that the workspace's folder is there and can be written.",
    },
  ],
  ["ELOOP", { reason: "links lead in a circle, or a link stands where none may", hint: MOVE_AWAY }],
  ["ENAMETOOLONG", { reason: "the path is too long", hint: "Use a folder nearer to the root of the disk." }],
  ["EMFILE", { reason: "too many files are open", hint: 'Raise the limit of open files ("ulimit -n").' }],
  ["ENFILE", { reason: "too many files are open", hint: "Close other programs." }],
  ["EIO", { reason: "the disk reports a fault", hint: "Look after the disk." }],
]);
