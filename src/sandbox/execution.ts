import type { QuickJSHandle } from "quickjs-emscripten-core";
import { protectLongIntegers } from "../kernel/json.ts";
import { SCRIPT_FILE } from "../model/bundle.ts";
import type { GuestError, MadeCall } from "../model/sandbox.ts";
import type { Control } from "./control.ts";
import { NoRoom } from "./crossing.ts";
import type { Door } from "./door.ts";
import { OUTCOME, REGISTER } from "./guest-contract.ts";
import { parseGuestError, saysInterrupted, saysOutOfMemory, UNREADABLE } from "./guest-error.ts";
import { GuestFailure, type Instance } from "./instance.ts";
import type { WorkerAnswer, WorkerJob, WorkerOutcome } from "./messages.ts";
import type { Outbox } from "./outbox.ts";
import type { Stop } from "./stop.ts";

/** One script in one instance. Each step returns the outcome once there is one. */
export interface Execution {
  readonly start: () => WorkerOutcome | undefined;
  readonly deliver: (answers: readonly WorkerAnswer[]) => WorkerOutcome | undefined;
  /** Looks again, some time after the last step, whether there is an outcome. */
  readonly look: () => WorkerOutcome | undefined;
  /** In how many milliseconds a look may find that nothing goes on; `undefined` while something does. */
  readonly stallsInMs: () => number | undefined;
  /** The outcome when the host asks for a stop while the guest waits: an error that the script ended with comes first. `atCall`: the open call on account of which it stops. */
  readonly halt: (atCall?: number) => WorkerOutcome;
  readonly unhandled: () => readonly GuestError[];
  readonly unawaited: () => readonly MadeCall[];
}

/** Jobs between two looks at the budgets. */
const JOBS_PER_SLICE = 1_000;
/** After an interrupt the promises on the way to the module's are let settle, so that its error tells the line. */
const SETTLING_JOBS = 100;
/** Reading an error runs its getters. */
const DESCRIBE_MS = 50;
/** All unhandled errors together. */
const UNHANDLED_MS = 100;
/** A loop that polls the clock reads it far more often than a script that measures itself. */
const POLLING_READS = 1_000;
/**
 * While calls wait for a person, what only sleeps is given this long to go on. Not longer: most long timers beside a call are time-outs
 * of the script's own, which would make an error of a call that is still to be approved.
 */
const QUIET_MS = 5_000;
/** Memory counts as full when less than this share of it was never claimed. */
const FULL_SHARE = 1 / 8;

export function createExecution(options: {
  readonly instance: Instance;
  readonly job: WorkerJob;
  readonly control: Control;
  readonly stop: Stop;
  readonly door: Door;
  readonly outbox: Outbox;
  readonly extraPrelude: readonly { readonly name: string; readonly text: string }[];
}): Execution {
  const { instance, job, control, stop, door, outbox } = options;
  const { context, runtime, registers } = instance;
  let module: QuickJSHandle | undefined;
  let thrown: QuickJSHandle | undefined;
  /** What was open when the value settled; noted once. */
  let unawaited: readonly MadeCall[] | undefined;

  const inside = (work: () => WorkerOutcome | undefined): WorkerOutcome | undefined => {
    control.enter();
    try {
      return work() ?? outcome();
    } catch (error) {
      return failed(error);
    } finally {
      control.leave();
    }
  };

  const start = (): WorkerOutcome | undefined =>
    inside(() => {
      const { text, mark } = protectLongIntegers(job.argsText);
      const nonce = crypto.randomUUID().replaceAll("-", "");
      instance.call("start", nonce, job.seed, job.nowMs, crossable(text), mark, job.argumentBytes);
      for (const prelude of options.extraPrelude)
        context.unwrapResult(context.evalCode(prelude.text, prelude.name)).dispose();
      control.reset();
      const evaluated = context.evalCode(job.code, SCRIPT_FILE, { type: "module" });
      if (evaluated.error === undefined) module = evaluated.value;
      else thrown = evaluated.error;
      if (stop.check()) return stopped();
      if (thrown === undefined) instance.call("follow").dispose();
      else instance.call("fail", thrown).dispose();
      return drain();
    });

  const deliver = (answers: readonly WorkerAnswer[]): WorkerOutcome | undefined =>
    inside(() => {
      for (const answer of answers) {
        const { text, mark } = protectLongIntegers(answer.text);
        door.close(answer.id);
        registers[REGISTER.id] = answer.id;
        registers[REGISTER.nowMs] = answer.nowMs;
        registers[REGISTER.isError] = answer.isError ? 1 : 0;
        instance.deliver(crossable(text), mark);
        // Each answer's jobs run before the next answer is given, so that a replay runs them in the same order
        // however the answers arrived.
        const ended = drain();
        if (ended !== undefined) return ended;
      }
      return undefined;
    });

  const drain = (): WorkerOutcome | undefined => {
    for (;;) {
      const failure = instance.runJobs(JOBS_PER_SLICE);
      if (stop.check()) return stopped();
      if (failure !== undefined) throw new GuestFailure(failure);
      if (!runtime.hasPendingJob()) return undefined;
      if (outbox.ageMs() > 0) outbox.flush();
    }
  };

  const outcome = (): WorkerOutcome | undefined => {
    const ended = registers[REGISTER.outcome];
    if (ended !== OUTCOME.none) {
      if (door.openCalls() === 0) return settled();
      unawaited ??= ended === OUTCOME.value ? listOpen() : [];
      if (!isStalled()) return undefined;
      // An error says more than calls that it left behind.
      return ended === OUTCOME.value ? { kind: "suspended" } : settled();
    }
    if (isStalled()) return { kind: "suspended" };
    if (door.openCalls() > 0 || registers[REGISTER.openCalls] !== 0) return undefined;
    // Out of memory, the engine rejects promises with null, and whoever awaited them may never hear.
    if (isFull()) return outOfMemory("");
    return {
      kind: "stopped",
      code: "DEADLOCK",
      message: "The script waits for a promise that can no longer settle: no call and no timer is open.",
      stack: "",
    };
  };

  const isStalled = (): boolean => (door.stalledMs() ?? -1) >= QUIET_MS;

  const settled = (): WorkerOutcome => {
    if (registers[REGISTER.outcome] !== OUTCOME.value) {
      thrown = instance.call("thrownValue");
      return threw(thrown);
    }
    const text = context.getString(instance.call("valueText"));
    const bytes = Buffer.byteLength(text);
    if (bytes <= job.resultBytes) return { kind: "value", text };
    return {
      kind: "stopped",
      code: "LIMIT_RESULT",
      message: `The script's value is ${bytes} bytes of JSON, more than the limit of ${job.resultBytes}.`,
      stack: "",
    };
  };

  const threw = (value: QuickJSHandle): WorkerOutcome => {
    // With no room for an error the engine throws a bare null, or in the middle of `eval` a value of no kind, which it
    // calls "undefined".
    const isBare = context.sameValue(value, context.null) || context.typeof(value) === "undefined";
    if (isBare && isFull()) return outOfMemory("");
    const error = described(value, DESCRIBE_MS);
    return saysOutOfMemory(error, isFull()) ? outOfMemory(error.stack) : { kind: "threw", error };
  };

  /** What ended the visit: a value thrown by the guest, or the engine itself. */
  const failed = (error: unknown): WorkerOutcome => {
    if (stop.check()) return stopped();
    if (error instanceof GuestFailure) return threw(error.value);
    if (error instanceof NoRoom || isFull()) return outOfMemory("");
    const isDeep = error instanceof RangeError;
    return {
      kind: "stopped",
      code: "INTERNAL",
      message: isDeep
        ? "The script nested its code or data so deeply that the sandbox ended."
        : "The script crashed the sandbox's engine.",
      stack: "",
    };
  };

  const stopped = (): WorkerOutcome => {
    const stack = stackOfStop();
    if (stop.reason() === "halt") return { kind: "halted", stack, isFinished: false };
    let message = `The script computed for longer than its limit of ${job.cpuMs} ms.`;
    if (clockReads() > POLLING_READS)
      message +=
        " It was reading the clock in a loop: time stands still while a script computes and moves only when it awaits," +
        " so wait with await new Promise((resolve) => setTimeout(resolve, 1000)).";
    return { kind: "stopped", code: "LIMIT_CPU", message, stack };
  };

  /** The engine's own error tells the exact line; it reaches us through the module's promise. */
  const stackOfStop = (): string => {
    door.shut();
    return quietly(() => {
      instance.runJobs(SETTLING_JOBS)?.dispose();
      const state = module === undefined ? undefined : context.getPromiseState(module);
      if (state?.type !== "rejected") return stop.stack();
      const error = described(state.error, DESCRIBE_MS);
      return saysInterrupted(error) && error.stack !== "" ? error.stack : stop.stack();
    }, stop.stack());
  };

  const outOfMemory = (stack: string): WorkerOutcome => ({
    kind: "stopped",
    code: "LIMIT_MEMORY",
    message: `The script's memory is full: its limit is ${job.memoryBytes} bytes.`,
    stack,
  });

  const isFull = (): boolean => instance.gauge.peakBytes() > job.memoryBytes * (1 - FULL_SHARE);

  const described = (value: QuickJSHandle, ms: number): GuestError => {
    const unreadable = { name: "Error", message: UNREADABLE, stack: "" };
    return stop.within(ms, () =>
      quietly(() => parseGuestError(context.getString(instance.call("describe", value))), unreadable),
    );
  };

  const clockReads = (): number =>
    quietly(() => stop.within(DESCRIBE_MS, () => context.getNumber(instance.call("clockReads"))), 0);

  const listOpen = (): readonly MadeCall[] =>
    stop.within(DESCRIBE_MS, () =>
      door.listOpen().map(({ id, name }) => ({
        name,
        stack: stackOfCall(id),
      })),
    );

  const stackOfCall = (id: number): string =>
    stop.within(DESCRIBE_MS, () => quietly(() => context.getString(instance.call("stackOfCall", id)), ""));

  return {
    start,
    deliver,
    look: () => inside(() => undefined),
    stallsInMs: () => {
      const stalledMs = door.stalledMs();
      return stalledMs === undefined ? undefined : Math.max(0, QUIET_MS - stalledMs);
    },
    halt: (atCall) => {
      const ended = registers[REGISTER.outcome];
      // An error says more than the end of the time that its open calls were given.
      if (ended === OUTCOME.thrown) return settled();
      const isFinished = ended === OUTCOME.value;
      const stack = atCall === undefined ? "" : stackOfCall(atCall);
      return { kind: "halted", stack, isFinished };
    },
    unawaited: () => unawaited ?? [],
    unhandled: () => {
      const end = performance.now() + UNHANDLED_MS;
      return (
        instance
          .takeRejections()
          // Promises of the engine's own that belong to the module are rejected with what ended it.
          .filter((value) => thrown === undefined || !context.sameValue(value, thrown))
          .filter((value) => !(isFull() && context.sameValue(value, context.null)))
          .map((value) => described(value, Math.max(1, end - performance.now())))
          .filter((error) => !saysInterrupted(error))
      );
    },
  };
}

/** Runs a look into the guest that may fail when the guest is broken. */
function quietly<T>(look: () => T, otherwise: T): T {
  try {
    return look();
  } catch {
    return otherwise;
  }
}

/** JSON text as it can cross: a lone surrogate would be replaced on the way, so it is written as an escape. */
function crossable(jsonText: string): string {
  if (jsonText.isWellFormed()) return jsonText;
  return jsonText.replace(/\p{Surrogate}/gu, (unit) => `\\u${unit.charCodeAt(0).toString(16)}`);
}
