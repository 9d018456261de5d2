import { readFileSync } from "node:fs";
import { parentPort, workerData } from "node:worker_threads";
import { packageFile } from "../kernel/paths.ts";
import { type Control, createControl } from "./control.ts";
import { createDoor } from "./door.ts";
import { createExecution, type Execution } from "./execution.ts";
import { createInstance, type Instance } from "./instance.ts";
import { createLogBuffer } from "./log-buffer.ts";
import type { FromWorker, ToWorker, WorkerJob, WorkerOutcome, WorkerStart } from "./messages.ts";
import { createOutbox } from "./outbox.ts";
import { createStop } from "./stop.ts";
import { makeLocalTimeUtc } from "./utc.ts";

/** The thread of one run: boots the engine, then waits for its job. It is ended from outside, never by itself. */
makeLocalTimeUtc();
if (parentPort === null) throw new Error("This file runs as a worker thread.");
const port = parentPort;
serve(workerData as WorkerStart);

/** Console lines older than this are sent while the script still computes. */
const MAX_LOG_AGE_MS = 50;

function serve({ engine, memoryBytes, control: controlMemory, logs }: WorkerStart): void {
  const post = (message: FromWorker): void => port.postMessage(message);
  const control: Control = createControl(controlMemory);
  const outbox = createOutbox(createLogBuffer(logs), (items) => post({ kind: "out", items }));
  const prelude = readFileSync(packageFile("dist/sandbox/guest.js"), "utf8");
  let job: WorkerJob | undefined;
  let instance: Instance | undefined;
  let execution: Execution | undefined;

  const door = createDoor(outbox, () => job ?? { argumentBytes: 0 });
  const stop = createStop({
    // The guest library loads before the script; a stop then waits until there is something to stop.
    isHaltAsked: () => execution !== undefined && control.isHaltAsked(),
    isCpuUsed: () => job !== undefined && control.usedMs() > job.cpuMs,
    onTick: () => {
      if (outbox.ageMs() > MAX_LOG_AGE_MS) outbox.flush();
    },
    readStack: () => (instance === undefined ? "" : instance.context.getString(instance.call("stack"))),
  });
  const boot = (bytes: number): Promise<Instance> =>
    createInstance({ engine, memoryBytes: bytes, prelude, onCall: door.call, onInterrupt: stop.onInterrupt });

  const end = (outcome: WorkerOutcome | undefined): void => {
    if (outcome === undefined) return;
    door.shut();
    post({
      kind: "end",
      outcome,
      unhandled: execution?.unhandled() ?? [],
      guestCpuMs: control.usedMs(),
      peakMemoryBytes: instance?.gauge.peakBytes() ?? 0,
    });
    execution = undefined;
    port.close();
  };

  const ready = boot(memoryBytes);
  const receive = async (message: ToWorker): Promise<void> => {
    if (message.kind === "start") {
      job = message.job;
      instance = job.memoryBytes === memoryBytes ? await ready : await boot(job.memoryBytes);
      const extraPrelude = URL_NAMES.test(job.code) ? [urlPrelude()] : [];
      execution = createExecution({ instance, job, control, stop, door, outbox, extraPrelude });
      end(execution.start());
    } else if (message.kind === "answers") end(execution?.deliver(message.answers));
    else if (execution !== undefined) end(execution.halt());
  };
  port.on("message", (message: ToWorker) => void receive(message));
}

/** `URL` costs as much to load as all the rest together, so only a script that names it pays. */
const URL_NAMES = /\bURL(?:SearchParams)?\b/;

function urlPrelude(): { readonly name: string; readonly text: string } {
  return { name: "mcpfs:prelude-url", text: readFileSync(packageFile("dist/sandbox/guest-url.js"), "utf8") };
}
