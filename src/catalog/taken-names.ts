import { foldName, MAX_NAME_LENGTH } from "./identifiers.ts";

/** Names that are in use. */
export interface TakenNames {
  readonly has: (name: string) => boolean;
  readonly add: (name: string) => void;
  /** The first of `base`, `base_2`, `base_3`, … that nobody has; takes it. */
  readonly take: (base: string) => string;
}

/** Names of files and folders: two that {@link foldName} makes one text cannot stand beside each other. */
export function createTakenNames(names: Iterable<string> = []): TakenNames {
  return createTaken(names, foldName);
}

/** Wire names, which no disk sees: `raw__echo` and `raw__Echo` are two. */
export function createTakenWires(): TakenNames {
  return createTaken([], (name) => name);
}

/**
 * It remembers where it was for each base: a server that lists ten thousand names which all become one would otherwise have every
 * ending tried for each of them.
 */
function createTaken(names: Iterable<string>, fold: (name: string) => string): TakenNames {
  const taken = new Set(Array.from(names, fold));
  const nextOf = new Map<string, number>();
  return {
    has: (name) => taken.has(fold(name)),
    add: (name) => void taken.add(fold(name)),
    take: (base) => {
      let name = base;
      let next = nextOf.get(base) ?? 2;
      if (next > 2) name = withEnding(base, next++);
      while (taken.has(fold(name))) name = withEnding(base, next++);
      nextOf.set(base, next);
      taken.add(fold(name));
      return name;
    },
  };
}

function withEnding(base: string, number: number): string {
  const ending = `_${number}`;
  return cut(base, MAX_NAME_LENGTH - ending.length) + ending;
}

/** Never cuts a character of two UTF-16 units in half. */
export function cut(text: string, maxLength: number): string {
  return text.slice(0, maxLength).replace(/[\ud800-\udbff]$/, "");
}
