import { callBuiltin } from "./bridge.ts";
import {
  append,
  apply,
  awaitable,
  defineGlobal,
  defineMember,
  least,
  mapDelete,
  mapForEach,
  mapGet,
  mapHas,
  mapSet,
  NativeError,
  NativeNumber,
  NativePromise,
  NativeTypeError,
  truncate,
} from "./primordials.ts";

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
  const pending: Promise<void>[] = [];
  mapForEach(timers, (timer) => {
    if (timer.isNextTick) append(pending, timer.over);
  });
  for (let index = 0; index < pending.length; index += 1) await pending[index];
}

export function startTimer(
  callback: unknown,
  delay: unknown,
  args: readonly unknown[],
  isRepeated: boolean,
): Timeout {
  if (typeof callback !== "function")
    throw new NativeTypeError("A timer takes a function as its first parameter.");
  const asked = truncate(NativeNumber(delay));
  const ms = asked >= 1 ? least(asked, MAX_DELAY_MS) : 1;
  lastId += 1;
  const id = lastId;
  const madeAt = new NativeError();
  let end = (): void => {};
  const over = new NativePromise<void>((resolve) => {
    end = resolve;
  });
  const isNextTick = !isRepeated && ms <= NEXT_TICK_MS;
  const timer: Timer = { forget: () => {}, over: awaitable(over), end, isNextTick };
  mapSet(timers, id, timer);
  const arm = async (): Promise<void> => {
    const sleep = callBuiltin("mcpfs__sleep", { ms }, madeAt);
    timer.forget = sleep.forget;
    await sleep.answer;
    fire();
  };
  const fire = (): void => {
    if (!mapHas(timers, id)) return;
    if (isRepeated) void arm();
    else {
      mapDelete(timers, id);
      end();
    }
    apply(callback as () => unknown, undefined, args);
  };
  // Nobody handles this promise: a callback that throws is an unhandled error of the run, with its own line.
  void arm();
  return new Timeout(id);
}

function clear(timer: unknown): void {
  const id = NativeNumber(timer ?? 0);
  const found = mapGet(timers, id) as Timer | undefined;
  if (found === undefined) return;
  mapDelete(timers, id);
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
      if (typeof callback !== "function") throw new NativeTypeError("queueMicrotask takes a function.");
      void soon(callback as () => unknown);
    },
  };
  for (const [name, value] of Object.entries(globals)) {
    defineMember(value, "name", name, false);
    defineGlobal(name, value);
  }
}

async function soon(callback: () => unknown): Promise<void> {
  await undefined;
  apply(callback, undefined, []);
}
