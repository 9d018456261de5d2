// Random choices that are the same for the same seed and name, whatever was chosen before for other names.

/** @returns {() => number} numbers in [0, 1) */
export function randomOf(seed, name) {
  let state = seed >>> 0;
  for (const character of name) state = (Math.imul(state ^ character.codePointAt(0), 0x01000193) + 1) >>> 0;
  // mulberry32
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

export function pick(random, items) {
  return items[Math.floor(random() * items.length)];
}

export function shuffled(random, items) {
  const copy = [...items];
  for (let index = copy.length - 1; index > 0; index -= 1) {
    const other = Math.floor(random() * (index + 1));
    [copy[index], copy[other]] = [copy[other], copy[index]];
  }
  return copy;
}
