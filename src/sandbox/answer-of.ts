import { toMcpfsError } from "../kernel/errors.ts";
import type { CallState, DoorAnswer, DoorCall } from "../model/door.ts";
import type { SandboxJob } from "../model/sandbox.ts";

/** The port promises never to reject; a fault there must still answer the script. */
export async function answerOf(
  job: SandboxJob,
  call: DoorCall,
  onState: (state: CallState) => void,
): Promise<DoorAnswer> {
  try {
    return await job.onCall(call, onState);
  } catch (error) {
    const { code, message, hint } = toMcpfsError(error);
    const rest = { server: "", tool: call.name, retry: "unsafe", content: [] } as const;
    return { kind: "error", error: { code, message, hint, ...rest }, nowMs: 0 };
  }
}
