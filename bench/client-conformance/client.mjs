// mcpfs as the client under test of the conformance suite: node client.mjs <URL of the suite's server>. A workspace whose only
// server is that URL is synced, and its tools are called, as the scenario wants (MCP_CONFORMANCE_SCENARIO). In those of OAuth somebody
// signs in first, in a browser that agrees, and again where a call says so.
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PassThrough, Writable } from "node:stream";
import { createAskPerson } from "../../dist/cli/ask-person.js";
import { createTerminal } from "../../dist/cli/terminal.js";
import { openHost } from "../../dist/engine/open-host.js";
import { createRedactor, silentLog } from "../../dist/kernel/log.js";

const url = process.argv.at(-1);
const scenario = process.env.MCP_CONFORMANCE_SCENARIO ?? "";
const isAuth = scenario.startsWith("auth/");
const CALLS = {
  tools_call: [["test/add_numbers", { a: 5, b: 3 }]],
  "elicitation-sep1034-client-defaults": [["test/test_client_elicitation_defaults", {}]],
  "sse-retry": [["test/test_reconnection", {}]],
};

/** What a user writes into the config for this scenario. */
function oauthSettings() {
  const { client_id: clientId, client_secret: clientSecret } = JSON.parse(
    process.env.MCP_CONFORMANCE_CONTEXT ?? "{}",
  );
  if (scenario === "auth/basic-cimd")
    return { clientId: "https://conformance-test.local/client-metadata.json" };
  const grant = scenario.startsWith("auth/client-credentials") ? { grant: "client_credentials" } : {};
  return { ...grant, ...(clientId && { clientId }), ...(clientSecret && { clientSecret }) };
}

/** A browser: the suite's authorization server agrees at once and sends it back. */
function visit(address) {
  void fetch(address);
}

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
  return createAskPerson(createTerminal(io, { clear: () => {} }));
}

let closeHost = async () => {};
const root = mkdtempSync(join(tmpdir(), "mcpfs-conformance-"));
try {
  const test = { url, ...(isAuth && { oauth: oauthSettings() }) };
  writeFileSync(join(root, "mcpfs.json"), JSON.stringify({ policy: "open", mcpServers: { test } }));
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
  const signIn = async () =>
    await host.signIn("test", { onAddress: visit, signal: AbortSignal.timeout(20_000) });
  if (isAuth) await signIn();
  const { servers } = await host.sync();
  for (const { error } of servers) if (error !== null) throw new Error(`${error.code}: ${error.message}`);
  const { tools = [] } = (await host.catalog()).servers.find(({ name }) => name === "test") ?? {};
  const calls = isAuth ? tools.map(({ raw }) => [`test/${raw}`, {}]) : (CALLS[scenario] ?? []);
  for (const [name, given] of calls) {
    const outcome = await host.call(name, given);
    const isAgain = isAuth && outcome.kind === "error" && outcome.error.code === "AUTH_REQUIRED";
    if (isAgain) await signIn();
    const last = isAgain ? await host.call(name, given) : outcome;
    if (last.kind === "error") throw new Error(`${last.error.code}: ${last.error.message}`);
  }
} finally {
  await closeHost();
  rmSync(root, { recursive: true, force: true });
}
process.exit(0);
