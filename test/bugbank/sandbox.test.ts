import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { afterAll, beforeAll, describe, expect, test } from "vitest";

/**
 * Reports from users of other programs about sandboxes and results. Each is a script of the conformance table, run the way of a
 * user of the library in one host: bundler, sandbox, door, broker, journal and a real server over stdio.
 */
const CASES: Readonly<Record<string, readonly string[]>> = {
  "integers beyond a double are printed, sent, received and returned": ["bank-bigint-serialise"],
  "a text with NUL is whole: printed, in names of files, in errors, in values": ["bank-nul-everywhere"],
  "an embedded resource comes with the text beside it": ["several-blocks"],
  "a blob stays a block, whatever its name, and nothing is stored": ["bank-blobs-stay-blocks"],
  "text stays text unless all of it is an object or an array": [
    "bank-text-stays-text-words",
    "bank-text-stays-text-two_documents",
    "bank-text-stays-text-number",
    "bank-text-stays-text-null",
    "bank-text-stays-text-quoted",
    "bank-text-stays-text-remark",
    "bank-content-missing",
  ],
  "no arguments are an empty object on the wire, empty lists stay": ["bank-arguments-on-the-wire"],
  "a tool that never settles ends the run, and is told": ["tool-never-settles", "bank-cancel-is-sent"],
  "after memory ran out the host goes on and does not grow": [
    "ten-bombs-in-a-row",
    "usable-after-every-kind-of-end",
  ],
  "data without bottom costs only its script": [
    "json-parse-deep-arrays",
    "json-stringify-deep",
    "string-of-deep-arrays",
    "answer-deep",
  ],
  "errors that nobody awaits are told, those of calls too": ["bank-two-lost-rejections"],
  "a script is TypeScript": ["bank-typescript-input"],
  "timers need no second parameter, hold nothing open, and end with the run": [
    "bank-timers",
    "timer-with-one-parameter",
    "timer-does-not-hold-the-run",
    "long-timer-under-a-short-limit",
  ],
  "answers after the end reach nobody": ["late-answers-reach-nobody"],
  "a value is given also where nothing is printed, and nothing is nothing": [
    "style-plain-statements",
    "nothing-as-a-value",
  ],
  "an error has the script's own line and column, and the file of a wrapper": [
    "bank-error-position",
    "bank-calling-line",
    "bank-wrapper-frame",
  ],
  "what a script does to the language changes no call, and is gone in the next run": [
    "tamper-json",
    "tamper-promise-then",
    "tamper-array-prototype",
    "tamper-setters-on-object-prototype",
    "tamper-is-gone-in-the-next-run",
  ],
  "runs at once do not wait for each other, nor mix what they print": [
    "runs-at-once",
    "a-loop-does-not-block-another-run",
    "abort-while-waiting",
  ],
};

/** Other work on the machine makes a run late: it is tried again beside an empty run at that moment. */
const TRIES = 5;

interface Probe {
  readonly id: string;
}
interface Judged {
  readonly emptyMs: number;
}
const bench = (name: string): string => new URL(`../../bench/conformance/${name}`, import.meta.url).href;
const { judgeOurs } = (await import(bench("judge.mjs"))) as {
  readonly judgeOurs: (probe: Probe, answer: Judged, emptyMs: number) => string;
};
const { findProbe } = (await import(bench("probes/all.mjs"))) as {
  readonly findProbe: (id: string) => Probe | undefined;
};

let host: ChildProcess;
beforeAll(async () => {
  host = fork(new URL(bench("our-host.mjs")), [], {
    serialization: "advanced",
    execArgv: ["--expose-gc"],
  });
  await once(host, "message");
});
afterAll(async () => {
  const exit = once(host, "exit");
  host.send({ kind: "end" });
  expect(await exit).toEqual([0, null]);
});

async function faultOf(id: string): Promise<string> {
  const probe = findProbe(id);
  if (probe === undefined) return `There is no probe ${id}.`;
  for (let attempt = 1; ; attempt += 1) {
    const answer = once(host, "message") as Promise<[Judged]>;
    host.send({ kind: "probe", id, isRepeated: attempt > 1 });
    const [judged] = await answer;
    const fault = judgeOurs(probe, judged, judged.emptyMs);
    if (!fault.endsWith("ms too late") || attempt === TRIES) return fault;
  }
}

// M14
describe("the bug bank's reports about sandboxes and results", () => {
  for (const [rule, ids] of Object.entries(CASES))
    test(rule, { timeout: 120_000 }, async () => {
      for (const id of ids) expect(await faultOf(id), id).toBe("");
    });
});
