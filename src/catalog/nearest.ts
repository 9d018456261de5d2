import type { Tool } from "../model/tool.ts";
import { compare } from "./naming.ts";

/** Below this likeness a suggestion misleads more than it helps: chosen on typing errors and wrong guesses of models. */
const MIN_LIKENESS = 0.4;
/** Candidates that are measured letter by letter, after pairs of letters have sorted out the rest of ten thousand. */
const MAX_MEASURED = 60;
/** Longer names are cut before they are compared: no name that we made is longer than two of 64. */
const MAX_LENGTH = 160;

/**
 * Creates a function that gives the wire names of the tools most like a name. Compared are export, wire and flat name without
 * case and punctuation, by shared pairs of letters (words in another order, a missing word) and by edits (typing errors).
 */
export function createNearest(tools: readonly Tool[]): (name: string, limit: number) => readonly string[] {
  const forms = tools.flatMap((tool, at) => {
    const server = plain(tool.folder);
    const name = plain(tool.export);
    return [...new Set([name, server + name, plain(tool.wire)])].map((text) => ({ at, text }));
  });
  const formsOfPair = new Map<string, number[]>();
  const pairCounts = forms.map(({ text }, form) => {
    const pairs = pairsOf(text);
    for (const pair of pairs) {
      const list = formsOfPair.get(pair);
      if (list === undefined) formsOfPair.set(pair, [form]);
      else list.push(form);
    }
    return pairs.size;
  });

  return (name, limit) => {
    const wanted = plain(name);
    const pairs = pairsOf(wanted);
    const shared = new Map<number, number>();
    for (const pair of pairs)
      for (const form of formsOfPair.get(pair) ?? []) shared.set(form, (shared.get(form) ?? 0) + 1);
    const likeness = new Map<number, number>();
    const byPairs = Array.from(shared, ([form, amount]) => ({
      form,
      score: (2 * amount) / (pairs.size + (pairCounts[form] ?? 0)),
    })).sort((a, b) => b.score - a.score || a.form - b.form);
    for (const { form, score } of byPairs.slice(0, MAX_MEASURED)) {
      const entry = forms[form];
      if (entry === undefined) continue;
      const measured = Math.max(score, editLikeness(wanted, entry.text));
      likeness.set(entry.at, Math.max(measured, likeness.get(entry.at) ?? 0));
    }
    return Array.from(likeness, ([at, score]) => ({ wire: tools[at]?.wire ?? "", score }))
      .filter(({ score }) => score >= MIN_LIKENESS)
      .sort((a, b) => b.score - a.score || compare(a.wire, b.wire))
      .slice(0, limit)
      .map(({ wire }) => wire);
  };
}

function plain(name: string): string {
  return name
    .slice(0, MAX_LENGTH)
    .normalize("NFKC")
    .toLowerCase()
    .replace(/[^\p{L}\p{M}\p{N}]/gu, "");
}

function pairsOf(text: string): ReadonlySet<string> {
  const padded = `^${text}$`;
  const pairs = new Set<string>();
  for (let at = 0; at + 1 < padded.length; at += 1) pairs.add(padded.slice(at, at + 2));
  return pairs;
}

/** 1 for equal texts, 0 for texts that share nothing: one minus edits (Levenshtein) by length. */
function editLikeness(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i += 1) {
    const next = [i];
    for (let j = 1; j <= b.length; j += 1) {
      const replace = (row[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1);
      next.push(Math.min(replace, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1));
    }
    row = next;
  }
  return 1 - (row[b.length] ?? 0) / Math.max(a.length, b.length, 1);
}
