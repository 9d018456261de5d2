import type { SearchHit, SearchStrategy } from "../model/search.ts";
import type { Tool } from "../model/tool.ts";

/** A strategy with what its ranks count. */
export interface Weighted {
  readonly strategy: SearchStrategy;
  readonly weight: number;
}

/**
 * Small, so that what one strategy has first stays among the first: with the usual 60 the tail of a poor ranking pushed good hits out (share of right tools among five
 * on LiveMCPBench: 0.42 with 60, 0.51 with 5).
 */
const RANK_OFFSET = 5;
const DEPTH = 50;

/** Joins rankings by the reciprocals of their ranks. */
export function createHybrid(strategies: readonly Weighted[]): SearchStrategy {
  return {
    find: async (query, limit, options) => {
      const scores = new Map<Tool, number>();
      const lists = await Promise.all(
        strategies.map(({ strategy }) => strategy.find(query, Math.max(DEPTH, limit), options)),
      );
      for (const [at, hits] of lists.entries())
        for (const [rank, { tool }] of hits.entries())
          scores.set(
            tool,
            (scores.get(tool) ?? 0) + (strategies[at]?.weight ?? 0) / (rank + 1 + RANK_OFFSET),
          );
      const joined = Array.from(scores, ([tool, score]): SearchHit => ({ tool, score }));
      // Equal ones keep the order in which the first strategy found them.
      return joined.sort((a, b) => b.score - a.score).slice(0, limit);
    },
  };
}
