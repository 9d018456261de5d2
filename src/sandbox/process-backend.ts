import { McpfsError } from "../kernel/errors.ts";
import { stringifyJson } from "../kernel/json.ts";
import type { CallState } from "../model/door.ts";
import { callOf, type SandboxEnd, type SandboxJob } from "../model/sandbox.ts";
import { answerOf } from "./answer-of.ts";
import type { Backend } from "./backend.ts";
import type { FromProcess } from "./process-messages.ts";
import { type RunProcess, spawnProcess } from "./run-process.ts";

/** After a stop the process itself gets this long to tell how the run ended, before it is killed. */
const STOP_GRACE_MS = 500;

/** Runs each script in a process of its own, which ends with it. One spare boots ahead of need. */
export function createProcessBackend(memoryBytes: number): Backend {
  let spare: RunProcess | undefined;
  const take = (): RunProcess => {
    const waiting = spare;
    spare = undefined;
    return waiting === undefined || waiting.isDead() ? spawnProcess(memoryBytes) : waiting;
  };
  return {
    run: async (job) => {
      const child = take();
      try {
        return await conduct(child, job);
      } finally {
        await child.end();
      }
    },
    warm: async () => {
      if (spare === undefined || spare.isDead()) spare = spawnProcess(memoryBytes);
      await spare.ready;
    },
    close: async () => {
      await spare?.end();
      spare = undefined;
    },
  };
}

/** The host's side of a run in a process: hands over the job, answers calls, and stops it on the signal. */
async function conduct(
  child: RunProcess,
  job: SandboxJob & { readonly signal: AbortSignal },
): Promise<SandboxEnd> {
  const { onCall: _call, onLog: _log, replay, signal, args, ...rest } = job;
  let killing: NodeJS.Timeout | undefined;
  let onAbort = (): void => {};
  try {
    return await new Promise<SandboxEnd>((resolve, reject) => {
      const receive = (message: FromProcess): void => {
        if (message.kind === "call") {
          // A call that was on its way when the run was stopped is never sent.
          if (signal.aborted) return;
          const { call } = message;
          const { id } = call;
          const onState = (state: CallState): void => child.send({ kind: "state", id, state });
          void answerOf(job, call, onState).then((answer) => child.send({ kind: "answer", id, answer }));
        } else if (message.kind === "log") job.onLog(message.line);
        else if (message.kind === "waiting") replay?.onWaiting();
        else if (message.kind === "end") resolve(message.end);
        else if (message.kind === "failed")
          reject(new McpfsError("INTERNAL", message.message, { hint: message.hint }));
      };
      onAbort = () => {
        const message = signal.reason instanceof Error ? signal.reason.message : String(signal.reason);
        child.send({ kind: "abort", message, atCall: callOf(signal.reason) });
        killing = setTimeout(() => resolve(stopped("ABORTED", message)), STOP_GRACE_MS);
      };
      child.listen(
        (message) => {
          try {
            receive(message);
          } catch (error) {
            reject(error);
          }
        },
        () => resolve(stopped("INTERNAL", "The sandbox's process ended unexpectedly.")),
      );
      if (signal.aborted) onAbort();
      else signal.addEventListener("abort", onAbort, { once: true });
      const isReplay = replay !== undefined;
      child.send({ kind: "start", job: { ...rest, argsText: stringifyJson(args), isReplay } });
      void replay?.over.then(() => child.send({ kind: "replayed" }));
    });
  } finally {
    clearTimeout(killing);
    signal.removeEventListener("abort", onAbort);
  }
}

function stopped(code: "ABORTED" | "INTERNAL", message: string): SandboxEnd {
  const facts = { stack: "", unhandled: [], unawaited: [], guestCpuMs: 0, peakMemoryBytes: 0 };
  return { kind: "stopped", code, message, ...facts };
}
