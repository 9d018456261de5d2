// The client scenarios of @modelcontextprotocol/conformance against mcpfs: npm run conformance:client [-- --keep]. The suite is
// installed into a temporary folder; nothing else is asked of the network. Prints one line a scenario; exits 1 when one fails.
import { spawnSync } from "node:child_process";
import * as fs from "node:fs";
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const VERSION = "0.1.16";
/**
 * All of the suite but three: two want what mcpfs has not (a key of the client's own, another's token exchanged), and
 * 2025-03-26-oauth-metadata-backcompat wants metadata believed that name another issuer than the address they were found at (RFC 8414, clause 3.3).
 */
const SCENARIOS = [
  ...["initialize", "tools_call", "elicitation-sep1034-client-defaults", "sse-retry"],
  ...["metadata-default", "metadata-var1", "metadata-var2", "metadata-var3", "basic-cimd"].map(auth),
  ...["scope-from-www-authenticate", "scope-from-scopes-supported", "scope-omitted-when-undefined"].map(auth),
  ...["scope-step-up", "scope-retry-limit", "pre-registration", "resource-mismatch"].map(auth),
  ...["token-endpoint-auth-basic", "token-endpoint-auth-post", "token-endpoint-auth-none"].map(auth),
  ...["2025-03-26-oauth-endpoint-fallback", "client-credentials-basic"].map(auth),
  ...["offline-access-scope", "offline-access-not-supported"].map(auth),
];
const client = fileURLToPath(new URL("client.mjs", import.meta.url));
const folder = mkdtempSync(join(tmpdir(), "mcpfs-conformance-suite-"));
let failed = 0;

try {
  const suite = install();
  console.log(`@modelcontextprotocol/conformance ${VERSION}`);
  for (const scenario of SCENARIOS) run(suite, scenario);
} finally {
  if (!process.argv.includes("--keep")) rmSync(folder, { recursive: true, force: true });
  else console.log(folder);
}
process.exit(failed === 0 ? 0 : 1);

function auth(name) {
  return `auth/${name}`;
}

/** @returns the suite's program */
function install() {
  writeFileSync(join(folder, "package.json"), '{"private":true}');
  const words = [
    "install",
    `@modelcontextprotocol/conformance@${VERSION}`,
    "--no-audit",
    "--no-fund",
    "--ignore-scripts",
  ];
  const npm = spawnSync("npm", words, { cwd: folder, encoding: "utf8", shell: process.platform === "win32" });
  if (npm.status !== 0) throw new Error(`npm install failed: ${npm.stderr}`);
  const program = join(folder, "node_modules/@modelcontextprotocol/conformance/dist/index.js");
  if (fs.globSync === undefined) provideGlob(program);
  return program;
}

/** Node.js 20 has no `globSync`; the suite imports it, and needs it for other commands only. */
function provideGlob(program) {
  const text = readFileSync(program, "utf8");
  const [imported, name] = /globSync as (\w+),/.exec(text) ?? [];
  if (imported === undefined) return;
  const start = text.startsWith("#!") ? text.indexOf("\n") + 1 : 0;
  writeFileSync(
    program,
    `${text.slice(0, start)}const ${name} = () => [];\n${text.slice(start).replace(imported, "")}`,
  );
}

function run(suite, scenario) {
  const results = join(folder, "results", scenario);
  const words = [
    suite,
    "client",
    "--command",
    `node ${client}`,
    "--scenario",
    scenario,
    "--output-dir",
    results,
  ];
  spawnSync(process.execPath, words, { encoding: "utf8", cwd: folder, timeout: 60_000 });
  const checks = readdirSync(results, { recursive: true })
    .filter((name) => name.endsWith("checks.json"))
    .flatMap((name) => JSON.parse(readFileSync(join(results, name), "utf8")));
  const judged = checks.filter(({ status }) => status !== "INFO");
  const bad = judged.filter(({ status }) => status !== "SUCCESS");
  const isRight = judged.length > 0 && bad.length === 0;
  if (!isRight) failed += 1;
  console.log(
    `${isRight ? " " : "!"} ${scenario.padEnd(40)} ${judged.length - bad.length} of ${judged.length}`,
  );
  for (const { id, status, errorMessage } of bad) console.log(`    ${id}: ${status}: ${errorMessage ?? ""}`);
}
