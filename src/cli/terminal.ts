import type { Interface } from "node:readline/promises";
import { Writable } from "node:stream";
import { visibleText } from "../kernel/text.ts";
import type { Io } from "./io.ts";
import type { StatusLine } from "./status-line.ts";

/** The terminal while one question is open. What is written to it is made visible, since most of it comes from servers and configs. */
export interface Talk {
  readonly say: (text: string) => void;
  /** The typed line, without spaces around it. Rejects when the person gives up. */
  readonly read: (prompt: string, isHidden?: boolean) => Promise<string>;
}

/** The terminal as a place for questions. Those of several servers and calls wait for each other. */
export interface Terminal {
  /** Does `work` when it is its turn. @returns `undefined` when the person gives up (Ctrl-C, Ctrl-D), or `signal` aborts */
  readonly converse: <T>(work: (talk: Talk) => Promise<T>, signal: AbortSignal) => Promise<T | undefined>;
}

/** Asks for a yes; anything else, and giving up, is a no. `lines` are said before. */
export async function askYes(
  { converse }: Terminal,
  lines: readonly string[],
  prompt: string,
  signal: AbortSignal,
): Promise<boolean> {
  const answer = await converse(async (talk) => {
    lines.forEach(talk.say);
    return await talk.read(`${prompt} [y/N] `);
  }, signal);
  return answer !== undefined && /^y(es)?$/i.test(answer);
}

/** Creates the terminal of a command; nothing is opened before a question. */
export function createTerminal(io: Io, status: StatusLine): Terminal {
  let last: Promise<unknown> = Promise.resolve();
  return {
    converse: (work, signal) => {
      const turn = last.then(async () => await converseOnce(io, status, work, signal));
      last = turn.catch(() => {});
      return turn;
    },
  };
}

async function converseOnce<T>(
  io: Io,
  status: StatusLine,
  work: (talk: Talk) => Promise<T>,
  signal: AbortSignal,
): Promise<T | undefined> {
  if (signal.aborted || io.signal.aborted) return undefined;
  status.clear();
  // Most commands ask nothing: what reads lines is loaded with the first question.
  const { createInterface } = await import("node:readline/promises");
  const output = createMutedOutput(io.stderr);
  const terminal = createInterface({ input: io.stdin, output: output.stream, terminal: true });
  const giveUp = new AbortController();
  const stop = AbortSignal.any([signal, io.signal, giveUp.signal]);
  terminal.on("SIGINT", () => giveUp.abort());
  terminal.on("close", () => giveUp.abort());
  try {
    return await work({
      say: (text) => void io.stderr.write(`${visibleText(text)}\n`),
      read: (prompt, isHidden = false) => read(terminal, output, visibleText(prompt), isHidden, stop),
    });
  } catch (error) {
    if (!stop.aborted) throw error;
    io.stderr.write("\n");
    return undefined;
  } finally {
    terminal.close();
  }
}

async function read(
  terminal: Interface,
  output: MutedOutput,
  prompt: string,
  isHidden: boolean,
  signal: AbortSignal,
): Promise<string> {
  if (!isHidden) return (await terminal.question(prompt, { signal })).trim();
  output.direct(prompt);
  output.mute(true);
  try {
    return (await terminal.question("", { signal })).trim();
  } finally {
    output.mute(false);
    output.direct("\n");
  }
}

/** The terminal's output, on which the echo of keys can be left out. */
interface MutedOutput {
  readonly stream: Writable;
  readonly direct: (text: string) => void;
  readonly mute: (isMuted: boolean) => void;
}

function createMutedOutput(target: Writable): MutedOutput {
  let isMuted = false;
  return {
    stream: new Writable({
      write: (chunk: Buffer, _encoding, done) => {
        if (isMuted) done();
        else target.write(chunk, () => done());
      },
    }),
    direct: (text) => void target.write(text),
    mute: (next) => {
      isMuted = next;
    },
  };
}
