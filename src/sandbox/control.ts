/**
 * A few words of memory that host and worker share, for the moments when a worker cannot answer: how long it has
 * been inside the guest, and whether the host wants it to stop. Times are of the machine's steady clock, which all
 * threads read alike.
 */
export interface Control {
  /** The worker enters the guest. */
  readonly enter: () => void;
  /** The worker comes back from the guest. */
  readonly leave: () => void;
  /** Time spent inside the guest, the present visit included, in milliseconds. */
  readonly usedMs: () => number;
  readonly isInside: () => boolean;
  /** Forgets the time used so far: what the host itself did in the guest before the script. */
  readonly reset: () => void;
  readonly askToHalt: () => void;
  readonly isHaltAsked: () => boolean;
  /** Forgets the last run: to be called before the next one is started. */
  readonly clear: () => void;
}

const WORDS = 4;
/** Microseconds since the clock's start, at the last `enter`; 0 outside. */
const ENTERED = 0;
/** Microseconds of finished visits. */
const USED = 1;
const HALT = 2;

export function createControlMemory(): SharedArrayBuffer {
  return new SharedArrayBuffer(WORDS * BigInt64Array.BYTES_PER_ELEMENT);
}

export function createControl(memory: SharedArrayBuffer): Control {
  const words = new BigInt64Array(memory);
  const now = (): bigint => process.hrtime.bigint() / 1_000n;
  const visit = (): bigint => {
    const entered = Atomics.load(words, ENTERED);
    return entered === 0n ? 0n : now() - entered;
  };
  return {
    enter: () => void Atomics.store(words, ENTERED, now()),
    leave: () => {
      Atomics.add(words, USED, visit());
      Atomics.store(words, ENTERED, 0n);
    },
    usedMs: () => Number(Atomics.load(words, USED) + visit()) / 1_000,
    isInside: () => Atomics.load(words, ENTERED) !== 0n,
    reset: () => {
      Atomics.store(words, USED, 0n);
      if (Atomics.load(words, ENTERED) !== 0n) Atomics.store(words, ENTERED, now());
    },
    askToHalt: () => void Atomics.store(words, HALT, 1n),
    isHaltAsked: () => Atomics.load(words, HALT) === 1n,
    clear: () => void words.fill(0n),
  };
}
