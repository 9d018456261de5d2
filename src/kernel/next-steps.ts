import type { Hint, Reader } from "./errors.ts";

/*
 * What to do next, for both who may read it: a command for whoever has a shell in the workspace, a tool for a client of `serve`. Where a
 * person has to act, a client is told so, and that the command is one of the host. A hint that both may read is made here; one that only whoever
 * sits at the command line meets names its command where it is thrown.
 */

/** Tools are found by other means than by the name that was used. */
export function findTools(): Hint {
  return {
    shell: "List the tools with `mcpfs ls`, or find one with `mcpfs search <words>`.",
    client: "search_tools finds tools by words, list_servers lists what there is.",
  };
}

/** More tools than the ones just named. */
export function findOtherTools(): Hint {
  return { shell: "Find others with `mcpfs search <words>`.", client: "search_tools finds others." };
}

export function listServers(): Hint {
  return { shell: 'List the servers with "mcpfs ls".', client: "list_servers names them all." };
}

/** A server is off, and its tools with it. */
export function switchServerOn(): Readonly<Record<Reader, string>> {
  return {
    shell: 'Enable the server in mcpfs.json and run "mcpfs sync", or find another tool with "mcpfs search".',
    client: "set_server switches the server on; search_tools finds another tool.",
  };
}

/** What a server's config starts wants an approval. */
export function trustServers(): Hint {
  return {
    shell: 'See what it is and approve it with "mcpfs trust".',
    client: 'A person has to approve it on the host: "mcpfs trust".',
  };
}

/** The digest that the process was given is of another config. */
export function otherDigest(): Hint {
  return {
    shell:
      'MCPFS_TRUST is not the digest of this mcpfs.json, which is of all that it starts and of its policy: read what changed, then take the one of "mcpfs trust --json".',
    client: 'A person has to look at it on the host: "mcpfs trust".',
  };
}

/** The workspace's files are older than what its servers offer. */
export function readServerAnew(folder: string): Hint {
  return {
    shell: 'Run "mcpfs sync" and read the server\'s index.ts for what it offers now.',
    client: `Read servers/${folder}/index.ts, or search_tools, for what it offers now.`,
  };
}

/** A server of mcpfs.json was never asked for its tools. */
export function syncServer(server: string): Hint {
  return {
    shell: `Run "mcpfs sync ${server}".`,
    client: `A person has to run "mcpfs sync ${server}" on the host.`,
  };
}

/** A definition that has changed is held back until somebody has looked at it. */
export function acceptChange(server: string): Hint {
  return {
    shell: `See the change with "mcpfs sync ${server}"; "mcpfs sync ${server} --accept" takes it.`,
    client: `A person has to accept the change on the host: "mcpfs sync ${server} --accept".`,
  };
}

/** A rule denies a call. */
export function askForPermission(wire: string): Hint {
  const who = "Ask the person who keeps mcpfs.json to allow it, or do without this tool.";
  return { shell: `${who} "mcpfs policy explain ${wire}" says more.`, client: who };
}

/** One call, of no script, waits for a person. */
export function approveCall(runId: string): Hint {
  return {
    shell: approveRun(runId, 1).shell,
    client: `A person decides on the host with "mcpfs runs approve ${runId}" (or deny); then make the same call again, and it goes on.`,
  };
}

/** Calls of a run wait for a person. */
export function approveRun(runId: string, calls: number): Readonly<Record<Reader, string>> {
  const them = calls === 1 ? "it" : "them";
  return {
    shell: `"mcpfs runs approve ${runId}" allows ${them}, "mcpfs runs deny ${runId}" does not; then "mcpfs runs resume ${runId}".`,
    client: `A person decides on the host with "mcpfs runs approve ${runId}" (or deny); then resume_run {"id":"${runId}"} goes on.`,
  };
}

/** What a run did, or how it ended, is on record. */
export function showRun(runId: string): Hint {
  return {
    shell: `See "mcpfs runs show ${runId}".`,
    client: `On the host, "mcpfs runs show ${runId}" tells what it did.`,
  };
}

/** A run that is not there. */
export function listRuns(): Hint {
  return { shell: 'See "mcpfs runs list".', client: "The answer of run_script names the run." };
}

/** A run cannot go on with the script that is on record. */
export function resumeWithScript(runId: string, script: string): Hint {
  return {
    shell: `Name the script: mcpfs runs resume ${runId} ${script}`,
    client: "Call resume_run with the script as code.",
  };
}

/** A server wants somebody to sign in. */
export function askToSignIn(server: string): Hint {
  return {
    shell: `Run "mcpfs auth ${server}" to sign in.`,
    client: `A person has to sign in on the host: "mcpfs auth ${server}".`,
  };
}
