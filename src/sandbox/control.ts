import { ownThread, readThreadCpuMs } from "./thread-clock.ts";

/**
 * A few words of memory that host and worker share, for the moments when a worker cannot answer: how long it has
 * computed, and whether the host wants it to stop. Times are in milliseconds.
 */
export interface Control {
  /** The worker says which thread it is: its CPU time counts then, where the system tells it. */
  readonly register: () => void;
  /** The worker enters the guest. */
  readonly enter: () => void;
  /** The worker comes back from the guest. */
  readonly leave: () => void;
  /**
   * Time that the script has computed, the present visit included: CPU time of the thread where the system tells that, else time on
   * the clock. On a busy machine the clock charges a script for the work of others.
   */
  readonly usedMs: () => number;
  /** Whether that is more than `limitMs`; cheap while it cannot be. */
  readonly hasUsed: (limitMs: number) => boolean;
  readonly isInside: () => boolean;
  /** Forgets the time used so far: what the host itself did in the guest before the script. */
  readonly reset: () => void;
  readonly askToHalt: () => void;
  readonly isHaltAsked: () => boolean;
  /** The host has sent a message. */
  readonly ring: () => void;
  /** How often the host has rung. */
  readonly rings: () => number;
  /**
   * The worker waits, without turning its event loop, until the host has rung more often than that.
   * @param ms how long at most; absent: for ever
   * @returns false when the time was over first
   */
  readonly waitForRing: (rings: number, ms?: number) => boolean;
  /** Forgets the last run: to be called before the next one is started. */
  readonly clear: () => void;
}

/**
 * Time of finished visits on the clock; while the worker is inside, the moment at which it would have entered had it never
 * left, negative. One number, so that no reader finds half of a change.
 */
const VISITS = 0;
/** CPU time of the thread when the script began. */
const CPU_BEGIN = 1;
const DOUBLES_BYTES = 16;
/** Words of 32 bits behind them. */
const HALT = 0;
const RINGS = 1;
const THREAD = 2;
const WORDS_BYTES = 12;
/** A look at the thread's CPU time takes a few hundredths of this. */
const LEAST_LOOK_MS = 1;

export function createControlMemory(): SharedArrayBuffer {
  return new SharedArrayBuffer(DOUBLES_BYTES + WORDS_BYTES);
}

export function createControl(memory: SharedArrayBuffer): Control {
  const doubles = new Float64Array(memory, 0, DOUBLES_BYTES / Float64Array.BYTES_PER_ELEMENT);
  const words = new Int32Array(memory, DOUBLES_BYTES);
  const get = (place: number): number => doubles[place] ?? 0;
  const set = (place: number, value: number): void => {
    doubles[place] = value;
  };
  // `performance.now` begins at another moment in each thread, and takes a tenth of the time of `hrtime`.
  const beginMs = Number(process.hrtime.bigint()) / 1e6 - performance.now();
  const now = (): number => beginMs + performance.now();
  const threadMs = (): number | undefined => readThreadCpuMs(Atomics.load(words, THREAD));
  const clockMs = (): number => (get(VISITS) < 0 ? now() + get(VISITS) : get(VISITS));
  const usedMs = (): number => {
    const spentMs = clockMs();
    const cpuMs = threadMs();
    // What the thread does outside of the guest, a few microseconds a call, is in the one and not in the other.
    return cpuMs === undefined ? spentMs : Math.max(0, Math.min(spentMs, cpuMs - get(CPU_BEGIN)));
  };
  /** CPU time never runs ahead of the clock, so nothing has to be looked at before this moment of it. */
  let nextLookMs = 0;
  return {
    register: () => void Atomics.store(words, THREAD, ownThread()),
    enter: () => set(VISITS, get(VISITS) - now()),
    leave: () => set(VISITS, clockMs()),
    usedMs,
    hasUsed: (limitMs) => {
      const spentMs = clockMs();
      if (spentMs <= Math.max(limitMs, nextLookMs)) return false;
      const leftMs = limitMs - usedMs();
      nextLookMs = spentMs + Math.max(leftMs, LEAST_LOOK_MS);
      return leftMs < 0;
    },
    isInside: () => get(VISITS) < 0,
    reset: () => {
      set(CPU_BEGIN, threadMs() ?? 0);
      set(VISITS, get(VISITS) < 0 ? -now() : 0);
      nextLookMs = 0;
    },
    askToHalt: () => void Atomics.store(words, HALT, 1),
    isHaltAsked: () => Atomics.load(words, HALT) === 1,
    ring: () => {
      Atomics.add(words, RINGS, 1);
      Atomics.notify(words, RINGS);
    },
    rings: () => Atomics.load(words, RINGS),
    waitForRing: (rings, ms) => Atomics.wait(words, RINGS, rings, ms) !== "timed-out",
    clear: () => {
      set(VISITS, 0);
      // Until the script begins, nothing that the thread did counts.
      set(CPU_BEGIN, Number.POSITIVE_INFINITY);
      Atomics.store(words, HALT, 0);
    },
  };
}
