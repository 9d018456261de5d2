/** Why the guest was interrupted, once it was. */
export type StopReason = "halt" | "cpu";

/** Decides, each time the engine asks, whether the guest goes on; and bounds visits that the host itself makes. */
export interface Stop {
  /** The engine's question: true ends what runs. */
  readonly onInterrupt: () => boolean;
  readonly reason: () => StopReason | undefined;
  /** The stack at the first interrupt: functions are right, the line of the innermost may be that of its last call. */
  readonly stack: () => string;
  /** Runs `work` inside the guest for at most `ms`, whatever was decided before. */
  readonly within: <T>(ms: number, work: () => T) => T;
  /** Looks at the budgets where the engine did not ask: an endless chain of jobs reports success. */
  readonly check: () => boolean;
}

export function createStop(options: {
  readonly isHaltAsked: () => boolean;
  readonly isCpuUsed: () => boolean;
  /** Called now and then while the guest computes. */
  readonly onTick: () => void;
  readonly readStack: () => string;
}): Stop {
  let reason: StopReason | undefined;
  let stack = "";
  let boundedUntil: number | undefined;
  const check = (): boolean => {
    if (reason === undefined && options.isHaltAsked()) reason = "halt";
    if (reason === undefined && options.isCpuUsed()) reason = "cpu";
    return reason !== undefined;
  };
  const within = <T>(ms: number, work: () => T): T => {
    const outer = boundedUntil;
    boundedUntil = performance.now() + ms;
    try {
      return work();
    } finally {
      boundedUntil = outer;
    }
  };
  return {
    onInterrupt: () => {
      if (boundedUntil !== undefined) return performance.now() > boundedUntil;
      if (reason !== undefined) return true;
      options.onTick();
      if (!check()) return false;
      stack = within(STACK_MS, options.readStack);
      return true;
    },
    reason: () => reason,
    stack: () => stack,
    within,
    check,
  };
}

/** Reading the stack takes microseconds. */
const STACK_MS = 20;
