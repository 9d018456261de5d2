import { Worker } from "node:worker_threads";
import { packageFile } from "../kernel/paths.ts";
import { type Control, createControl, createControlMemory } from "./control.ts";
import { createLogBuffer, createLogMemory, type LogBuffer } from "./log-buffer.ts";
import type { FromWorker, ToWorker, WorkerStart } from "./messages.ts";

/** A thread that boots or waits for its one run. */
export interface RunWorker {
  readonly control: Control;
  /** Console lines that it has taken and not sent; to be read after its end. */
  readonly logs: LogBuffer;
  readonly send: (message: ToWorker) => void;
  /** Sets who hears of messages and of the end that nobody asked for. From now on the thread keeps the process alive. */
  readonly listen: (onMessage: (message: FromWorker) => void, onDeath: (error: unknown) => void) => void;
  /** Ends the thread, whatever it does, and waits for that; messages sent before still arrive. */
  readonly end: () => Promise<void>;
}

/** Deep data and deep source need a native stack; 64 times the guest's own turned every probe into a guest error. */
const STACK_MIB = 16;
/** Heap of the thread's JavaScript: texts on their way between guest and host. The guest's own memory is apart. */
const HEAP_MIB = 512;

/** Starts a thread with the shared engine. It sees no environment variable and its output goes nowhere. */
export function spawnWorker(engine: WebAssembly.Module, memoryBytes: number): RunWorker {
  const controlMemory = createControlMemory();
  const logMemory = createLogMemory();
  const start: WorkerStart = { engine, memoryBytes, control: controlMemory, logs: logMemory };
  const worker = new Worker(packageFile("dist/sandbox/worker.js"), {
    workerData: start,
    env: {},
    execArgv: [],
    stdout: true,
    stderr: true,
    resourceLimits: { stackSizeMb: STACK_MIB, maxOldGenerationSizeMb: HEAP_MIB },
  });
  worker.unref();
  // Whoever listens hears of it; a spare that dies unheard must not end the process.
  let death: { readonly error: unknown } | undefined;
  let tellDeath = (error: unknown): void => {
    death ??= { error };
  };
  worker.on("error", (error) => tellDeath(error));
  worker.on("exit", (code) => tellDeath(new Error(`The worker ended with code ${code}.`)));
  return {
    control: createControl(controlMemory),
    logs: createLogBuffer(logMemory),
    send: (message) => worker.postMessage(message),
    listen: (onMessage, onDeath) => {
      worker.ref();
      worker.on("message", onMessage);
      tellDeath = onDeath;
      if (death !== undefined) onDeath(death.error);
    },
    end: async () => {
      await worker.terminate();
    },
  };
}
