import type { Broker } from "../../broker/broker.ts";
import type { RecordedOutcome } from "../../broker/ports.ts";
import type { McpfsError } from "../../kernel/errors.ts";
import type { Json } from "../../kernel/json.ts";
import type { Tool } from "../../model/tool.ts";
import { type Caller, isClient, readCaller } from "../../policy/decision.ts";

/** Makes a call that belongs to no script. Where it would wait for a person who is not there it ends with `needsApproval`. */
export async function singleCall(
  broker: Broker,
  tool: Tool,
  { args, signal, caller }: { readonly args: Json; readonly signal: AbortSignal; readonly caller: Caller },
  needsApproval: McpfsError,
): Promise<RecordedOutcome> {
  const waits = new AbortController();
  return await broker.call({
    name: tool.wire,
    arguments: args,
    caller,
    signal: AbortSignal.any([signal, waits.signal]),
    onState: (state) => {
      if (state === "waiting") waits.abort(needsApproval);
    },
  });
}

/** True for a run that is no script's but one call, by a command or by a client, or the calls of a sync. */
export function isCallRun({ caller, script }: { readonly caller: string; readonly script: string }): boolean {
  const by = readCaller(caller);
  return by === "call" || (by !== undefined && isClient(by) && script.startsWith("call "));
}
