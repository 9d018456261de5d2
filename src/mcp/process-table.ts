import { execFile } from "node:child_process";
import { descendantsOf } from "./proc-children.ts";

/** Who started whom, as the system tells. */
export interface ProcessTable {
  /**
   * Groups other than its own in which processes below `pid` run: programs that a server started detached, such as
   * a browser. Empty where the system does not tell.
   */
  readonly strayGroups: (pid: number) => Promise<readonly number[]>;
}

/** Ending the servers must not wait for a list of processes. */
const PS_MS = 400;

/**
 * Creates the table of one host. Linux tells in `/proc`; elsewhere `ps` does, which is in POSIX, and callers at the same time share
 * one reading (with one each, closing 146 servers took 3.5 s).
 */
export function createProcessTable(platform: NodeJS.Platform): ProcessTable {
  let reading: Promise<readonly (readonly number[])[]> | undefined;
  return {
    strayGroups: async (pid) => {
      const below = platform === "linux" ? descendantsOf(pid) : undefined;
      if (below !== undefined)
        return [...new Set(below.map(({ group }) => group))].filter((group) => group !== pid && group > 1);
      reading ??= readRows().finally(() => {
        reading = undefined;
      });
      return strayGroupsOf(pid, await reading);
    },
  };
}

/** Rows of process, parent and group. */
async function readRows(): Promise<readonly (readonly number[])[]> {
  const text = await new Promise<string>((resolve) => {
    const columns = ["-o", "pid=", "-o", "ppid=", "-o", "pgid="];
    execFile("ps", ["-A", ...columns], { timeout: PS_MS }, (_error, stdout) => resolve(stdout));
  });
  return text
    .split("\n")
    .map((line) => line.trim().split(/\s+/).map(Number))
    .filter((row) => row.length === 3);
}

function strayGroupsOf(pid: number, rows: readonly (readonly number[])[]): readonly number[] {
  const tree = new Set([pid]);
  const groups = new Set<number>();
  // A set may grow while it is walked, so this reaches every depth.
  for (const parent of tree)
    for (const [id = 0, parentId, group = 0] of rows) {
      if (parentId !== parent || id === parent) continue;
      tree.add(id);
      if (group !== pid && group > 1) groups.add(group);
    }
  return [...groups];
}
