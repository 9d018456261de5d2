import type { Reader } from "../../kernel/errors.ts";
import { count, oneLine } from "../../kernel/text.ts";
import type { CallEffect, RunReport } from "../../model/run.ts";

/** More lines say less. */
const MAX_LINES = 20;

/**
 * What a run's calls did, for a person or a client's model: one line for all calls of a tool that ended alike, whether they may be made again, and what a
 * new run of the script would do twice.
 */
export function describeEffects(
  { effects, repeats }: Pick<RunReport, "effects" | "repeats">,
  reader: Reader = "shell",
): readonly string[] {
  const groups = new Map<string, CallEffect[]>();
  for (const effect of effects) {
    const key = JSON.stringify([ORDER.indexOf(effect.status), effect.server, effect.tool, effect.retry]);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [effect]);
    else group.push(effect);
  }
  const sorted = [...groups.values()].sort((one, other) => rank(one) - rank(other));
  const lines = sorted.slice(0, MAX_LINES).map(describeGroup);
  if (sorted.length > MAX_LINES)
    lines.push(`… and ${count(sorted.length - MAX_LINES, "more line")}; ${HAS_ALL[reader]}`);
  if (repeats.length > 0)
    lines.push(
      `running the whole script again would do ${repeats.length === 1 ? "call" : "calls"} ${ranges(repeats)} twice`,
    );
  return lines;
}

const HAS_ALL: Readonly<Record<Reader, string>> = {
  shell: '"mcpfs runs show" has all',
  client: 'on the host, "mcpfs runs show" has all',
};

/** What needs a look comes first. */
const ORDER: readonly CallEffect["status"][] = ["unknown", "failed", "never-sent", "done"];

function rank(group: readonly CallEffect[]): number {
  const [first] = group;
  return first === undefined ? 0 : ORDER.indexOf(first.status);
}

function describeGroup(group: readonly CallEffect[]): string {
  const [first] = group;
  if (first === undefined) return "";
  const { status, server, tool, risk, retry } = first;
  const name = server === "" ? tool : `${server}/${tool}`;
  const calls = `${group.length === 1 ? "call" : "calls"} ${ranges(group.map(({ call }) => call))}`;
  return `${status.padEnd(10)}  ${oneLine(name, 60)} (${calls})  ${ACCESS[risk]}${REMARKS[`${status} ${retry}`] ?? ""}`;
}

const ACCESS: Readonly<Record<CallEffect["risk"], string>> = {
  read: "read",
  write: "write",
  destructive: "write, may destroy",
  unstated: "may write",
};

const REMARKS: Readonly<Record<string, string>> = {
  "unknown safe": "; nobody knows whether it took effect; may be made again",
  "unknown unsafe": "; nobody knows whether it took effect; made again, it may do so twice",
  "failed safe": "; may be made again",
  "failed unsafe": "; what it did before it failed is not known",
  "never-sent safe": "; may be made",
};

/** `1–3, 7`. */
function ranges(numbers: readonly number[]): string {
  const parts: string[] = [];
  for (let at = 0; at < numbers.length; ) {
    let end = at;
    while (numbers[end + 1] === (numbers[end] ?? 0) + 1) end += 1;
    parts.push(
      end === at ? String(numbers[at]) : `${numbers[at]}${end === at + 1 ? ", " : "–"}${numbers[end]}`,
    );
    at = end + 1;
  }
  return parts.length <= MAX_RANGES ? parts.join(", ") : `${parts.slice(0, MAX_RANGES).join(", ")}, …`;
}

const MAX_RANGES = 8;
