import { foldName, MAX_NAME_LENGTH } from "./identifiers.ts";

/** Names that are in use; two that fold to one text are one. */
export interface TakenNames {
  readonly add: (name: string) => void;
  /** The first of `base`, `base_2`, `base_3`, … that nobody has; takes it. */
  readonly take: (base: string) => string;
}

/**
 * Creates the set of the names that are in use. It remembers where it was for each base: a server that lists ten thousand names which
 * all become one would otherwise have every ending tried for each of them.
 * @param fold what two names have in common that cannot stand beside each other; default: as a disk that ignores case does
 */
export function createTakenNames(
  names: Iterable<string> = [],
  fold: (name: string) => string = foldName,
): TakenNames {
  const taken = new Set(Array.from(names, fold));
  const nextOf = new Map<string, number>();
  return {
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
