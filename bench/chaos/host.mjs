// A host of the chaos run, forked by main.mjs and killed by it: keeps the tree true (if it is a watcher) and makes calls, some
// alone and some from scripts. Every call carries an id of its own; what becomes of it is told to the parent as it happens.
// Arguments in the environment: CHAOS_ROOT, CHAOS_NAME, CHAOS_SEED, CHAOS_WATCHES.
import { openHost } from "../../dist/engine/open-host.js";
import { createChangeFeed, watchWorkspace } from "../../dist/engine/watch/watch.js";
import { McpfsError } from "../../dist/kernel/errors.js";
import { createRedactor, silentLog } from "../../dist/kernel/log.js";
import { pick, randomOf } from "../fidelity/random.mjs";
import { ACTS, DO, extraName } from "./tools.mjs";

const { CHAOS_ROOT: root, CHAOS_NAME: name, CHAOS_SEED: seed, CHAOS_WATCHES: watches } = process.env;
const isWatching = watches === "1";
const random = randomOf(Number(seed), name);
const WORKERS = 8;
const CALLS_A_SCRIPT = 6;
const MEMORY_EVERY_MS = 2_000;

const tell = (message) => process.send?.(message);
/** Anything that is thrown and is no McpfsError, and any that says that mcpfs itself is at fault. */
const judge = (error, during) => {
  if (error instanceof McpfsError && error.code !== "INTERNAL")
    return tell({ kind: "failure", code: error.code, during, what: error.message });
  tell({ kind: "violation", what: `${during}: ${error?.code ?? ""} ${error?.stack ?? error}` });
};
// A run that was stopped leaves nothing.
process.on("disconnect", () => process.exit(0));
process.on("unhandledRejection", (error) =>
  tell({ kind: "violation", what: `unhandled: ${error?.stack ?? error}` }),
);
process.on("uncaughtException", (error) => {
  tell({ kind: "violation", what: `uncaught: ${error?.stack ?? error}` });
  process.exit(70);
});

const acts = Object.entries(ACTS).flatMap(([act, share]) => Array(share).fill(act));
let made = 0;
let isCalm = false;
let isEnding = false;
/** Workers that are in the middle of something. */
let busy = 0;

/** The next call: of any server, also one that is off at the moment. */
function nextCall() {
  const act = pick(random, acts);
  made += 1;
  const server = `s${Math.floor(random() * 10)}`;
  const tool = act === "extra" ? extraName(Math.floor(random() * 4)) : DO.name;
  return { server, tool, id: `${name}-${made}`, act };
}

/** Makes one call. A call that is no call, since the catalog has no such tool, is thrown by the host. @returns true where it succeeded */
async function callOnce(host, { server, tool, id, act }) {
  tell({ kind: "made", id });
  try {
    const outcome = await host.call(`${server}/${tool}`, tool === DO.name ? { id, act } : { id });
    const isOwn = outcome.kind === "error" || outcome.value?.id === id;
    const code = outcome.kind === "ok" ? "ok" : outcome.error.code;
    tell({ kind: "outcome", id, server, code, isOwn });
    return code === "ok";
  } catch (error) {
    judge(error, "call");
    tell({ kind: "outcome", id, server, code: error.code ?? "none", isOwn: true });
    return false;
  }
}

const SCRIPT = `
const one = async ({ wire, given }) => {
  try {
    const value = await callMCPTool(wire, given);
    return { id: given.id, code: "ok", isOwn: value?.id === given.id };
  } catch (error) {
    return { id: given.id, code: error.code ?? String(error), isOwn: true };
  }
};
const outcomes = [];
if (args.isAtOnce) outcomes.push(...(await Promise.all(args.calls.map(one))));
else for (const call of args.calls) outcomes.push(await one(call));
export default outcomes;`;

async function runScript(host) {
  const calls = Array.from({ length: CALLS_A_SCRIPT }, nextCall).map(({ server, tool, id, act }) => ({
    wire: `${server}__${tool}`,
    given: tool === DO.name ? { id, act } : { id },
  }));
  for (const { given } of calls) tell({ kind: "made", id: given.id });
  try {
    const source = { path: undefined, name: "chaos.ts", text: SCRIPT };
    const report = await host.run(source, { args: { calls, isAtOnce: random() < 0.5 } });
    if (report.kind !== "ok") {
      const { code, message } = report.error ?? {};
      tell({ kind: "violation", what: `a script ended as ${report.kind}: ${code} ${message}` });
    }
    for (const outcome of report.value ?? []) tell({ kind: "outcome", ...outcome });
  } catch (error) {
    judge(error, "run");
    for (const { given } of calls)
      tell({ kind: "outcome", id: given.id, code: error.code ?? "none", isOwn: true });
  }
}

const rest = () => new Promise((resolve) => setTimeout(resolve, 50));

async function work(host) {
  while (!isEnding) {
    if (isCalm) {
      await rest();
      continue;
    }
    busy += 1;
    await workOnce(host);
    busy -= 1;
  }
}

async function workOnce(host) {
  if (random() < 0.6) await callOnce(host, nextCall());
  else if (random() < 0.9) await runScript(host);
  // As a person would, beside a watch.
  else
    await host
      .sync(random() < 0.5 ? {} : { servers: [`s${Math.floor(random() * 10)}`] })
      .catch((error) => judge(error, "sync"));
}

async function main() {
  const feed = createChangeFeed();
  const stop = new AbortController();
  const host = await openHost({
    root,
    env: process.env,
    platform: process.platform,
    homeDir: root,
    version: "chaos",
    log: silentLog,
    redactor: createRedactor(),
    askTrust: async () => true,
    ...(isWatching && { onToolsChanged: feed.push, onServerLost: feed.lost }),
  });
  let isSynced = () => {};
  const synced = new Promise((resolve) => {
    isSynced = resolve;
  });
  const onEvent = (event) => {
    isSynced();
    if (event.kind === "failed") judge(event.error, "watch");
    tell({ kind: "event", event: event.kind, server: event.server });
    for (const { name: server, status, error } of event.report?.servers ?? [])
      if (error === null) tell({ kind: "synced", server, code: status });
      else
        tell({
          server,
          kind: error.code === "INTERNAL" ? "violation" : "failure",
          code: error.code,
          during: "sync",
          what: error.message,
        });
  };
  const watching = isWatching ? watchWorkspace(host, feed, { onEvent, signal: stop.signal }) : undefined;
  if (isWatching) await synced;
  const working = Promise.all(Array.from({ length: WORKERS }, () => work(host)));
  const measuring = setInterval(() => {
    globalThis.gc?.();
    const { heapUsed, rss } = process.memoryUsage();
    tell({ kind: "memory", heapUsed, rss });
  }, MEMORY_EVERY_MS);
  process.on("message", async (order) => {
    if (order === "calm") {
      isCalm = true;
      // What was begun ends first: a call that has no outcome by then never gets one.
      while (busy > 0) await rest();
      // A server that failed five times in a row is tried by the watch after a while, and at once when it is called, but not within
      // eight seconds of its last failure.
      for (let number = 0; number < 10; number += 1) {
        const call = { server: `s${number}`, tool: DO.name, act: "plain" };
        const id = `${name}-calm-${made}-${number}`;
        if (await callOnce(host, { ...call, id })) continue;
        await new Promise((resolve) => setTimeout(resolve, 9_000));
        await callOnce(host, { ...call, id: `${id}-again` });
      }
      tell({ kind: "calm" });
    } else if (order === "go") isCalm = false;
    else if (order === "end") {
      isEnding = true;
      clearInterval(measuring);
      await working;
      stop.abort();
      await watching;
      await host.close();
      tell({ kind: "ended" });
      process.disconnect();
    }
  });
  tell({ kind: "ready" });
}

await main().catch((error) => {
  judge(error, "open");
  process.exit(3);
});
