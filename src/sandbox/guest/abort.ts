import { defineGlobal, defineMember } from "./primordials.ts";
import { startTimer } from "./timers.ts";

/** What the language's own hosts throw for aborts, time-outs and values that cannot be cloned. */
export class DOMException extends Error {
  readonly #code: number;
  constructor(message = "", name = "Error") {
    super(message);
    defineMember(this, "name", name, false);
    this.#code = LEGACY_CODES[name] ?? 0;
  }
  get code(): number {
    return this.#code;
  }
}
const LEGACY_CODES: Readonly<Record<string, number>> = {
  AbortError: 20,
  TimeoutError: 23,
  DataCloneError: 25,
};

interface Listener {
  readonly callback: ((event: unknown) => void) | { handleEvent(event: unknown): void };
  readonly isOnce: boolean;
}

/** Only the controller and the static methods may make and abort a signal. */
const KEY = Symbol("AbortSignal");

/** The `AbortSignal` of the web, with listeners for its one event, `abort`. */
class AbortSignal {
  #listeners: Listener[] = [];
  #isAborted = false;
  #reason: unknown;
  onabort: ((event: unknown) => void) | null = null;

  constructor(key?: symbol) {
    if (key !== KEY) throw new TypeError("Illegal constructor: use new AbortController().signal.");
  }
  get aborted(): boolean {
    return this.#isAborted;
  }
  get reason(): unknown {
    return this.#reason;
  }
  throwIfAborted(): void {
    if (this.#isAborted) throw this.#reason;
  }
  addEventListener(
    type: string,
    callback: Listener["callback"] | null,
    options?: { once?: boolean } | boolean,
  ): void {
    if (type !== "abort" || callback === null || callback === undefined) return;
    if (this.#listeners.some((listener) => listener.callback === callback)) return;
    this.#listeners.push({ callback, isOnce: typeof options === "object" && options?.once === true });
  }
  removeEventListener(type: string, callback: unknown): void {
    if (type === "abort")
      this.#listeners = this.#listeners.filter((listener) => listener.callback !== callback);
  }
  /** @internal */
  [KEY](reason: unknown): void {
    if (this.#isAborted) return;
    this.#isAborted = true;
    this.#reason =
      reason === undefined ? new DOMException("This operation was aborted", "AbortError") : reason;
    const listeners = this.#listeners;
    this.#listeners = listeners.filter((listener) => !listener.isOnce);
    const event = { type: "abort", target: this, currentTarget: this };
    // As events do: a listener that throws does not keep the others from being told, and the error is not lost.
    const tell = (callback: Listener["callback"]): void => {
      try {
        if (typeof callback === "function") callback.call(this, event);
        else callback.handleEvent(event);
      } catch (error) {
        void Promise.reject(error);
      }
    };
    if (typeof this.onabort === "function") tell(this.onabort);
    for (const listener of listeners) tell(listener.callback);
  }

  static abort(reason?: unknown): AbortSignal {
    const signal = new AbortSignal(KEY);
    signal[KEY](reason);
    return signal;
  }
  static timeout(ms: number): AbortSignal {
    const signal = new AbortSignal(KEY);
    const end = (): void =>
      signal[KEY](new DOMException("The operation was aborted due to timeout", "TimeoutError"));
    startTimer(end, ms, [], false);
    return signal;
  }
  static any(signals: Iterable<AbortSignal>): AbortSignal {
    const all = [...signals];
    const signal = new AbortSignal(KEY);
    const aborted = all.find((one) => one.aborted);
    if (aborted !== undefined) signal[KEY](aborted.reason);
    else for (const one of all) one.addEventListener("abort", () => signal[KEY](one.reason), { once: true });
    return signal;
  }
}

class AbortController {
  readonly signal: AbortSignal = new AbortSignal(KEY);
  abort(reason?: unknown): void {
    this.signal[KEY](reason);
  }
}

export function installAbort(): void {
  defineGlobal("DOMException", DOMException);
  defineGlobal("AbortSignal", AbortSignal);
  defineGlobal("AbortController", AbortController);
}
