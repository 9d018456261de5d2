// Compares what the servers of the chaos run received with what the journals and the callers say.
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { DO } from "./tools.mjs";

const lines = (path) =>
  readFileSync(path, "utf8")
    .split("\n")
    .filter((line) => line !== "");

/** @returns calls of all journals, in no order: what was about to be sent, and how it ended, if that was written */
function recordedCalls(root) {
  const runs = join(root, ".mcpfs", "runs");
  if (!existsSync(runs)) return [];
  return readdirSync(runs).flatMap((runId) => {
    const path = join(runs, runId, "journal.jsonl");
    if (!existsSync(path)) return [];
    // A kill may cut the last line of a journal; that one counts as not written.
    const text = readFileSync(path, "utf8");
    const events = text
      .slice(0, text.lastIndexOf("\n") + 1)
      .split("\n")
      .filter((line) => line !== "")
      .map((line) => JSON.parse(line));
    const isEnded = events.some(({ event }) => event === "end");
    return events
      .filter(({ event }) => event === "call")
      .map((call) => ({
        id: call.arguments.id,
        tool: call.tool,
        runId,
        isEnded,
        answers: events.filter(({ event, call: number }) => event === "answer" && number === call.call),
      }));
  });
}

/**
 * @param outcomes id → {code, isOwn}, as callers got them
 * @param made ids of calls whose callers were not killed
 * @returns what is wrong, as sentences, and counts for the table
 */
export function judgeCalls({ root, logFile, outcomes, made }) {
  const faults = [];
  const received = new Map();
  for (const line of lines(logFile)) {
    const { id } = JSON.parse(line);
    received.set(id, (received.get(id) ?? 0) + 1);
  }
  const recorded = new Map();
  for (const call of recordedCalls(root)) {
    if (recorded.has(call.id)) faults.push(`${call.id} was recorded twice`);
    recorded.set(call.id, call);
  }
  for (const [id, times] of received) {
    if (times > 1) faults.push(`${id} reached its server ${times} times`);
    if (!recorded.has(id)) faults.push(`${id} reached its server and is in no journal`);
  }
  const effects = { done: 0, failed: 0, unknown: 0, open: 0 };
  for (const { id, tool, runId, isEnded, answers } of recorded.values()) {
    const [answer] = answers;
    effects[answer?.effect ?? "open"] += 1;
    if (answers.length > 1) faults.push(`${id} was answered ${answers.length} times in run ${runId}`);
    if (answer === undefined && isEnded) faults.push(`${id} has no outcome in run ${runId}, which ended`);
    if (answer?.effect === "done" && !received.has(id))
      faults.push(`${id} is done, but no server received it`);
    const mayBeRefused = tool !== DO.name || answer?.error?.code === "TOOL_ERROR";
    if (answer?.effect === "failed" && !mayBeRefused && !received.has(id))
      faults.push(`${id} failed, but no server received it`);
  }
  for (const [id, { code, isOwn }] of outcomes) {
    const call = recorded.get(id);
    const answer = call?.answers[0];
    if (!isOwn) faults.push(`${id} got the answer of another call`);
    if (call === undefined && (code === "ok" || code === "OUTCOME_UNKNOWN" || code === "TOOL_ERROR"))
      faults.push(`${id} ended as ${code} and is in no journal`);
    if (call !== undefined && answer === undefined)
      faults.push(`${id} ended as ${code}; the journal does not say so`);
    if (answer !== undefined && (code === "ok") !== (answer.error === undefined))
      faults.push(`${id} ended as ${code}; the journal says ${answer.error?.code ?? "ok"}`);
  }
  for (const id of made) if (!outcomes.has(id)) faults.push(`${id} was made and never ended`);
  return { faults, effects, received: received.size, recorded: recorded.size };
}

/** Enough calls and time for a leak to show above what a heap does by itself. */
const LEAST_SAMPLES = 60;
const MAY_GROW = 1.15;
const MAY_GROW_BYTES = 8 * 1024 * 1024;

/** Compares the second fifth of a host's life with the last. @returns a fault, or undefined */
export function judgeMemory(samples) {
  if (samples.length < LEAST_SAMPLES) return undefined;
  const fifth = Math.floor(samples.length / 5);
  const [before, after] = [samples.slice(fifth, 2 * fifth), samples.slice(-fifth)].map((part) =>
    median(part),
  );
  if (after <= before * MAY_GROW + MAY_GROW_BYTES) return undefined;
  return `the heap of the long-lived host grew from ${megabytes(before)} to ${megabytes(after)} MB`;
}

export function median(samples) {
  return samples.map(({ heapUsed }) => heapUsed).sort((a, b) => a - b)[Math.floor(samples.length / 2)] ?? 0;
}

export const megabytes = (bytes) => Math.round(bytes / 1024 / 1024);
