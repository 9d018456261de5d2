// mcpfs as the client under test of the conformance suite: node client.mjs <URL of the suite's server>. A workspace whose only
// server is that URL is synced, and its tools are called, as the scenario wants (MCP_CONFORMANCE_SCENARIO).
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PassThrough, Writable } from "node:stream";
import { createAskPerson } from "../../dist/cli/ask-person.js";
import { openHost } from "../../dist/engine/open-host.js";
import { createRedactor, silentLog } from "../../dist/kernel/log.js";

const url = process.argv.at(-1);
const CALLS = {
  tools_call: [["test/add_numbers", { a: 5, b: 3 }]],
  "elicitation-sep1034-client-defaults": [["test/test_client_elicitation_defaults", {}]],
  "sse-retry": [["test/test_reconnection", {}]],
};

/** A person who agrees, and takes what is offered for every field by pressing Enter. */
function createAgreeingPerson() {
  const stdin = new PassThrough();
  const answer = (text) => {
    if (text.includes("[y]es")) stdin.write("y\n");
    else if (/[:?] ?$/.test(text)) stdin.write("\n");
  };
  const stderr = new Writable({
    write: (chunk, _encoding, done) => {
      setImmediate(answer, String(chunk));
      done();
    },
  });
  const io = { stdin, stdout: stderr, stderr, signal: new AbortController().signal };
  return createAskPerson(io, { clear: () => {} });
}

let closeHost = async () => {};
const root = mkdtempSync(join(tmpdir(), "mcpfs-conformance-"));
try {
  writeFileSync(join(root, "mcpfs.json"), JSON.stringify({ policy: "open", mcpServers: { test: { url } } }));
  const host = await openHost({
    root,
    env: { ...process.env, MCPFS_HOME: root },
    platform: process.platform,
    homeDir: root,
    version: "conformance",
    log: silentLog,
    redactor: createRedactor(),
    askTrust: async () => true,
    askPerson: createAgreeingPerson(),
  });
  closeHost = host.close;
  const { servers } = await host.sync();
  for (const { error } of servers) if (error !== null) throw new Error(`${error.code}: ${error.message}`);
  for (const [name, given] of CALLS[process.env.MCP_CONFORMANCE_SCENARIO] ?? []) {
    const outcome = await host.call(name, given);
    if (outcome.kind === "error") throw new Error(`${outcome.error.code}: ${outcome.error.message}`);
  }
} finally {
  await closeHost();
  rmSync(root, { recursive: true, force: true });
}
process.exit(0);
