import { isSameJson } from "../kernel/json.ts";
import type { ServedTool } from "../protocol/served.ts";

/**
 * The tools that one session sees. It grows at its end and nowhere else, so that what a model's cache holds of it stays good: a tool
 * that is withdrawn stays listed, and is refused, until the next session begins. Only what policy denies goes at once.
 */
export interface ToolList {
  readonly tools: () => readonly ServedTool[];
  readonly has: (name: string) => boolean;
  /** @returns whether the list is another now */
  readonly update: (now: readonly ServedTool[], denied: ReadonlySet<string>) => boolean;
}

/** Creates the list of a session. */
export function createToolList(first: readonly ServedTool[]): ToolList {
  let tools = first;
  return {
    tools: () => tools,
    has: (name) => tools.some((tool) => tool.name === name),
    update: (now, denied) => {
      const before = tools;
      const next = new Map(now.map((tool) => [tool.name, tool]));
      const known = new Set(before.map(({ name }) => name));
      tools = [
        ...before.filter(({ name }) => !denied.has(name)).map((tool) => next.get(tool.name) ?? tool),
        ...now.filter(({ name }) => !known.has(name)),
      ];
      return !isSameJson(before, tools);
    },
  };
}
