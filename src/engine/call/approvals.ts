import type { Approvals, Ask } from "../../broker/ports.ts";
import { isSameJson, type Json } from "../../kernel/json.ts";
import type { Approval, AskApproval } from "../../model/approval.ts";
import type { AskedEvent, CallEvent, DecidedEvent } from "../../model/call-event.ts";
import { parseToolPattern, type ToolPattern } from "../../policy/tool-pattern.ts";
import type { Grants } from "./grants.ts";

/** An event that tells what was decided about which call, and whether that is used up. */
export type ApprovalEvent = AskedEvent | DecidedEvent | CallEvent;

/** Where the decisions of one run come from. */
export interface ApprovalSources {
  readonly grants: Grants;
  /** Patterns that were granted for this run when it was started. */
  readonly patterns: readonly ToolPattern[];
  /** What earlier attempts of this run asked and were told, and which calls then went out, in the order of its journal. */
  readonly past: readonly ApprovalEvent[];
  /** Absent where no person is there. */
  readonly person: AskApproval | undefined;
  /** Hides the secrets of the config, as the journal does. */
  readonly redact: (value: Json) => Json;
}

/**
 * Creates what the broker asks. In this order: what was decided about this very call, about its tool or a pattern in this run, the
 * user's grants, and then the person. Calls that come while a person is being asked wait for that answer, which may cover them.
 */
export function createApprovals({ grants, patterns, past, person, redact }: ApprovalSources): Approvals {
  const book = createRunBook(patterns, past);
  let last: Promise<unknown> = Promise.resolve();

  const known = async (ask: Ask): Promise<Approval | undefined> =>
    book.decisionFor({ ...ask, arguments: redact(ask.arguments) }) ??
    (!ask.isRepeat && (await grants.covers(ask.definition)) ? GRANTED : undefined);

  const askPerson = async (
    ask: Ask,
    asker: AskApproval,
    signal: AbortSignal,
  ): Promise<Approval | undefined> => {
    const before = await known(ask);
    if (before !== undefined || signal.aborted) return before;
    const { server, tool, reason, rule, definition } = ask;
    const shown = { server, tool, arguments: redact(ask.arguments), reason, rule };
    const approval = await asker(shown, signal);
    if (approval === undefined) return undefined;
    book.note({ ...ask, digest: definition.digest, arguments: shown.arguments }, approval);
    if (approval.decision === "approved" && approval.scope === "forever") await grants.add(definition);
    if (approval.decision === "approved" && approval.scope === "until")
      await grants.add(definition, approval.until);
    return approval;
  };

  return {
    decisionFor: async (ask, signal) => {
      const decided = await known(ask);
      if (decided !== undefined || person === undefined) return decided;
      const turn = last.then(async () => await askPerson(ask, person, signal));
      last = turn.catch(() => {});
      return await turn;
    },
  };
}

const GRANTED: Approval = { decision: "approved", by: "grant", scope: "forever" };

/** A call that a person was asked about, as the journal has it. */
type Asked = Pick<AskedEvent, "call" | "server" | "tool" | "digest" | "arguments">;

/** Decisions that hold in one run. */
interface RunBook {
  readonly decisionFor: (ask: Ask) => Approval | undefined;
  readonly note: (asked: Asked, approval: Approval) => void;
}

function createRunBook(granted: readonly ToolPattern[], past: readonly ApprovalEvent[]): RunBook {
  const byCall = new Map<number, { readonly asked: Asked; readonly approval: Approval }>();
  const byTool = new Map<string, Approval>();
  const byPattern: { readonly pattern: ToolPattern; readonly approval: Approval }[] = [];
  const toolKey = (server: string, tool: string, digest: string): string =>
    JSON.stringify([server, tool, digest]);

  const note: RunBook["note"] = (asked, approval) => {
    byCall.set(asked.call, { asked, approval });
    if (approval.scope === "run-tool") byTool.set(toolKey(asked.server, asked.tool, asked.digest), approval);
    if (approval.scope === "run-pattern" && approval.pattern !== undefined)
      byPattern.push({ pattern: parseToolPattern(approval.pattern), approval });
  };
  /** A script that was edited since may make another call in the place of the one that was decided. */
  const isThat = (asked: Asked, ask: Ask): boolean =>
    asked.server === ask.server &&
    asked.tool === ask.tool &&
    asked.digest === ask.definition.digest &&
    isSameJson(asked.arguments, ask.arguments);

  const open = new Map<number, AskedEvent>();
  for (const event of past) {
    const asked = open.get(event.call);
    if (event.event === "asked") open.set(event.call, event);
    else if (event.event === "decided" && asked !== undefined) note(asked, approvalOf(event));
    // A decision about one call is used up when that call goes out.
    else if (event.event === "call") byCall.delete(event.call);
  }
  for (const pattern of granted) {
    const approval = {
      decision: "approved",
      by: "grant",
      scope: "run-pattern",
      pattern: pattern.text,
    } as const;
    byPattern.push({ pattern, approval });
  }
  return {
    note,
    decisionFor: (ask) => {
      const of = byCall.get(ask.call);
      if (of !== undefined && isThat(of.asked, ask)) return of.approval;
      if (ask.isRepeat) return undefined;
      return (
        byTool.get(toolKey(ask.server, ask.tool, ask.definition.digest)) ??
        byPattern.find(({ pattern }) => pattern.matches(ask.definition))?.approval
      );
    },
  };
}

function approvalOf({ decision, by, scope, pattern, until }: DecidedEvent): Approval {
  return {
    decision,
    by,
    scope,
    ...(pattern === undefined ? {} : { pattern }),
    ...(until === undefined ? {} : { until }),
  };
}
