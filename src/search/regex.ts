import { McpfsError } from "../kernel/errors.ts";
import { oneLine } from "../kernel/text.ts";
import type { SearchHit, SearchStrategy } from "../model/search.ts";
import type { Tool } from "../model/tool.ts";

/** A longer text of a definition takes an unlucky pattern too long. */
const MAX_TEXT = 2_000;
const MAX_PATTERN = 200;

/** Finds tools whose names or description match a pattern, whatever the case: by wire name, `server/tool`, title, description; names first. */
export function createRegexSearch(tools: () => readonly Tool[]): SearchStrategy {
  return {
    find: async (query, limit, { within }) => {
      const pattern = patternOf(query);
      const hits = tools().flatMap((tool): SearchHit[] => {
        if (!within(tool)) return [];
        const names = [tool.wire, tool.export, `${tool.server}/${tool.raw}`, tool.title];
        if (names.some((name) => pattern.test(name))) return [{ tool, score: 2 }];
        return pattern.test(tool.description.slice(0, MAX_TEXT)) ? [{ tool, score: 1 }] : [];
      });
      return hits.sort((a, b) => b.score - a.score).slice(0, limit);
    },
  };
}

/**
 * A pattern of JavaScript. Repeated groups (`(a+)+`, `(a|a)*`) are refused: they can take longer than the universe has, and nothing
 * stops a pattern that runs.
 */
function patternOf(query: string): RegExp {
  const hint = "Write a pattern of JavaScript, such as ^github__.*issue.";
  const shown = JSON.stringify(oneLine(query, MAX_PATTERN));
  if (query.length > MAX_PATTERN || /\)[+*{]|[+*}][+*{]|\\[1-9]|\\k</.test(query))
    throw new McpfsError("USAGE", `The pattern ${shown} could run for too long.`, { hint });
  try {
    return new RegExp(query, "iu");
  } catch (cause) {
    throw new McpfsError("USAGE", `${shown} is no pattern.`, { hint, cause });
  }
}
