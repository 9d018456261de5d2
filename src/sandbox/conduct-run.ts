import { systemCode, toMcpfsError } from "../kernel/errors.ts";
import { stringifyJson } from "../kernel/json.ts";
import type { CallState, DoorAnswer } from "../model/door.ts";
import { MAX_DURATION_MS } from "../model/run.ts";
import { callOf, type SandboxEnd, type SandboxJob } from "../model/sandbox.ts";
import { answerOf } from "./answer-of.ts";
import type { FromWorker, OutItem, WorkerAnswer, WorkerJob } from "./messages.ts";
import type { Pool } from "./pool.ts";
import type { Loan, RunWorker } from "./run-worker.ts";
import { createStopwatch } from "./stopwatch.ts";

/** A worker that was asked to halt, or has used up its time, gets this long to tell where the script was. */
const GRACE_MS = 150;

/** On a busy machine a thread gets little CPU time for a long time; nobody need look more often. */
const LEAST_WATCH_MS = 10;

type Ending = {
  readonly code: "LIMIT_WALL" | "LIMIT_CPU" | "ABORTED";
  readonly message: string;
  readonly atCall?: number | undefined;
};
type Stopped = Extract<SandboxEnd, { readonly kind: "stopped" }>;

/**
 * The host's side of one run: gives the job to the worker, hands calls and console lines on, watches the clocks. A
 * thread whose run did not end by itself is ended; this resolves when it is gone.
 */
export async function conductRun(
  pool: Pool,
  job: SandboxJob & { readonly signal: AbortSignal },
): Promise<SandboxEnd> {
  const open = new Map<number, string>();
  /** Calls about which a person is being asked. */
  const asking = new Set<number>();
  /** Ends the wait for a thread. */
  const over = new AbortController();
  let starting: Promise<RunWorker> | undefined;
  let worker: Loan | undefined;
  let halting: Ending | undefined;
  let isOver = false;
  /** With a value or an error: the thread is then as good as new. */
  let hasEndedItself = false;
  let settle: (end: SandboxEnd) => void = () => {};
  let fail: (error: unknown) => void = () => {};
  const ending = new Promise<SandboxEnd>((resolve, reject) => {
    settle = (end) => {
      isOver = true;
      resolve(end);
    };
    fail = (error) => {
      isOver = true;
      reject(error);
    };
  });

  const stopped = (code: Stopped["code"], message: string, stack: string): Stopped => ({
    kind: "stopped",
    code,
    message,
    stack,
    unhandled: [],
    unawaited: [],
    guestCpuMs: worker?.control.usedMs() ?? 0,
    peakMemoryBytes: 0,
  });

  const timers = new Set<NodeJS.Timeout>();
  const after = (ms: number, work: () => void): void => {
    const timer = setTimeout(
      () => {
        timers.delete(timer);
        work();
      },
      Math.min(Math.max(ms, 0), MAX_DURATION_MS),
    );
    timers.add(timer);
  };

  const halt = (reason: Ending): void => {
    if (halting !== undefined || isOver) return;
    halting = reason;
    worker?.control.askToHalt();
    worker?.send({ kind: "halt", atCall: reason.atCall });
    after(worker === undefined ? 0 : GRACE_MS, () => settle(stopped(reason.code, reason.message, "")));
  };

  const wall = createStopwatch(job.limits.wallMs, () =>
    halt({ code: "LIMIT_WALL", message: wallMessage(job.limits.wallMs, open) }),
  );

  /** The wall time stands still while a person is asked, and while what was recorded is replayed. */
  let isReplayed = job.replay === undefined;
  const runWall = (): void => wall.run(isReplayed && asking.size === 0);

  const onAbort = (): void => {
    const reason: unknown = job.signal.reason;
    const message = reason instanceof Error ? reason.message : String(reason);
    halt({ code: "ABORTED", message, atCall: callOf(reason) });
  };

  /** Native loops never ask the interrupt handler; only the end of the thread stops them. */
  const watchCpu = (control: Loan["control"]): void => {
    const leftMs = job.limits.cpuMs + GRACE_MS - control.usedMs();
    if (leftMs > 0) after(Math.max(leftMs, LEAST_WATCH_MS), () => watchCpu(control));
    else settle(stopped("LIMIT_CPU", cpuMessage(job.limits.cpuMs), ""));
  };

  const outgoing = createAnswerQueue((answers) => worker?.send({ kind: "answers", answers }));
  const take = (item: OutItem): void => {
    if (item.kind === "log") {
      job.onLog({ level: item.level, text: item.text });
      return;
    }
    // A call that was on its way when the run was stopped is never sent.
    if (halting !== undefined || isOver) return;
    const { kind: _, ...call } = item;
    open.set(call.id, call.name);
    const onState = (state: CallState): void => {
      if (isOver) return;
      if (state === "asking") asking.add(call.id);
      else asking.delete(call.id);
      runWall();
      if (state === "waiting") worker?.send({ kind: "waits", id: call.id });
    };
    void answerOf(job, call, onState).then((answer) => {
      open.delete(call.id);
      onState("out");
      if (!isOver) outgoing(asTexts(call.id, answer));
    });
  };

  const receive = (message: FromWorker): void => {
    if (message.kind === "ready") return;
    if (message.kind === "out") {
      try {
        message.items.forEach(take);
        if (message.isWaiting && halting === undefined && !isOver) job.replay?.onWaiting();
      } catch (error) {
        fail(toMcpfsError(error));
      }
      return;
    }
    const { outcome, unhandled, unawaited, guestCpuMs, peakMemoryBytes } = message;
    const facts = { unhandled, unawaited, guestCpuMs, peakMemoryBytes };
    if (halting?.code === "ABORTED" || outcome.kind === "halted") {
      const { code, message: reason } = halting ?? { code: "ABORTED", message: "" };
      const finished = outcome.kind === "halted" && outcome.isFinished ? FINISHED : "";
      const stack = "stack" in outcome ? outcome.stack : "";
      settle({ ...stopped(code, reason + finished, stack), ...facts });
    } else {
      hasEndedItself = outcome.kind === "value" || outcome.kind === "threw";
      settle({ ...outcome, ...facts });
    }
  };

  const die = (error: unknown): void => {
    if (isOver) return;
    if (systemCode(error) === "ERR_WORKER_OUT_OF_MEMORY")
      settle(
        stopped("LIMIT_MEMORY", "The texts between script and host took more memory than there is.", ""),
      );
    else settle(stopped("INTERNAL", "The sandbox's thread ended unexpectedly.", ""));
  };

  const begin = (thread: RunWorker): void => {
    if (isOver) return;
    const loan = thread.lend();
    worker = loan;
    loan.listen(receive, die);
    loan.send({ kind: "start", job: workerJob(job) });
    watchCpu(loan.control);
  };

  if (job.signal.aborted) onAbort();
  else {
    job.signal.addEventListener("abort", onAbort, { once: true });
    runWall();
    void job.replay?.over.then(() => {
      isReplayed = true;
      if (!isOver) runWall();
    });
    starting = pool.take(over.signal);
    starting.then(begin, fail);
  }
  try {
    return await ending;
  } finally {
    for (const timer of timers) clearTimeout(timer);
    wall.run(false);
    job.signal.removeEventListener("abort", onAbort);
    over.abort();
    const thread = await starting?.catch(() => undefined);
    if (hasEndedItself) worker?.giveBack();
    if (hasEndedItself && thread !== undefined) await pool.giveBack(thread);
    else await thread?.end();
    // What the thread had taken and not sent, when it was ended inside the guest.
    if (worker?.control.isInside()) for (const line of worker.logs.read()) job.onLog(line);
  }
}

const FINISHED = " The script itself had finished; these calls were not awaited.";

function cpuMessage(cpuMs: number): string {
  return `The script computed for longer than its limit of ${cpuMs} ms.`;
}

function wallMessage(wallMs: number, open: ReadonlyMap<number, string>): string {
  const counts = new Map<string, number>();
  for (const name of open.values()) counts.set(name, (counts.get(name) ?? 0) + 1);
  const names = [...counts].map(([name, times]) => (times === 1 ? name : `${name} (${times} calls)`));
  const waiting = names.length === 0 ? "" : ` It was waiting for ${names.join(", ")}.`;
  return `The run took longer than its limit of ${wallMs} ms.${waiting}`;
}

function workerJob(job: SandboxJob): WorkerJob {
  const { cpuMs, memoryBytes, argumentBytes, resultBytes } = job.limits;
  const { code, seed, nowMs } = job;
  const tellsWaiting = job.replay !== undefined;
  return {
    code,
    argsText: stringifyJson(job.args),
    seed,
    nowMs,
    cpuMs,
    memoryBytes,
    argumentBytes,
    resultBytes,
    tellsWaiting,
  };
}

function asTexts(id: number, answer: DoorAnswer): WorkerAnswer {
  return answer.kind === "ok"
    ? { id, isError: false, text: answer.text, nowMs: answer.nowMs }
    : { id, isError: true, text: stringifyJson(answer.error), nowMs: answer.nowMs };
}

/** Answers given in one turn of the event loop go to the worker in one message, at the end of that turn. */
function createAnswerQueue(send: (answers: readonly WorkerAnswer[]) => void): (answer: WorkerAnswer) => void {
  let waiting: WorkerAnswer[] = [];
  return (answer) => {
    waiting.push(answer);
    if (waiting.length > 1) return;
    // All promises that this turn settles are through by then; the next turn would come too late.
    process.nextTick(() => {
      const answers = waiting;
      waiting = [];
      send(answers);
    });
  };
}
