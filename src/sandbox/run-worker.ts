import { Worker } from "node:worker_threads";
import { packageFile } from "../kernel/paths.ts";
import { type Control, createControl, createControlMemory } from "./control.ts";
import { createLogBuffer, createLogMemory, type LogBuffer } from "./log-buffer.ts";
import type { FromWorker, ToWorker, WorkerStart } from "./messages.ts";

/** A thread that serves runs, one after the other. It keeps the process alive while it boots or serves one. */
export interface RunWorker {
  /** Resolves when an instance stands ready in it; rejects when the thread ends before. */
  readonly ready: Promise<void>;
  readonly isDead: () => boolean;
  /** Begins a run. The one before must be over. */
  readonly lend: () => Loan;
  /** Ends the thread, whatever it does, and waits for that; messages sent before still arrive. */
  readonly end: () => Promise<void>;
}

/** A thread for the time of one run. */
export interface Loan {
  readonly control: Control;
  /** Console lines that it has taken and not sent; to be read after its end. */
  readonly logs: LogBuffer;
  readonly send: (message: ToWorker) => void;
  /** Sets who hears of messages and of the end that nobody asked for. */
  readonly listen: (onMessage: (message: FromWorker) => void, onDeath: (error: unknown) => void) => void;
  /** The run ended by itself: nothing of it is left in the thread. Messages sent from now on go nowhere. */
  readonly giveBack: () => void;
}

/** Deep data and deep source need a native stack; 64 times the guest's own turned every probe into a guest error. */
const STACK_MIB = 16;
/** Heap of the thread's JavaScript: texts on their way between guest and host. The guest's own memory is apart. */
const HEAP_MIB = 512;

/** Starts a thread with the shared engine. It sees no environment variable and its output goes nowhere. */
export function spawnWorker(engine: WebAssembly.Module, memoryBytes: number): RunWorker {
  const controlMemory = createControlMemory();
  const logMemory = createLogMemory();
  const control = createControl(controlMemory);
  const logs = createLogBuffer(logMemory);
  const start: WorkerStart = { engine, memoryBytes, control: controlMemory, logs: logMemory };
  const worker = new Worker(packageFile("dist/sandbox/worker.js"), {
    workerData: start,
    env: {},
    // A thread that inherits the options of its process inherits its permissions too; else it needs none of them.
    ...(process.permission === undefined ? { execArgv: [] } : {}),
    stdout: true,
    stderr: true,
    resourceLimits: { stackSizeMb: STACK_MIB, maxOldGenerationSizeMb: HEAP_MIB },
  });
  let isServing = false;
  let death: { readonly error: unknown } | undefined;
  let onMessage = (_message: FromWorker): void => {};
  let onDeath = (_error: unknown): void => {};
  const die = (error: unknown): void => {
    if (death !== undefined) return;
    death = { error };
    onDeath(error);
  };
  const ready = new Promise<void>((resolve, reject) => {
    worker.on("error", (error) => {
      die(error);
      reject(error);
    });
    worker.on("exit", (code) => {
      die(new Error(`The worker ended with code ${code}.`));
      reject(new Error("The worker ended."));
    });
    worker.on("message", (message: FromWorker) => {
      if (message.kind !== "ready") return onMessage(message);
      // Until here it holds the process open, since somebody may wait for it.
      if (!isServing) worker.unref();
      resolve();
    });
  });
  // A spare that dies unheard must not end the process.
  ready.catch(() => {});

  const end = async (): Promise<void> => {
    await worker.terminate();
  };
  return {
    ready,
    isDead: () => death !== undefined,
    lend: () => {
      control.clear();
      logs.clear();
      let isLent = true;
      return {
        control,
        logs,
        send: (message) => {
          if (!isLent) return;
          worker.postMessage(message);
          control.ring();
        },
        listen: (hearMessage, hearDeath) => {
          isServing = true;
          worker.ref();
          onMessage = hearMessage;
          onDeath = hearDeath;
          if (death !== undefined) hearDeath(death.error);
        },
        giveBack: () => {
          isLent = false;
          isServing = false;
          onMessage = () => {};
          onDeath = () => {};
          worker.unref();
        },
      };
    },
    end,
  };
}
