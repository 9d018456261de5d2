import { createBoundedWork } from "../kernel/bounded-work.ts";
import { McpfsError } from "../kernel/errors.ts";
import { MAX_WAY_BITS, patternCost } from "../kernel/pattern-cost.ts";
import { oneLine } from "../kernel/text.ts";
import type { SearchHit, SearchStrategy } from "../model/search.ts";
import type { Tool } from "../model/tool.ts";

/** A longer text of a definition takes an unlucky pattern too long. */
const MAX_TEXT = 2_000;
const MAX_PATTERN = 200;

/**
 * The time of a whole search: nothing else goes on in the host meanwhile. `thing.*9$` takes 18 ms on ten thousand tools of usual length;
 * `.*.*.*.*.*~` takes years on one long description, and no look at a pattern tells which are of that kind.
 */
const MAX_SEARCH_MS = 250;

/** Finds tools whose names or description match a pattern, whatever the case: by wire name, `server/tool`, title, description; names first. */
export function createRegexSearch(tools: () => readonly Tool[]): SearchStrategy {
  const boundedWork = createBoundedWork();
  return {
    find: async (query, limit, { within }) => {
      const pattern = patternOf(query);
      const searched = tools().filter(within);
      const hits = boundedWork(() => searched.flatMap((tool) => hitOf(tool, pattern)), MAX_SEARCH_MS);
      if (hits === undefined)
        throw new McpfsError("USAGE", `The pattern ${shown(query)} takes too long.`, {
          hint: "Use fewer of * + ? and {…}, or none within another.",
        });
      return hits.sort((a, b) => b.score - a.score).slice(0, limit);
    },
  };
}

function hitOf(tool: Tool, pattern: RegExp): readonly SearchHit[] {
  const names = [tool.wire, tool.export, `${tool.server}/${tool.raw}`, tool.title];
  if (names.some((name) => pattern.test(name))) return [{ tool, score: 2 }];
  return pattern.test(tool.description.slice(0, MAX_TEXT)) ? [{ tool, score: 1 }] : [];
}

function patternOf(query: string): RegExp {
  const hint = "Write a pattern of JavaScript, such as ^github__.*issue.";
  if (query.length > MAX_PATTERN)
    throw new McpfsError("USAGE", `The pattern ${shown(query)} has more than ${MAX_PATTERN} characters.`, {
      hint,
    });
  // No bound of time holds while V8 compiles.
  if (patternCost(query).choiceBits > MAX_WAY_BITS)
    throw new McpfsError("USAGE", `The pattern ${shown(query)} has too many | within (…).`, {
      hint: "Search for some of the words first, or write them without parentheses: list_issue|list_pull.",
    });
  try {
    return new RegExp(query, "iu");
  } catch (cause) {
    throw new McpfsError("USAGE", `${shown(query)} is no pattern.`, { hint, cause });
  }
}

function shown(query: string): string {
  return JSON.stringify(oneLine(query, MAX_PATTERN));
}
