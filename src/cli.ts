#!/usr/bin/env node
import { homedir } from "node:os";
import { setImmediate } from "node:timers/promises";
import { interruption } from "./cli/cli-context.ts";
import { flushed } from "./cli/io.ts";
import { main } from "./cli/main.ts";
import { ERROR_CODES, systemCode } from "./kernel/errors.ts";

// Libraries print to stdout through console; stdout belongs to a command's answer.
// biome-ignore lint/suspicious/noConsole: the one place that takes console away from stdout
console.debug = console.log = console.info = console.error;

const stop = new AbortController();
for (const name of ["SIGINT", "SIGTERM", "SIGHUP"] as const) {
  process.on(name, () => {
    if (stop.signal.aborted) process.exit(130);
    stop.abort(interruption());
  });
}
// The reader of our output may go away (`mcpfs ls | head`): that is no error. A full disk is one.
let lostBy = "";
process.stdout.on("error", (error) => {
  const reason = systemCode(error);
  if (lostBy === "" && !["EPIPE", "ERR_STREAM_DESTROYED"].includes(reason)) lostBy = reason;
});
process.stderr.on("error", () => {});

// The command alone decides when it is done: pipes and threads that hold nothing open must not end it in an await.
const alive = setInterval(() => {}, 2 ** 30);
const code = await main(process.argv.slice(2), {
  stdout: process.stdout,
  stderr: process.stderr,
  stdin: process.stdin,
  env: process.env,
  cwd: process.cwd(),
  platform: process.platform,
  homeDir: homedir(),
  isTerminal: process.stderr.isTTY === true && process.env.CI === undefined,
  isOutputTerminal: process.stdout.isTTY === true,
  signal: stop.signal,
});
clearInterval(alive);
await Promise.all([flushed(process.stdout), flushed(process.stderr)]);
// A write that failed says so a moment later.
await setImmediate();
if (lostBy !== "") {
  process.stderr.write(
    `error FILE_FAILED: The answer could not be written to standard output (${lostBy}).\n`,
  );
}
process.exit(lostBy === "" ? code : code || ERROR_CODES.FILE_FAILED);
