/** A host process for the tests of the reaper: connects to the servers given as JSON, lists their tools, says so, and stays. */

import { closeSync, openSync } from "node:fs";
import type { McpfsError } from "../../src/kernel/errors.ts";
import { silentLog } from "../../src/kernel/log.ts";
import { createHub } from "../../src/mcp/hub.ts";
import type { ServerName } from "../../src/model/names.ts";
import { serverEntry } from "../servers/servers.ts";

const commands = JSON.parse(process.argv[2] ?? "[]") as {
  command: string;
  args: string[];
  env?: Record<string, string>;
}[];
const entries = commands.map((command, index) => serverEntry(`s${index}`, command));
const options = { entries, log: silentLog, clientVersion: "0.0.0-test", filesFolder: process.cwd() };
const hub = createHub(options);
await Promise.all(entries.map(async (entry) => (await hub.link(entry.name)).listTools()));
process.stdout.write("connected\n");
process.stdin.on("data", (chunk: Buffer) => {
  const order = chunk.toString().trim();
  if (order === "exit") process.exit(0);
  if (order === "throw") throw new Error("told to");
  if (order === "close") void hub.close().then(() => process.stdin.destroy());
  if (order === "exhaust") void exhaust();
});

/** Connects by another hub, so with another reaper, while this process may open no more files, and again when it may. */
async function exhaust(): Promise<void> {
  const name = "s0" as ServerName;
  const other = createHub(options);
  const taken: number[] = [];
  try {
    for (;;) taken.push(openSync("/dev/null", "r"));
  } catch {
    // Not one more.
  }
  const { code, message, hint } = (await other.link(name).catch((error: unknown) => error)) as McpfsError;
  for (const file of taken) closeSync(file);
  const link = await other.link(name);
  process.stdout.write(`${JSON.stringify({ code, message, hint, connected: link.server })}\n`);
}
