import { existsSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";

/** Where the tests stand that prove a case of the bug bank, by the case's id: a file below `test/`, and names of tests in it. */
const PROOFS: Readonly<Record<string, readonly (readonly [file: string, ...names: string[]])[]>> = {
  "client-env-replaces-defaults": [
    ["mcp/stdio-odd.test.ts", "a server gets the safe variables and its own, and no secret of the host"],
    ["mcp/process-parts.test.ts", "is the safe part of the host's and its own, which wins"],
  ],
  "client-stdout-banner": [
    [
      "mcp/stdio-odd.test.ts",
      "stray lines on stdout are skipped and warned of once, with the server's name and at most three lines",
      "a message after a byte order mark is read",
    ],
  ],
  "client-stderr-backpressure": [
    ["mcp/stdio-odd.test.ts", "a flood on stderr blocks nothing, and its end is shown when the server fails"],
  ],
  "client-unreaped-and-double-spawn": [
    [
      "mcp/stdio-odd.test.ts",
      "after a death two callers at once get one new process; the first is reaped; the list counts as changed",
      "a server that keeps dying is started less and less often, and each caller gets an error",
    ],
  ],
  "client-oauth-refresh-race": [
    [
      "mcp/sign-in.test.ts",
      "eight calls after the access token is over share one renewal, and all are carried out",
      "an authorization server that cannot be reached costs the call, and nothing of what is stored",
    ],
    [
      "cli/auth.test.ts",
      "two processes that start at once after the access token is over renew it once, and all calls succeed",
    ],
  ],
  "client-credentials-on-redirect": [
    [
      "mcp/redirects.test.ts",
      "nothing secret goes to another origin",
      "a stream of the older transport that names an address elsewhere gets nothing there",
      "a redirect that stays is followed, with headers, credentials and body",
    ],
  ],
  "client-fallback-hides-reason": [
    ["mcp/http.test.ts", "a refusal with words shows them, and the second attempt over SSE too"],
  ],
  "client-progress-timeout": [
    [
      "mcp/stdio-odd.test.ts",
      "progress reports start the limit anew",
      "a silent tool is SERVER_TIMEOUT with server, tool and limit, and the server is told",
      "the entry's limit holds for the start and for listing",
    ],
  ],
  "client-split-and-odd-frames": [
    [
      "mcp/stdio-odd.test.ts",
      "text is exact when it comes byte by byte, with CRLF and string ids",
      "a message of 32 MB arrives whole",
    ],
    ["mcp/process-parts.test.ts", "refuses a line beyond its limit, complete or not"],
  ],

  "listing-response-ignored": [
    [
      "bugbank/listing.test.ts",
      "a list that changed while nobody was connected is taken by files, search and details alike",
    ],
  ],
  "listing-index-not-invalidated": [
    [
      "bugbank/listing.test.ts",
      "after a change all views agree, and a script that began before is told why its call does not fit",
    ],
  ],
  "listing-cursor-never-ends": [
    [
      "mcp/listing.test.ts",
      "the same page with the same cursor is listed once",
      "a new cursor for ever with the same tools ends soon",
      "new tools on new pages for ever end at a thousand pages",
      "one limit holds for all pages",
    ],
  ],
  "listing-empty-cursor-is-token": [["mcp/listing.test.ts", "an empty cursor is followed"]],
  "listing-repeated-page-appended": [
    [
      "mcp/listing.test.ts",
      "a page that brings something new counts, though its cursor repeats",
      "the warning names the cursor",
    ],
  ],
  "listing-no-tools-capability": [
    ["mcp/listing.test.ts", "a server without tools has an empty list"],
    [
      "cli/watch.test.ts",
      "an edit of mcpfs.json is followed: a new server appears, a removed one goes; a broken file changes nothing",
    ],
    ["cli/tree.test.ts", "foreign files in servers/ are left alone, whatever becomes of the server"],
  ],

  "results-bigint-serialise": [
    ["bugbank/sandbox.test.ts", "integers beyond a double are printed, sent, received and returned"],
  ],
  "results-nul-and-host-strings": [
    ["bugbank/sandbox.test.ts", "a text with NUL is whole: printed, in names of files, in errors, in values"],
  ],
  "results-embedded-resource-dropped": [
    ["bugbank/sandbox.test.ts", "an embedded resource comes with the text beside it"],
  ],
  "results-blob-file-names": [
    ["bugbank/sandbox.test.ts", "a blob stays a block, whatever its name, and nothing is stored"],
  ],
  "results-extra-properties": [
    ["broker/broker.test.ts", "an answer against its own output schema is delivered, with a warning"],
    [
      "cli/contradicting-answers.test.ts",
      "an answer against its declared schema is delivered as it came, with warnings in the report: exec",
    ],
  ],
  "results-text-that-looks-like-json": [
    ["bugbank/sandbox.test.ts", "text stays text unless all of it is an object or an array"],
  ],
  "results-empty-object-vs-array": [
    ["bugbank/sandbox.test.ts", "no arguments are an empty object on the wire, empty lists stay"],
  ],

  "sandbox-tool-never-settles": [
    ["bugbank/sandbox.test.ts", "a tool that never settles ends the run, and is told"],
  ],
  "sandbox-dispose-after-oom": [
    ["bugbank/sandbox.test.ts", "after memory ran out the host goes on and does not grow"],
  ],
  "sandbox-deep-data-stack": [["bugbank/sandbox.test.ts", "data without bottom costs only its script"]],
  "sandbox-lost-rejection": [
    ["bugbank/sandbox.test.ts", "errors that nobody awaits are told, those of calls too"],
  ],
  "sandbox-typescript-input": [["bugbank/sandbox.test.ts", "a script is TypeScript"]],
  "sandbox-timers": [
    ["bugbank/sandbox.test.ts", "timers need no second parameter, hold nothing open, and end with the run"],
  ],
  "sandbox-late-answer-after-dispose": [["bugbank/sandbox.test.ts", "answers after the end reach nobody"]],
  "sandbox-silent-success": [
    ["bugbank/sandbox.test.ts", "a value is given also where nothing is printed, and nothing is nothing"],
  ],
  "sandbox-error-position": [
    ["bugbank/sandbox.test.ts", "an error has the script's own line and column, and the file of a wrapper"],
  ],
  "sandbox-guest-tampers-bridge": [
    [
      "bugbank/sandbox.test.ts",
      "what a script does to the language changes no call, and is gone in the next run",
    ],
  ],
  "sandbox-concurrent-runs": [
    ["bugbank/sandbox.test.ts", "runs at once do not wait for each other, nor mix what they print"],
  ],

  "config-env-default-forms": [
    [
      "config/variables.test.ts",
      "variables are replaced by one rule each",
      "forms of other programs stay, and one warning names the field but not the text",
    ],
    ["config/import-servers.test.ts", "an entry is put into our words"],
  ],
  "config-vscode-servers-inputs": [
    [
      "config/server-forms.test.ts",
      "VS Code's file: both servers are found, and the input comes from the environment",
    ],
    [
      "config/import-servers.test.ts",
      "VS Code: inputs are variables, one with an answer of its own has a default",
    ],
  ],
  "config-trailing-commas-and-syntax": [
    [
      "config/parse-config.test.ts",
      "a file that is wrong as a whole is an error at its exact place",
      "a name that stands twice is told with both lines, and the last one counts",
    ],
    [
      "config/import-servers.test.ts",
      "a file that is wrong as a whole is refused with its place",
      "a name that stands twice is told with both lines",
    ],
  ],
  "config-cwd-and-relative": [
    ["config/load-config.test.ts", "reads the file, with paths that do not depend on the current folder"],
    ["config/import-servers.test.ts", "paths mean what they meant in the client's project"],
    ["mcp/stdio-odd.test.ts", "a missing folder"],
  ],
  "config-wrong-env-key": [
    ["config/server-forms.test.ts", "a program is started as each client writes it"],
    ["config/parse-config.test.ts", "an entry that is wrong costs only itself"],
    ["cli/tree.test.ts", "ls says which servers are off, and which have no definitions although they are on"],
    [
      "config/import-servers.test.ts",
      "with its variables set, the server gets what its client gave it",
      "what cannot be taken is told of, and costs no other server",
    ],
  ],
  "config-codex-url-only": [
    [
      "config/import-servers.test.ts",
      "Codex: a URL with its token's variable, seconds, and the tools that are on",
    ],
  ],
  "config-toml-windows-path": [
    ["config/import-servers.test.ts", "TOML: %j", "a tab and a line break inside a path are noticed"],
    ["cli/import.test.ts", "TOML with a Windows path"],
  ],

  "watch-partial-write": [
    ["config/watch-config.test.ts", "a file written in steps is noticed once more when it is whole"],
    [
      "cli/watch.test.ts",
      "an edit of mcpfs.json is followed: a new server appears, a removed one goes; a broken file changes nothing",
    ],
  ],
  "watch-only-first-change": [
    [
      "config/watch-config.test.ts",
      "each kind of save is noticed, again and again",
      "a workspace that is replaced by another folder is still watched",
    ],
    [
      "bugbank/watch.test.ts",
      "a config that goes missing is told once, changes nothing, and counts again when it is back",
    ],
  ],
  "watch-self-trigger-loop": [
    [
      "bugbank/watch.test.ts",
      "a watch that nobody disturbs writes nothing and computes nothing, and files of scripts do not wake it",
    ],
  ],
  "watch-no-events-volume": [
    [
      "config/watch-config.test.ts",
      "where the system has no watches left, changes are noticed all the same",
      "with %j",
    ],
  ],
  "watch-rename-locked-on-windows": [
    [
      "kernel/fsx.test.ts",
      "on $platform a rename that fails with $failures ends as $want after $tries tries",
    ],
    [
      "tree/write-tree.test.ts",
      "one file that cannot be replaced is named after all others were done, and its folder keeps its old index",
      "temporary files of crashed writers are cleaned, other files that end in digits are not",
    ],
    ["cli/tree.test.ts", "syncs at the same time all succeed, and leave the tree that one makes"],
  ],
  "watch-restart-kills-inflight": [
    [
      "bugbank/watch.test.ts",
      "a call outlives two edits of its server; then its process goes, and the next run is of the new config",
    ],
  ],

  "security-ref-local-file": [
    ["render/untrusted.test.ts", "no reference is read from disk or fetched, and no message names a path"],
  ],
  "security-rug-pull": [
    [
      "cli/pins.test.ts",
      "is taken and shown, place by place, by default",
      "is held back under hold: wrapper and definition stay, calls are refused, until it is accepted",
    ],
  ],
  "security-pin-store-corrupt": [
    [
      "cli/pins.test.ts",
      "%s, damaged, stops everything that would accept anew",
      "deleted definitions are still known by the lock; a deleted lock is a first use, and said",
    ],
    ["tree/lock-file.test.ts", "a lock that cannot be read stops the command"],
    ["cli/tree.test.ts", "syncs at the same time all succeed, and leave the tree that one makes"],
  ],
  "security-terminal-escapes": [
    [
      "cli/hostile-text.test.ts",
      "nothing that a server writes reaches a terminal as a control or hidden character",
    ],
    [
      "render/untrusted.test.ts",
      "a server's text stays text: in wrappers, listings and signatures, wherever a description can stand",
    ],
  ],
  "security-project-config-trust": [
    [
      "cli/trust.test.ts",
      "whatever is run; commands that start nothing work",
      "an approval of a folder does not count for its copy",
    ],
    ["config/identity.test.ts", "a value that loads code counts, in the config and in the env file"],
    ["cli/import.test.ts", "a project's config is shown and not trusted, and nothing of it is started"],
  ],
  "security-secrets-in-errors": [
    [
      "cli/hostile-text.test.ts",
      "a value of the config that a server echoes is hidden wherever mcpfs writes or prints it",
    ],
    ["bugbank/secrets.test.ts", "security-secrets-in-errors over HTTP: %j"],
    ["config/secrets.test.ts", "no message of the config shows a value that may be a key"],
  ],
};

/** Cases that no test proves yet, each with the reason. */
const NOT_YET: Readonly<Record<string, string>> = {
  "security-cross-server-flow": "rules about the flow of data between servers are being built",
};

/** The kinds of cases that are listed here; those about schemas and names have `test/render/bug-bank.test.ts`. */
const KINDS = ["client", "listing", "config", "watch", "sandbox", "results", "security"];

const bank = fileURLToPath(new URL("../../../shared/bugbank.md", import.meta.url));

describe("every case of the bug bank has tests that prove it", () => {
  test.each(Object.entries(PROOFS))("%s", (_id, proofs) => {
    for (const [file, ...names] of proofs) {
      const text = readFileSync(fileURLToPath(new URL(`../${file}`, import.meta.url)), "utf8");
      const isThere = (name: string): boolean => text.includes(JSON.stringify(name));
      expect(
        names.filter((name) => !isThere(name)),
        `tests that ${file} has not`,
      ).toEqual([]);
    }
  });

  test.skipIf(!existsSync(bank))("none is left out (skipped without the bug bank)", () => {
    const cases = Array.from(
      readFileSync(bank, "utf8").matchAll(/```json\n([\s\S]*?)\n```/g),
      ([, text = ""]) => JSON.parse(text) as { readonly id: string; readonly kind: string },
    );
    const wanted = cases.filter(({ kind }) => KINDS.includes(kind)).map(({ id }) => id);
    expect([...Object.keys(PROOFS), ...Object.keys(NOT_YET)].sort()).toEqual([...wanted].sort());
  });
});
