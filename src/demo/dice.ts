/** Random choices that are the same on every machine and in every process: all demo data comes from them. */
export interface Dice {
  /** A whole number from `least` to `most`, both included. */
  readonly integer: (least: number, most: number) => number;
  /** True in `percent` of 100 throws. */
  readonly chance: (percent: number) => boolean;
  readonly pick: <T>(list: readonly T[]) => T;
  /** A copy of `list` in another order. */
  readonly shuffle: <T>(list: readonly T[]) => T[];
}

/** Creates dice that always fall the same way for one `seed` (the generator known as mulberry32). */
export function createDice(seed: number): Dice {
  let state = seed >>> 0;
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)) ^ mixed;
    return (mixed ^ (mixed >>> 14)) >>> 0;
  };
  const integer = (least: number, most: number): number => least + (next() % (most - least + 1));
  const pick = <T>(list: readonly T[]): T => {
    const item = list[integer(0, list.length - 1)];
    if (item === undefined) throw new RangeError("Nothing to pick from: the list is empty.");
    return item;
  };
  const shuffle = <T>(list: readonly T[]): T[] => {
    const left = [...list];
    return list.flatMap(() => left.splice(integer(0, left.length - 1), 1));
  };
  return { integer, chance: (percent) => integer(1, 100) <= percent, pick, shuffle };
}
