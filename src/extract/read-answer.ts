import { isDeeperThan, type Json, parseJson } from "../kernel/json.ts";

/** A value that a script can use. */
const MAX_DEPTH = 100;

/**
 * The JSON value in a model's answer: the whole of it, or what stands in a code fence, or from the first bracket to the last, since
 * small models write around what they are asked for. `undefined` where there is none.
 */
export function readAnswer(whole: string): Json | undefined {
  // What a model thinks before it answers is no answer.
  const text = whole.replace(/^[\s\S]*<\/think>/, "");
  const fenced = /```(?:json)?\s*\n([\s\S]*?)\n\s*```/.exec(text)?.[1];
  const first = text.search(/[[{]/);
  const last = Math.max(text.lastIndexOf("]"), text.lastIndexOf("}"));
  const bracketed = first >= 0 && last > first ? text.slice(first, last + 1) : undefined;
  for (const candidate of [text, fenced, bracketed]) {
    const value = candidate === undefined ? undefined : parsed(candidate.trim());
    if (value !== undefined && !isDeeperThan(value, MAX_DEPTH)) return value;
  }
  return undefined;
}

function parsed(text: string): Json | undefined {
  try {
    return parseJson(text);
  } catch {
    return undefined;
  }
}
