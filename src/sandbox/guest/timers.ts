import { callBuiltin } from "./bridge.ts";
import {
  apply,
  defineGlobal,
  defineProperty,
  mapForEach,
  NativePromise,
  promiseThen,
} from "./primordials.ts";
import { callerStack } from "./stack.ts";

/**
 * Timers on calls of `mcpfs__sleep`. A pending timer does not keep a run alive, but one of the next tick
 * (`setTimeout(f)`, at most 1 ms) that was made before the value settled still fires: it is work that the script
 * only put off.
 */
const MAX_DELAY_MS = 2 ** 31 - 1;
const NEXT_TICK_MS = 1;

interface Timer {
  forget: () => void;
  /** Resolves when it fired or was cleared. */
  readonly over: Promise<void>;
  readonly end: () => void;
  readonly isNextTick: boolean;
}

const timers = new Map<number, Timer>();
let lastId = 0;

/** What the timer functions give: usable as Node's object and as the web's number. */
class Timeout {
  readonly #id: number;
  constructor(id: number) {
    this.#id = id;
  }
  ref(): this {
    return this;
  }
  unref(): this {
    return this;
  }
  hasRef(): boolean {
    return false;
  }
  close(): this {
    clear(this.#id);
    return this;
  }
  [Symbol.toPrimitive](): number {
    return this.#id;
  }
}

/** Waits until the one-shot timers of the next tick that are pending now have fired or were cleared. */
export async function nextTickTimers(): Promise<void> {
  let all: Promise<unknown> = NativePromise.resolve();
  mapForEach(timers, (timer) => {
    if (timer.isNextTick) all = promiseThen(all, () => timer.over as never) as Promise<unknown>;
  });
  await all;
}

export function startTimer(
  callback: unknown,
  delay: unknown,
  args: readonly unknown[],
  isRepeated: boolean,
): Timeout {
  if (typeof callback !== "function") throw new TypeError("A timer takes a function as its first parameter.");
  const asked = Math.trunc(Number(delay));
  const ms = asked >= 1 ? Math.min(asked, MAX_DELAY_MS) : 1;
  lastId += 1;
  const id = lastId;
  const stack = callerStack();
  let end = (): void => {};
  const over = new NativePromise<void>((resolve) => {
    end = resolve;
  });
  const timer: Timer = { forget: () => {}, over, end, isNextTick: !isRepeated && ms <= NEXT_TICK_MS };
  timers.set(id, timer);
  const arm = (): void => {
    const sleep = callBuiltin("mcpfs__sleep", { ms }, stack);
    timer.forget = sleep.forget;
    // Nobody handles this promise: a callback that throws is an unhandled error of the run, with its own line.
    promiseThen(sleep.answer, fire as never);
  };
  const fire = (): void => {
    if (!timers.has(id)) return;
    if (isRepeated) arm();
    else {
      timers.delete(id);
      end();
    }
    apply(callback as () => unknown, undefined, args);
  };
  arm();
  return new Timeout(id);
}

function clear(timer: unknown): void {
  const id = Number(timer ?? 0);
  const found = timers.get(id);
  if (found === undefined) return;
  timers.delete(id);
  found.forget();
  found.end();
}

export function installTimers(): void {
  const globals = {
    setTimeout: (callback: unknown, delay?: unknown, ...args: unknown[]) =>
      startTimer(callback, delay, args, false),
    setInterval: (callback: unknown, delay?: unknown, ...args: unknown[]) =>
      startTimer(callback, delay, args, true),
    setImmediate: (callback: unknown, ...args: unknown[]) => startTimer(callback, 1, args, false),
    clearTimeout: clear,
    clearInterval: clear,
    clearImmediate: clear,
    queueMicrotask: (callback: unknown) => {
      if (typeof callback !== "function") throw new TypeError("queueMicrotask takes a function.");
      promiseThen(NativePromise.resolve(), () => apply(callback as () => unknown, undefined, []) as never);
    },
  };
  for (const [name, value] of Object.entries(globals)) {
    defineProperty(value, "name", { value: name, configurable: true });
    defineGlobal(name, value);
  }
}
