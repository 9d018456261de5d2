/**
 * A few words of memory that host and worker share, for the moments when a worker cannot answer: how long it has
 * been inside the guest, and whether the host wants it to stop. Times are of the machine's steady clock.
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
  /** The host has sent a message. */
  readonly ring: () => void;
  /** How often the host has rung. */
  readonly rings: () => number;
  /** The worker waits, without turning its event loop, until the host has rung more often than that. */
  readonly waitForRing: (rings: number) => void;
  /** Forgets the last run: to be called before the next one is started. */
  readonly clear: () => void;
}

/** One double: time of finished visits; while the guest is inside, the moment at which it would have entered had it never left, negative. */
const VISIT = 0;
const DOUBLES_BYTES = 8;
/** Words of 32 bits behind it. */
const HALT = 0;
const RINGS = 1;
const WORDS_BYTES = 8;

export function createControlMemory(): SharedArrayBuffer {
  return new SharedArrayBuffer(DOUBLES_BYTES + WORDS_BYTES);
}

export function createControl(memory: SharedArrayBuffer): Control {
  const doubles = new Float64Array(memory, 0, 1);
  const words = new Int32Array(memory, DOUBLES_BYTES);
  // `performance.now` begins at another moment in each thread, and takes a tenth of the time of `hrtime`.
  const beginMs = Number(process.hrtime.bigint()) / 1e6 - performance.now();
  const now = (): number => beginMs + performance.now();
  const visit = (): number => doubles[VISIT] ?? 0;
  const set = (value: number): void => {
    doubles[VISIT] = value;
  };
  const usedMs = (): number => (visit() < 0 ? now() + visit() : visit());
  return {
    enter: () => set(visit() - now()),
    leave: () => set(usedMs()),
    usedMs,
    isInside: () => visit() < 0,
    reset: () => set(visit() < 0 ? -now() : 0),
    askToHalt: () => void Atomics.store(words, HALT, 1),
    isHaltAsked: () => Atomics.load(words, HALT) === 1,
    ring: () => {
      Atomics.add(words, RINGS, 1);
      Atomics.notify(words, RINGS);
    },
    rings: () => Atomics.load(words, RINGS),
    waitForRing: (rings) => void Atomics.wait(words, RINGS, rings),
    clear: () => {
      set(0);
      Atomics.store(words, HALT, 0);
    },
  };
}
