// Who can use `mcpfs serve`: `npm run interop [-- --write]`. Real clients against the built program; peers are installed into a
// temporary folder. `--write` puts the table into docs/interop.md. Exit code 1 when a row is not right.
import { spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { installPeers, newerNode, PEERS, peerFile } from "./peers.mjs";
import { renameProxy } from "./rename-proxy.mjs";
import { NOT_OFFERED, SCENARIOS } from "./scenarios.mjs";
import { sdkRows } from "./sdk-clients.mjs";
import { conformanceServer, makeWorkspace, serveCommand, serveHttp } from "./workspaces.mjs";

const base = mkdtempSync(join(tmpdir(), "mcpfs-interop-"));
const env = { ...process.env, MCPFS_HOME: join(base, "home"), HOME: base, MCPC_HOME_DIR: join(base, "mcpc") };
const peers = installPeers();
const demo = makeWorkspace(base, "demo", { docs: { builtin: "docs" }, crm: { builtin: "crm" } });
const suite = makeWorkspace(base, "suite", { fx: { ...conformanceServer(), sampling: "client" } });
const starter = { ...serveCommand(demo, "code"), env };
const rows = [];

const http = await serveHttp(base, demo, "code");
const direct = await serveHttp(base, suite, "direct");
const renamed = await renameProxy(direct.url, "fx__");
try {
  for (const row of sdkRows(starter, http.url)) await record(row);
  for (const row of inspectorRows()) await record(row);
  for (const row of mcporterRows()) await record(row);
  await record({ client: PEERS.mcpc, way: "http", run: useMcpc });
  for (const row of conformanceRows()) await record(row);
} finally {
  renamed.close();
  await Promise.all([http.close(), direct.close()]);
  rmSync(base, { recursive: true, force: true });
}
if (process.argv.includes("--write")) writeTable();
process.exitCode = rows.every(({ verdict }) => verdict !== "wrong") ? 0 : 1;

async function record({ client, way, run, expected }) {
  let result;
  try {
    result = await run();
  } catch (error) {
    result = { isRight: false, note: String(error).replace(/\s+/g, " ").slice(0, 300) };
  }
  const verdict = result.isRight ? "right" : expected === undefined ? "wrong" : "not offered";
  const note = verdict === "not offered" ? expected : result.note;
  rows.push({ client, way, verdict, note });
  console.log(`${verdict.padEnd(11)}  ${client}  ${way}  ${note}`);
}

/** Runs a program to its end. */
function runProgram(command, args) {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, { cwd: base, env, stdio: ["ignore", "pipe", "pipe"] });
    let stdout = "";
    let stderr = "";
    child.stdout.on("data", (chunk) => {
      stdout += chunk;
    });
    child.stderr.on("data", (chunk) => {
      stderr += chunk;
    });
    const timer = setTimeout(() => child.kill("SIGKILL"), 120_000);
    child.on("error", reject);
    child.on("close", (code) => {
      clearTimeout(timer);
      resolve({ code, stdout, stderr });
    });
  });
}

function inspectorRows() {
  const program = peerFile(peers, "@modelcontextprotocol/inspector/clients/launcher/build/index.js");
  const use = async (target) => {
    const ask = async (...args) => {
      const { code, stdout, stderr } = await runProgram(newerNode(peers), [
        program,
        "--cli",
        ...target,
        ...args,
      ]);
      if (code !== 0) throw new Error(`exit ${code}: ${stderr || stdout}`);
      return JSON.parse(stdout);
    };
    const { tools } = await ask("--method", "tools/list");
    const { resources } = await ask("--method", "resources/list");
    const call = [
      "--method",
      "tools/call",
      "--tool-name",
      "run_script",
      "--tool-arg",
      "code=export default 6 * 7",
    ];
    const { content } = await ask(...call);
    return {
      isRight: tools.length === 10 && resources.length > 20 && content[0].text === "42",
      note: `${tools.length} tools, ${resources.length} resources, script answered`,
    };
  };
  const stdio = ["--transport", "stdio", "-e", `MCPFS_HOME=${env.MCPFS_HOME}`];
  const eras = ["legacy", "modern"];
  return eras.flatMap((era) => [
    {
      client: `${PEERS.inspector} --cli, ${era}`,
      way: "http",
      run: () => use([http.url, "--transport", "http", "--protocol-era", era]),
    },
    {
      client: `${PEERS.inspector} --cli, ${era}`,
      way: "stdio",
      run: () => use([...stdio, "--protocol-era", era, starter.command, ...starter.args]),
    },
  ]);
}

function mcporterRows() {
  const program = peerFile(peers, "mcporter/dist/cli.js");
  const use = async (target) => {
    const listed = await runProgram(process.execPath, [program, "list", ...target, "--json"]);
    const tools = (listed.stdout.match(/"search_tools"/g) ?? []).length;
    const call = [
      "call",
      ...target,
      "run_script",
      "--args",
      '{"code":"export default 6 * 7"}',
      "--output",
      "text",
    ];
    const called = await runProgram(process.execPath, [program, ...call]);
    const isRight = tools > 0 && called.stdout.trim() === "42";
    return {
      isRight,
      note: isRight
        ? "listed, script answered"
        : `${listed.stderr}${called.stdout}${called.stderr}`.slice(0, 300),
    };
  };
  const stdio = ["--stdio", starter.command, ...starter.args.flatMap((arg) => ["--stdio-arg", arg])];
  return [
    {
      client: PEERS.mcporter,
      way: "http",
      run: () => use(["--http-url", http.url, "--allow-http", "--name", "ws"]),
    },
    {
      client: PEERS.mcporter,
      way: "stdio",
      run: () => use([...stdio, "--env", `MCPFS_HOME=${env.MCPFS_HOME}`, "--name", "ws"]),
    },
  ];
}

async function useMcpc() {
  const program = peerFile(peers, "@apify/mcpc/bin/mcpc");
  const mcpc = async (...args) => {
    const { code, stdout, stderr } = await runProgram(process.execPath, [program, "--json", ...args]);
    if (code !== 0) throw new Error(`mcpc ${args[0]} ${args[1]}: ${stderr || stdout}`);
    return JSON.parse(stdout);
  };
  // Its helper process gets five seconds to start, whatever else the machine does.
  for (let attempt = 1; ; attempt += 1)
    try {
      await mcpc("connect", http.url, "@ws");
      break;
    } catch (error) {
      if (attempt === 5) throw error;
    }
  try {
    const tools = await mcpc("@ws", "tools-list");
    const { content } = await mcpc("@ws", "tools-call", "run_script", "code:=export default 6 * 7");
    const resources = await mcpc("@ws", "resources-list");
    return {
      isRight:
        JSON.stringify(tools).includes("run_script") &&
        content[0].text === "42" &&
        JSON.stringify(resources).includes("AGENTS.md"),
      note: "tools, resources, script answered",
    };
  } finally {
    await mcpc("close", "@ws").catch(() => {});
  }
}

function conformanceRows() {
  const program = peerFile(peers, "@modelcontextprotocol/conformance/dist/index.js");
  return SCENARIOS.map((scenario) => ({
    client: PEERS.conformance,
    way: scenario,
    expected: NOT_OFFERED[scenario],
    run: async () => {
      const url = scenario === "dns-rebinding-protection" ? direct.url : renamed.url;
      const { code, stdout, stderr } = await runProgram(newerNode(peers), [
        program,
        "server",
        "--url",
        url,
        "--scenario",
        scenario,
      ]);
      const summary = /Passed: .*/.exec(stdout)?.[0] ?? /\d+ passed.*/i.exec(stdout)?.[0] ?? "";
      const fault = /(?:FAILURE|✗|Error)[^\n]*\n?[^\n]*/.exec(stdout + stderr)?.[0] ?? "";
      // Nothing but warnings is no proof.
      const isProof = code === 0 && !summary.includes("0/0");
      return { isRight: isProof, note: isProof ? summary : `${summary} ${fault}`.slice(0, 300) };
    },
  }));
}

function writeTable() {
  const path = fileURLToPath(new URL("../../docs/interop.md", import.meta.url));
  const page = readFileSync(path, "utf8");
  const lines = rows.map(
    ({ client, way, verdict, note }) =>
      `| ${client} | ${way} | ${verdict} | ${note.replaceAll("|", "\\|").replace(/\s+/g, " ")} |`,
  );
  const table = ["| client | way | | |", "| --- | --- | --- | --- |", ...lines].join("\n");
  writeFileSync(path, page.replace(/(<!-- table -->\n)[\s\S]*?(<!-- \/table -->)/, `$1${table}\n$2`));
}
