// What each server of the chaos run lists and does, whatever it speaks. Every call is noted in a file before anything else is
// done with it, in one write: what stands there was received, whatever became of the answer.
import { appendFileSync, readFileSync, renameSync, watchFile, writeFileSync } from "node:fs";

/** What a call may ask of its server, and how often of a hundred it does. */
export const ACTS = {
  plain: 52,
  slow: 8,
  large: 3,
  fail: 5,
  refuse: 4,
  never: 2,
  dieBefore: 1,
  dieAfter: 2,
  half: 3,
  forget: 3,
  storm: 2,
  change: 4,
  extra: 8,
  noise: 3,
};

const MAX_EXTRAS = 4;
const STORM = 1_000;
const text = { type: "string" };

/** The tools that are always there. */
export const DO = {
  name: "do",
  description: "Does what it is told.",
  inputSchema: { type: "object", properties: { id: text, act: text }, required: ["id", "act"] },
};

/** One that comes and goes; its definition changes with its version. */
export function extraTool(name, version) {
  return {
    name,
    description: `Comes and goes. Version ${version}.`,
    inputSchema: { type: "object", properties: { id: text, [`field${version}`]: text }, required: ["id"] },
  };
}

/** The name of the extra tool with this number. */
export const extraName = (number) => `extra_${number}`;

/** The extra tools that stand in a server's list file: name → version. */
export function readExtras(listFile) {
  return JSON.parse(readFileSync(listFile, "utf8"));
}

/** Changes the list in one step: a tool comes, goes, or gets another definition. */
export function changeExtras(listFile, random) {
  const extras = readExtras(listFile);
  const name = extraName(Math.floor(random() * MAX_EXTRAS));
  const version = (extras[name] ?? 0) + 1 + Math.floor(random() * 100);
  if (extras[name] !== undefined && random() < 0.5) delete extras[name];
  else extras[name] = version;
  writeExtras(listFile, extras);
}

export function writeExtras(listFile, extras) {
  const temporary = `${listFile}.${process.pid}`;
  writeFileSync(temporary, JSON.stringify(extras));
  renameSync(temporary, listFile);
}

/**
 * @param options.tell says that the list changed
 * @returns what a server needs to answer
 */
export function createTools({ server, listFile, logFile, tell }) {
  let known = readFileSync(listFile, "utf8");
  const follow = () => {
    const now = readFileSync(listFile, "utf8");
    if (now === known) return;
    known = now;
    tell();
  };
  // The list is one for all processes of this server; each tells its own clients.
  watchFile(listFile, { interval: 50 }, follow);
  return {
    listed: () => [
      DO,
      ...Object.entries(readExtras(listFile)).map(([name, version]) => extraTool(name, version)),
    ],
    /**
     * Does the part of a call that no protocol is needed for.
     * @returns the result of `tools/call`, or what is to become of the answer instead
     */
    call: async (tool, { id, act = "plain" }) => {
      if (tool !== DO.name && readExtras(listFile)[tool] === undefined) return "unknown";
      if (act === "dieBefore") process.exit(1);
      appendFileSync(logFile, `${JSON.stringify({ server, tool, id, act, pid: process.pid })}\n`);
      if (act === "dieAfter") process.exit(1);
      if (act === "slow") await new Promise((resolve) => setTimeout(resolve, 50 + Math.random() * 400));
      if (act === "storm") for (let count = 0; count < STORM; count += 1) tell();
      if (act === "change") {
        changeExtras(listFile, Math.random);
        follow();
      }
      if (["refuse", "never", "half", "forget", "noise"].includes(act)) return act;
      const structuredContent = { id, ...(act === "large" && { rest: "x".repeat(300_000) }) };
      return {
        content: [{ type: "text", text: JSON.stringify(structuredContent) }],
        ...(act === "fail" ? { isError: true } : { structuredContent }),
      };
    },
  };
}

/** The answer of a call that asked for something that this kind of server does not do. */
export const plainAnswer = (id) => ({ content: [], structuredContent: { id } });
