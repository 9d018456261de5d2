import { readFileSync } from "node:fs";
import { packageFile } from "../kernel/paths.ts";
import type { Control } from "./control.ts";
import { createDoor } from "./door.ts";
import { createExecution, type Execution } from "./execution.ts";
import { createInstance, type Instance } from "./instance.ts";
import type { LogBuffer } from "./log-buffer.ts";
import type { FromWorker, WorkerAnswer, WorkerJob, WorkerOutcome } from "./messages.ts";
import { createOutbox } from "./outbox.ts";
import { createStop } from "./stop.ts";

/** The thread's side of one run, with an engine instance and memory of its own; nothing of it is used twice. */
export interface WorkerRun {
  readonly memoryBytes: number;
  /** Resolves when the guest library stands ready for a script. */
  readonly ready: Promise<unknown>;
  readonly start: (job: WorkerJob) => Promise<void>;
  readonly deliver: (answers: readonly WorkerAnswer[]) => void;
  /** The host will not answer this call any more. */
  readonly waits: (id: number) => void;
  /** In how many milliseconds a look may find that nothing goes on; `undefined` while something does. */
  readonly stallsInMs: () => number | undefined;
  readonly look: () => void;
  readonly halt: (atCall: number | undefined) => void;
}

/** Console lines older than this are sent while the script still computes. */
const MAX_LOG_AGE_MS = 50;

/** Prepares a run before its job is known: makes the instance and evaluates the guest library in it. */
export function prepareRun(options: {
  readonly engine: WebAssembly.Module;
  readonly memoryBytes: number;
  readonly control: Control;
  readonly logs: LogBuffer;
  readonly prelude: string;
  readonly post: (message: FromWorker) => void;
}): WorkerRun {
  const { control, post, memoryBytes } = options;
  const outbox = createOutbox(options.logs, (items, isWaiting) => post({ kind: "out", items, isWaiting }));
  let job: WorkerJob | undefined;
  let instance: Instance | undefined;
  let execution: Execution | undefined;

  const door = createDoor(outbox, () => job ?? { argumentBytes: 0 });
  const stop = createStop({
    // The guest library loads before the script; a stop then waits until there is something to stop.
    isHaltAsked: () => execution !== undefined && control.isHaltAsked(),
    isCpuUsed: () => job !== undefined && control.hasUsed(job.cpuMs),
    onTick: () => {
      if (outbox.ageMs() > MAX_LOG_AGE_MS) outbox.flush();
    },
    readStack: () => (instance === undefined ? "" : instance.context.getString(instance.call("stack"))),
  });

  const end = (outcome: WorkerOutcome | undefined): void => {
    outbox.flush();
    if (outcome === undefined) return;
    door.shut();
    post({
      kind: "end",
      outcome,
      unhandled: execution?.unhandled() ?? [],
      unawaited: execution?.unawaited() ?? [],
      guestCpuMs: control.usedMs(),
      peakMemoryBytes: instance?.gauge.peakBytes() ?? 0,
    });
    execution = undefined;
  };

  const goOn = (outcome: WorkerOutcome | undefined): void => {
    if (outcome === undefined && job?.tellsWaiting) outbox.flush(true);
    end(outcome);
  };

  const ready = createInstance({
    engine: options.engine,
    memoryBytes,
    prelude: options.prelude,
    onCall: door.call,
    onInterrupt: stop.onInterrupt,
  });
  return {
    memoryBytes,
    ready,
    start: async (given) => {
      job = given;
      instance = await ready;
      const extraPrelude = URL_NAMES.test(job.code) ? [urlPrelude()] : [];
      execution = createExecution({ instance, job, control, stop, door, outbox, extraPrelude });
      goOn(execution.start());
    },
    deliver: (answers) => {
      if (execution !== undefined) goOn(execution.deliver(answers));
    },
    waits: (id) => {
      door.waits(id);
      goOn(execution?.look());
    },
    stallsInMs: () => execution?.stallsInMs(),
    look: () => end(execution?.look()),
    halt: (atCall) => {
      if (execution !== undefined) end(execution.halt(atCall));
    },
  };
}

/** `URL` costs as much to load as all the rest together, so only a script that names it pays. */
const URL_NAMES = /\bURL(?:SearchParams)?\b/;

function urlPrelude(): { readonly name: string; readonly text: string } {
  return { name: "mcpfs:prelude-url", text: readFileSync(packageFile("dist/sandbox/guest-url.js"), "utf8") };
}
