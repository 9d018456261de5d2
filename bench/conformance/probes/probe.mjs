// A probe: one script, and what is right. `want.end` says how the run has to end:
//   value     it gives a value                      error     the script fails with an error of its own
//   time      it is stopped in time                 memory    it is stopped for want of memory
//   stuck     it is told that nothing can go on     stopped   another limit of ours stops it
// `want.code` is our code for it, `value` the value or a test of it, `message` a pattern for the error's text, `line` its
// line, `also` a further test of our report that gives a sentence when it fails. `peers` false or a reason: a peer's API
// cannot express the probe.
import { isDeepStrictEqual } from "node:util";

export const MIB = 1024 * 1024;

/** Limits of the probes that are to be stopped: short, so that a table takes minutes. */
export const SHORT = { cpuMs: 700, wallMs: 10_000 };
export const SHORT_WALL = { wallMs: 1_200 };
export const SMALL = { memoryBytes: 32 * MIB, wallMs: 20_000, cpuMs: 15_000 };

/** Makes the probes of one family. */
export function family(name, probes) {
  return probes.map((probe) => ({ family: name, ...probe }));
}

export const value = (wanted, more = {}) => ({ end: "value", value: wanted, ...more });
export const error = (more = {}) => ({ end: "error", code: "SCRIPT_ERROR", ...more });
export const cpu = (more = {}) => ({ end: "time", code: "LIMIT_CPU", ...more });
export const wall = (more = {}) => ({ end: "time", code: "LIMIT_WALL", ...more });
export const memory = (more = {}) => ({ end: "memory", code: "LIMIT_MEMORY", ...more });

export function isWanted(wanted, given) {
  return typeof wanted === "function" ? wanted(given) === true : isDeepStrictEqual(given, wanted);
}
