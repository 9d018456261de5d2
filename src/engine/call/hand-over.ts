/**
 * Hands answers to the script in the order in which they were recorded, however long each takes from there to the door: a
 * replay gives them in the order of the journal.
 */
export interface HandOver {
  /** To be called in the moment in which an answer is recorded. */
  readonly recorded: (key: string) => void;
  /** Resolves when every answer that was recorded before this one has been handed over; at once for one that never was. */
  readonly turn: (key: string) => Promise<void>;
}

export function createHandOver(): HandOver {
  const order: string[] = [];
  const ready = new Map<string, () => void>();
  let first = 0;
  /** The next answer has been handed over, and with it those behind it that wait for it alone. */
  const goOn = (): void => {
    first += 1;
    for (let key = order[first]; key !== undefined; key = order[first]) {
      const resolve = ready.get(key);
      if (resolve === undefined) return;
      ready.delete(key);
      first += 1;
      resolve();
    }
    order.length = 0;
    first = 0;
  };
  return {
    recorded: (key) => void order.push(key),
    turn: async (key) => {
      if (order[first] === key) goOn();
      else if (order.includes(key, first)) await new Promise<void>((resolve) => ready.set(key, resolve));
    },
  };
}
