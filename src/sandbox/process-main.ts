import { McpfsError, toMcpfsError } from "../kernel/errors.ts";
import { parseJson } from "../kernel/json.ts";
import type { CallState, DoorAnswer } from "../model/door.ts";
import type { FromProcess, ProcessJob, ToProcess } from "./process-messages.ts";
import { createThreadBackend } from "./thread-backend.ts";

/**
 * The process of one run under `isolation: "process"`: a sandbox in a thread as everywhere, in a process that has no
 * permissions and no environment. All it does beside is to hand messages on. It ends with its channel to the host.
 */
const memoryBytes = Number(process.argv[2]);
const backend = createThreadBackend(memoryBytes);
interface OpenCall {
  readonly answer: (answer: DoorAnswer) => void;
  readonly onState: (state: CallState) => void;
}
const open = new Map<number, OpenCall>();
const stop = new AbortController();
let finishReplay = (): void => {};
const over = new Promise<void>((resolve) => {
  finishReplay = resolve;
});

const post = (message: FromProcess): void => void process.send?.(message);

async function run({ argsText, isReplay, ...job }: ProcessJob): Promise<void> {
  try {
    const end = await backend.run({
      ...job,
      args: parseJson(argsText),
      onCall: (call, onState) =>
        new Promise((answer) => {
          open.set(call.id, { answer, onState });
          post({ kind: "call", call });
        }),
      onLog: (line) => post({ kind: "log", line }),
      ...(isReplay ? { replay: { onWaiting: () => post({ kind: "waiting" }), over } } : {}),
      signal: stop.signal,
    });
    post({ kind: "end", end });
  } catch (error) {
    const { code, message, hint } = toMcpfsError(error);
    post({ kind: "failed", code, message, hint });
  }
}

process.on("message", (message: ToProcess) => {
  if (message.kind === "start") void run(message.job);
  else if (message.kind === "replayed") finishReplay();
  else if (message.kind === "state") open.get(message.id)?.onState(message.state);
  else if (message.kind === "abort")
    stop.abort(new McpfsError("INTERNAL", message.message, { data: { doorCall: message.atCall } }));
  else {
    open.get(message.id)?.answer(message.answer);
    open.delete(message.id);
  }
});
process.on("disconnect", () => process.exit());
await backend.warm();
post({ kind: "ready" });
