import { readFileSync } from "node:fs";
import { parentPort, receiveMessageOnPort, workerData } from "node:worker_threads";
import { packageFile } from "../kernel/paths.ts";
import { createControl } from "./control.ts";
import { forbidThreads } from "./forbid-threads.ts";
import { createLogBuffer } from "./log-buffer.ts";
import type { ToWorker, WorkerJob, WorkerStart } from "./messages.ts";
import { makeLocalTimeUtc } from "./utc.ts";
import { prepareRun, type WorkerRun } from "./worker-run.ts";

/**
 * A thread that serves one run after the other, each with an instance and memory of its own: the next one is made
 * ready as soon as a run is over. The thread is ended from outside, never by itself.
 */
makeLocalTimeUtc();
if (process.permission !== undefined) forbidThreads();
if (parentPort === null) throw new Error("This file runs as a worker thread.");
const port = parentPort;
serve(workerData as WorkerStart);

function serve({ engine, memoryBytes, control: controlMemory, logs: logMemory }: WorkerStart): void {
  const control = createControl(controlMemory);
  control.register();
  const logs = createLogBuffer(logMemory);
  const prelude = readFileSync(packageFile("dist/sandbox/guest.js"), "utf8");
  const prepare = (bytes: number): WorkerRun =>
    prepareRun({
      engine,
      memoryBytes: bytes,
      control,
      logs,
      prelude,
      post: (message) => {
        port.postMessage(message);
        if (message.kind !== "end") return;
        current = undefined;
        // The end is on its way to the host; what follows costs nobody any time.
        setImmediate(prepareNext);
      },
    });
  let current: WorkerRun | undefined;
  let next: WorkerRun | undefined;
  const prepareNext = (): void => {
    if (current !== undefined) return;
    next ??= prepare(memoryBytes);
    next.ready.then(
      () => port.postMessage({ kind: "ready" }),
      // Whoever starts the run hears of it.
      () => {},
    );
  };
  const receive = (message: ToWorker): void => {
    if (message.kind === "start") void conduct(message.job);
    else if (message.kind === "answers") current?.deliver(message.answers);
    else if (message.kind === "waits") current?.waits(message.id);
    else current?.halt(message.atCall);
  };
  /** While a run goes on, the thread has nothing else to do: a turn of its event loop takes longer than such a wait. */
  const conduct = async (job: WorkerJob): Promise<void> => {
    const run = next?.memoryBytes === job.memoryBytes ? next : prepare(job.memoryBytes);
    current = run;
    next = undefined;
    await run.start(job);
    while (current === run) {
      const rings = control.rings();
      const received = receiveMessageOnPort(port);
      if (received !== undefined) receive(received.message as ToWorker);
      else if (!control.waitForRing(rings, run.stallsInMs())) run.look();
    }
  };
  prepareNext();
  port.on("message", receive);
}
