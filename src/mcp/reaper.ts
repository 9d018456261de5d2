import { type ChildProcess, spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { settlesWithin } from "../kernel/wait.ts";

/**
 * A small process that outlives the host by a moment: it holds one end of a pipe, and when the pipe closes,
 * because the host ended in any way, also by SIGKILL, it ends the process groups that are still registered.
 */
export interface Reaper {
  /** Stands in the environment of every server that this host starts: how the reaper knows one that was not registered yet. */
  readonly mark: { readonly name: string; readonly value: string };
  /** Makes sure that the reaper runs, and tells it that a server is about to be started. */
  readonly start: () => void;
  /** Registers a process group (on Windows: a process) by the id of its leader. */
  readonly register: (pid: number) => void;
  /** Takes it back as soon as the leader has been waited for and its group ended: the id may soon be another's. */
  readonly unregister: (pid: number) => void;
  /** Ends what is still registered, and the reaper. Resolves once it is gone; at most about a second. */
  readonly close: () => Promise<void>;
}

/** The variable that holds the mark. */
const MARK = "MCPFS_STARTED_BY";

/**
 * Lines come in: `?` before a server is started, `+ <group>` once it is, `= <group>` for one that an earlier reaper knew, `- <group>`
 * when it is gone. At the end of input the groups that are left get SIGTERM, and after 0.3 seconds SIGKILL; so do groups of
 * processes below them that run detached (a browser). Where a start was announced and not told of, the host was killed in the midst
 * of it: then processes with the host's mark in their environment are looked for, where the system shows that (Linux). INT,
 * TERM and HUP are ignored, so that a Ctrl-C meant for the host does not end it first.
 * `/bin/sh` needs 1 MB and starts in 2 ms; a Node.js process would cost 40 MB and 50 ms for every command.
 */
const POSIX_SCRIPT = `
trap '' INT TERM HUP
left=' '
starting=0
while read -r verb group; do
  case $verb in
    '?') starting=$((starting + 1)) ;;
    +) starting=$((starting - 1)); left="$left$group " ;;
    =) left="$left$group " ;;
    -) case $left in *" $group "*) left="\${left%% $group *} \${left#* $group }" ;; esac ;;
  esac
done
if [ $starting -gt 0 ]; then
  sleep 0.1 2>/dev/null || sleep 1
  for file in $(grep -ls "${MARK}=$1" /proc/[0-9]*/environ 2>/dev/null); do
    pid=\${file#/proc/}
    left="$left\${pid%%/*} "
  done
fi
[ "$left" = ' ' ] && exit 0
left="$left$(ps -A -o pid= -o ppid= -o pgid= 2>/dev/null | awk -v roots="$left" '
  { parent[$1] = $2; group[$1] = $3 }
  END {
    count = split(roots, names, " ")
    for (i = 1; i <= count; i++) root[names[i]] = 1
    for (pid in parent) {
      above = pid
      for (depth = 0; depth < 100 && above in parent && !(above in root); depth++) above = parent[above]
      if (above in root && !(group[pid] in root) && group[pid] > 1) found[group[pid]] = 1
    }
    for (one in found) printf "%s ", one
  }' 2>/dev/null)"
for group in $left; do kill -TERM -"$group" 2>/dev/null; done
sleep 0.3 2>/dev/null || sleep 1
for group in $left; do kill -KILL -"$group" 2>/dev/null; done
exit 0
`;

/** The same for Windows, where a tree is ended by its root and `sh` is no part of the system. */
const WINDOWS_SCRIPT = `
const left = new Set();
let rest = "";
process.stdin.setEncoding("utf8");
process.stdin.on("data", (chunk) => {
  const lines = (rest + chunk).split("\\n");
  rest = lines.pop();
  for (const line of lines) line[0] === "-" ? left.delete(line.slice(2)) : left.add(line.slice(2));
});
process.stdin.on("end", () => {
  for (const pid of left) require("node:child_process").spawnSync("taskkill", ["/T", "/F", "/PID", pid]);
});
`;

/** The longest that ending the reaper may take: its own pause, and a loaded machine. */
const CLOSE_MS = 1_000;
/** A reaper that somebody ended is replaced, but not for ever. */
const MAX_STARTS = 5;

/**
 * Creates the reaper of one host; its process starts with the first server.
 *
 * Registration is one write to the pipe right after `spawn` returned, which on a busy machine takes milliseconds: a host that was
 * killed within them left a server that did not care for the end of its stdin (measured, once in seventy kills). Hence the mark.
 * The alternative, a launcher shell that registers itself and then becomes the server, has no such gap, but shells drop environment
 * variables whose names are not identifiers (`spring.datasource.url`), and servers are configured by those.
 */
export function createReaper(platform: NodeJS.Platform): Reaper {
  let child: ChildProcess | undefined;
  let starts = 0;
  const registered = new Set<number>();
  const mark = { name: MARK, value: randomUUID() };
  const tell = (line: string): void => void child?.stdin?.write(line);
  const run = (): void => {
    if (child !== undefined) return;
    const [file, args] =
      platform === "win32"
        ? [process.execPath, ["-e", WINDOWS_SCRIPT]]
        : ["/bin/sh", ["-c", POSIX_SCRIPT, "sh", mark.value]];
    const started: ChildProcess = spawn(file, args, {
      stdio: ["pipe", "ignore", "ignore"],
      cwd: platform === "win32" ? undefined : "/",
      env: platform === "win32" ? process.env : { PATH: process.env.PATH ?? "/usr/bin:/bin" },
      detached: true,
      windowsHide: true,
    });
    child = started;
    starts += 1;
    // One that died, or could not be started since no file can be opened any more (EMFILE), is replaced, with all that it knew.
    const replace = (): void => {
      if (child !== started) return;
      child = undefined;
      if (registered.size > 0 && starts < MAX_STARTS) run();
    };
    started.once("error", replace);
    started.once("exit", replace);
    // It must not keep the host alive.
    started.unref();
    unrefStream(started.stdin);
    started.stdin?.on("error", () => {});
    for (const pid of registered) tell(`= ${pid}\n`);
  };
  return {
    mark,
    start: () => {
      run();
      if (platform !== "win32") tell("?\n");
    },
    register: (pid) => {
      run();
      registered.add(pid);
      tell(`+ ${pid}\n`);
    },
    unregister: (pid) => {
      if (registered.delete(pid)) tell(`- ${pid}\n`);
    },
    close: async () => {
      const ending = child;
      child = undefined;
      registered.clear();
      if (ending === undefined || ending.exitCode !== null || ending.signalCode !== null) return;
      const gone = new Promise<void>((resolve) => ending.once("exit", () => resolve()));
      ending.ref();
      ending.stdin?.end();
      await settlesWithin(gone, CLOSE_MS);
    },
  };
}

/** A child's pipe is a socket underneath, which the types do not say. */
function unrefStream(stream: unknown): void {
  if (
    typeof stream === "object" &&
    stream !== null &&
    "unref" in stream &&
    typeof stream.unref === "function"
  )
    stream.unref();
}
