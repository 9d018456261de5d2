/** A host process for the tests of the reaper: connects to the servers given as JSON, lists their tools, says so, and stays. */

import { silentLog } from "../../src/kernel/log.ts";
import { createHub } from "../../src/mcp/hub.ts";
import { serverEntry } from "../servers/servers.ts";

const commands = JSON.parse(process.argv[2] ?? "[]") as {
  command: string;
  args: string[];
  env?: Record<string, string>;
}[];
const entries = commands.map((command, index) => serverEntry(`s${index}`, command));
const hub = createHub({ entries, log: silentLog, clientVersion: "0.0.0-test", filesFolder: process.cwd() });
await Promise.all(entries.map(async (entry) => (await hub.link(entry.name)).listTools()));
process.stdout.write("connected\n");
process.stdin.on("data", (chunk: Buffer) => {
  const order = chunk.toString().trim();
  if (order === "exit") process.exit(0);
  if (order === "throw") throw new Error("told to");
  if (order === "close") void hub.close().then(() => process.stdin.destroy());
});
