import type { Clock } from "../kernel/clock.ts";
import { McpfsError, toMcpfsError } from "../kernel/errors.ts";
import type { JsonObject } from "../kernel/json.ts";
import { askForPermission } from "../kernel/next-steps.ts";
import { untilAborted } from "../kernel/wait.ts";
import type { Vault } from "../masking/vault.ts";
import type { CallState } from "../model/door.ts";
import type { WaitingCall } from "../model/run.ts";
import type { Tool } from "../model/tool.ts";
import type { Decision } from "../policy/decision.ts";
import type { Approvals, Ask, CallRecord } from "./ports.ts";

/** A decision that does not refuse the call. */
export type Permit = Exclude<Decision, { readonly kind: "deny" }>;

/** A decision as it is, unless it denies. @throws McpfsError POLICY_DENIED, FLOW_DENIED */
export function permitOf(decision: Decision, tool: Tool, code: "POLICY_DENIED" | "FLOW_DENIED"): Permit {
  if (decision.kind !== "deny") return decision;
  throw new McpfsError(
    code,
    `The rule "${decision.rule}" does not allow ${tool.server}/${tool.raw}: ${decision.reason}`,
    {
      hint: askForPermission(tool.wire),
      data: { rule: decision.rule },
    },
  );
}

/** Where a call that may not simply go out gets a person's word. */
export interface ApprovalDesk {
  /**
   * Resolves when the call may go on; never while it waits for a person who is not there, until `signal` aborts.
   * @throws McpfsError POLICY_DENIED when it is denied; the signal's reason
   */
  readonly ask: (call: AskedCall, signal: AbortSignal) => Promise<void>;
  /** Calls that wait for a person who is not there, in the order in which they were made. */
  readonly waiting: () => readonly WaitingCall[];
}

/** A call that nothing denies, with what asks about it. */
export interface AskedCall {
  readonly call: number;
  readonly tool: Tool;
  readonly arguments: JsonObject;
  readonly asks: readonly Permit[];
  /** True for a call that may have taken effect before: only a person's word on this very call lets it pass. */
  readonly isRepeat: boolean;
  readonly onState: (state: CallState) => void;
}

/** Creates the desk of one run. */
export function createApprovalDesk(parts: {
  readonly approvals: Approvals;
  readonly journal: CallRecord;
  readonly vault: Vault;
  readonly clock: Clock;
}): ApprovalDesk {
  const { approvals, journal, vault, clock } = parts;
  const waiting = new Map<number, WaitingCall>();

  /** Journal first: that it was asked and what was decided is on disk before anything follows from it. */
  const decide = async (
    asked: Ask,
    onState: AskedCall["onState"],
    signal: AbortSignal,
  ): Promise<"approved" | "denied"> => {
    const { definition, isRepeat: _, ...shown } = asked;
    journal.append({ event: "asked", ...shown, digest: definition.digest, atMs: clock.now() });
    onState("asking");
    const approval = await approvals.decisionFor(asked, signal);
    if (signal.aborted) throw toMcpfsError(signal.reason);
    if (approval !== undefined) {
      onState("out");
      journal.append({ event: "decided", call: asked.call, ...approval, atMs: clock.now() });
      return approval.decision;
    }
    const { call, server, tool, arguments: args, reason } = shown;
    waiting.set(call, { call, server, tool, arguments: args, reason });
    onState("waiting");
    await untilAborted(signal);
    throw toMcpfsError(signal.reason);
  };

  return {
    ask: async ({ call, tool, arguments: args, asks, isRepeat, onState }, signal) => {
      const decision = await decide(
        {
          call,
          server: tool.server,
          tool: tool.raw,
          definition: tool,
          isRepeat,
          arguments: vault.mask(args) ?? null,
          reason: asks.map(({ reason }) => reason).join(" "),
          rule: asks.map(({ rule }) => rule).join(", "),
        },
        onState,
        signal,
      );
      if (decision === "denied") throw refusedByPerson(tool);
    },
    waiting: () => [...waiting.values()].sort((a, b) => a.call - b.call),
  };
}

function refusedByPerson({ server, raw }: Tool): McpfsError {
  return new McpfsError("POLICY_DENIED", `A person was asked about ${server}/${raw}, and denied it.`, {
    hint: "Do without this call, or ask that person what to do instead.",
    data: { rule: "denied" },
  });
}
