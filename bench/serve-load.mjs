// Many clients of `mcpfs serve --http` at once: each with a token of its own, each script with one call and an answer that no other has.
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";

const root = fileURLToPath(new URL("..", import.meta.url));
const cli = join(root, "dist/cli.js");
const echo = {
  tools: [{ name: "echo", inputSchema: { type: "object", properties: { text: { type: "string" } } } }],
  answers: { echo: { echoArguments: true } },
};

/** The script of one request; its value is the text that goes through the server and back. */
function scriptFor(text) {
  return `import * as live from "./servers/live";
const { text } = await live.echo({ text: ${JSON.stringify(text)} });
console.log("from", text);
export default text;`;
}

/**
 * Lets `clients` send `scripts` each, one after the other, all clients at once; half of them speak the newer generation.
 * @returns times in milliseconds, samples of the server's memory in megabytes, and what went wrong
 */
export async function loadServe({ clients, scripts }) {
  const base = mkdtempSync(join(tmpdir(), "mcpfs-serve-load-"));
  const env = { ...process.env, MCPFS_HOME: join(base, "home") };
  const tokens = Array.from({ length: clients }, (_, index) => `token-of-client-number-${index}`);
  const config = {
    mcpServers: {
      live: {
        command: process.execPath,
        args: [join(root, "test/servers/scripted.mjs"), JSON.stringify(echo)],
      },
    },
    serve: {
      mode: "code",
      clients: Object.fromEntries(tokens.map((token, index) => [`client-${index}`, { token }])),
    },
  };
  writeFileSync(join(base, "mcpfs.json"), JSON.stringify(config));
  for (const args of [["trust", "--yes"], ["sync"]])
    spawnSync(process.execPath, [cli, "-C", base, ...args], { env, stdio: "ignore" });
  const server = spawn(process.execPath, [cli, "-C", base, "--json", "serve", "--http", "0"], {
    env,
    stdio: ["ignore", "pipe", "inherit"],
  });
  try {
    const [line] = await once(server.stdout, "data");
    const { url } = JSON.parse(String(line));
    const sessions = [];
    for (const [index, token] of tokens.entries()) sessions.push(await connect(url, token, index));
    const times = [];
    const faults = [];
    const memoryMb = [];
    const sampler = setInterval(() => memoryMb.push(residentMb(server.pid)), 500);
    const start = performance.now();
    await Promise.all(
      sessions.map(async (client, index) => {
        for (let number = 0; number < scripts; number += 1) {
          const text = `client ${index} script ${number}`;
          const began = performance.now();
          const answer = await client
            .callTool({ name: "run_script", arguments: { code: scriptFor(text) } }, { timeout: 300_000 })
            .catch((error) => ({ content: [{ text: String(error) }] }));
          times.push({ atMs: began - start, ms: performance.now() - began });
          const got = answer.content[0]?.text;
          if (got !== `from ${text}\n${text}\n(1 call: 1 done)`) faults.push(`${text}: ${got}`);
        }
      }),
    );
    const seconds = (performance.now() - start) / 1_000;
    clearInterval(sampler);
    await Promise.all(sessions.map((client) => client.close()));
    return { times, faults, memoryMb, seconds };
  } finally {
    server.kill("SIGTERM");
    await once(server, "exit");
    rmSync(base, { recursive: true, force: true });
  }
}

async function connect(url, token, index) {
  const mode = index % 2 === 0 ? "legacy" : { pin: "2026-07-28" };
  const client = new Client({ name: `load-${index}`, version: "1.0.0" }, { versionNegotiation: { mode } });
  const headers = { authorization: `Bearer ${token}` };
  await client.connect(new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers } }));
  return client;
}

/** Memory of a process that is in use, from /proc; 0 where the system has none. */
function residentMb(pid) {
  try {
    const [, kilobytes] = /VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, "utf8")) ?? [];
    return Math.round(Number(kilobytes ?? 0) / 1024);
  } catch {
    return 0;
  }
}

/** The value below which this share of the numbers lies. */
export function quantile(numbers, share) {
  const sorted = [...numbers].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
}
