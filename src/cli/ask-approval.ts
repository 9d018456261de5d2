import { readDuration } from "../config/durations.ts";
import { McpfsError } from "../kernel/errors.ts";
import { stringifyJson } from "../kernel/json.ts";
import { oneLine, visibleText } from "../kernel/text.ts";
import type { Approval, ApprovalQuestion, AskApproval } from "../model/approval.ts";
import { parseToolPattern } from "../policy/tool-pattern.ts";
import type { Talk, Terminal } from "./terminal.ts";

/** More of the arguments than a person reads in one go is cut, and said to be. */
const MAX_ARGUMENTS = 4_000;

/** Creates the asker of the terminal for calls that policy wants decided. Whoever gives up decides later: the run is then suspended. */
export function createAskApproval(terminal: Terminal): AskApproval {
  return async (question, signal) =>
    await terminal.converse(async (talk) => {
      for (const line of questionLines(question)) talk.say(line);
      return await readApproval(question, talk);
    }, signal);
}

function questionLines({ server, tool, arguments: args, reason, rule }: ApprovalQuestion): readonly string[] {
  const text = visibleText(stringifyJson(args));
  const shown =
    text.length <= MAX_ARGUMENTS
      ? text
      : `${text.slice(0, MAX_ARGUMENTS)}… (${text.length - MAX_ARGUMENTS} more characters)`;
  return [
    "",
    `The script wants to call ${oneLine(server)}/${oneLine(tool)}:`,
    `  ${shown}`,
    `It asks because of the rule "${oneLine(rule)}": ${oneLine(reason, 400)}`,
    "  [y]es, this call        [t] this tool, in this run    [p] a pattern of tools, in this run",
    "  [n]o                    [u] this tool, until a time   [a] this tool, always",
  ];
}

async function readApproval(question: ApprovalQuestion, talk: Talk): Promise<Approval> {
  const by = "terminal" as const;
  for (;;) {
    const answer = (await talk.read("Allow? ")).toLowerCase();
    if (/^y(es)?$/.test(answer)) return { decision: "approved", by, scope: "call" };
    if (/^no?$/.test(answer)) return { decision: "denied", by, scope: "call" };
    if (answer === "t") return { decision: "approved", by, scope: "run-tool" };
    if (/^a(lways)?$/.test(answer)) return { decision: "approved", by, scope: "forever" };
    if (answer === "p")
      return { decision: "approved", by, scope: "run-pattern", pattern: await readPattern(question, talk) };
    if (answer === "u") return { decision: "approved", by, scope: "until", until: await readUntil(talk) };
  }
}

/** It must hold for the call that it is asked for, or the person would be asked the same again. */
async function readPattern({ server, tool }: ApprovalQuestion, talk: Talk): Promise<string> {
  const fallback = `${server}/*`;
  for (;;) {
    const typed = (await talk.read(`Pattern [${oneLine(fallback, 60)}]: `)) || fallback;
    try {
      const matches = parseToolPattern(typed).matches({ server, raw: tool });
      if (matches) return typed;
      talk.say(`  It does not match ${oneLine(server)}/${oneLine(tool)}.`);
    } catch (error) {
      if (!(error instanceof McpfsError)) throw error;
      talk.say(`  ${error.message} ${error.hint}`);
    }
  }
}

async function readUntil(talk: Talk): Promise<number> {
  for (;;) {
    const ms = readDuration((await talk.read("For how long [1h]: ")) || "1h");
    if (ms !== undefined) return Date.now() + ms;
    talk.say("  Write a duration: 30m, 8h or 7d.");
  }
}
