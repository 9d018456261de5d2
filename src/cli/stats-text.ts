import type { Stats } from "../engine/search/stats.ts";
import { count, oneLine } from "../kernel/text.ts";
import type { Mode } from "../tokens/recommend.ts";

/** The lines of `mcpfs stats`. */
export function statsLines(stats: Stats): readonly string[] {
  return [...adviceLines(stats), "", ...serverLines(stats), "", ...useLines(stats)];
}

/** What each recommendation means, and why. */
const ADVICE: Readonly<Record<Mode, string>> = {
  direct:
    "direct calls. All definitions together are so small that handing them to the model is simpler and better than any search.",
  discover: "discovery. Hand out definitions on demand: search, show, then call.",
  code: "code mode. Let the model find tools in the tree and call them from scripts, so that neither definitions nor results pass through it.",
};

/** The share of the window and what it leads to. */
export function adviceLines({ total, encoding, context, recommendation }: Stats): readonly string[] {
  const { percent, mode } = recommendation;
  const share = `${oneDecimal(percent)} % of a context window of ${figure(context.windowTokens)}`;
  return [
    `Definitions of ${count(total.tools, "tool")}: ${count(total.definitions, "token")} (${encoding}), ${share}.`,
    `Recommended: ${ADVICE[mode]}`,
    `By the share alone: up to ${context.directPercent} % direct calls, up to ${context.discoverPercent} % discovery ("context" in mcpfs.json).`,
  ];
}

function serverLines({ servers, total }: Stats): readonly string[] {
  const row = (name: string, tools: number, definitions: number, listing: number): string =>
    `${oneLine(name, 36).padEnd(38)}${figure(tools).padStart(8)}${figure(definitions).padStart(14)}${figure(listing).padStart(12)}`;
  return [
    `${"server".padEnd(38)}${"tools".padStart(8)}${"definitions".padStart(14)}${"listing".padStart(12)}`,
    ...servers.map(({ name, tools, definitions, listing }) => row(name, tools, definitions, listing)),
    row("together, with servers/README.md", total.tools, total.definitions, total.listing),
    `AGENTS.md takes ${count(total.guide, "token")}; an answer of search with five hits ${figure(total.search)}, in ${total.searchMs} ms.`,
  ];
}

/** What was used so far; tokens of runs are estimates. */
function useLines({ usage, total }: Stats): readonly string[] {
  if (usage.runs === 0 && usage.search.searches === 0) return ["No run and no search so far."];
  return [...tokenLines(usage, total), ...otherLines(usage)];
}

function tokenLines(
  { runs, calls, tokens }: Stats["usage"],
  { definitions }: Stats["total"],
): readonly string[] {
  const row = (name: string, direct: number | undefined, ours: number | undefined): string =>
    `${name.padEnd(38)}${cell(direct)}${cell(ours)}`;
  const direct = definitions * runs + tokens.arguments + tokens.results;
  const ours = tokens.discovery + tokens.script + tokens.answer;
  return [
    `Tokens of ${count(runs, "run")} with ${count(calls, "call")} (estimated; files that an agent read itself are not known)`,
    `${"".padEnd(38)}${"direct calls".padStart(16)}${"with mcpfs".padStart(16)}`,
    row("definitions, once a run", definitions * runs, undefined),
    row("searches, and definitions shown", undefined, tokens.discovery),
    row("arguments, scripts", tokens.arguments, tokens.script),
    row("results, answers of scripts", tokens.results, tokens.answer),
    row("together", direct, ours),
    ...(tokens.models === 0
      ? []
      : [row("besides: models asked by extract, servers", undefined, tokens.models)]),
    "",
  ];
}

function otherLines({ search, unknown, lists, client }: Stats["usage"]): readonly string[] {
  const { searches, empty, medianMs, p95Ms, calledAfter, shownBefore } = search;
  const lines: string[] = [];
  if (searches > 0)
    lines.push(
      `Searches: ${searches}, ${empty} of them without a hit; median ${medianMs} ms, 95 % within ${p95Ms} ms.`,
    );
  if (calledAfter > 0) {
    const share = oneDecimal((shownBefore / calledAfter) * 100);
    lines.push(
      `Of ${count(calledAfter, "tool")} called after a search, ${shownBefore} were among the hits (${share} %).`,
    );
  }
  if (unknown.length > 0)
    lines.push(
      `Unknown names: ${unknown.map(({ name, times }) => `${oneLine(name, 64)} (${times})`).join(", ")}.`,
    );
  if (lists.changes > 0)
    lines.push(
      `Tool lists changed ${count(lists.changes, "time")}: ${lists.added} added, ${lists.changed} changed, ${lists.removed} removed.`,
    );
  if (client.requests > 0)
    lines.push(`Clients reported ${count(client.requests, "request")}${clientText(client)}.`);
  return lines;
}

function clientText({ firstTokenMs, cachedPercent }: Stats["usage"]["client"]): string {
  const parts = [
    ...(firstTokenMs === null ? [] : [`first token after ${firstTokenMs} ms (median)`]),
    ...(cachedPercent === null ? [] : [`${oneDecimal(cachedPercent)} % of the input from the prompt cache`]),
  ];
  return parts.length === 0 ? "" : `: ${parts.join(", ")}`;
}

function cell(tokens: number | undefined): string {
  return (tokens === undefined ? "–" : figure(tokens)).padStart(16);
}

function figure(amount: number): string {
  return amount.toLocaleString("en-US");
}

function oneDecimal(value: number): string {
  return String(Math.round(value * 10) / 10);
}
