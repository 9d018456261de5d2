import type { Budget } from "../budget/budget.ts";
import { briefJson } from "../kernel/brief-json.ts";
import type { Clock } from "../kernel/clock.ts";
import { McpfsError, toMcpfsError } from "../kernel/errors.ts";
import type { Json, JsonObject } from "../kernel/json.ts";
import type { Vault } from "../masking/vault.ts";
import type { Effect, ToolAnswer } from "../model/call.ts";
import type { AnswerEvent } from "../model/call-event.ts";
import type { CallState } from "../model/door.ts";
import type { CallEffect, Limits, WaitingCall } from "../model/run.ts";
import type { Tool } from "../model/tool.ts";
import type { Caller } from "../policy/decision.ts";
import type { FlowPolicy } from "../policy/flow.ts";
import type { Policy } from "../policy/policy.ts";
import type { Validator } from "../schema/validator.ts";
import { createApprovalDesk, permitOf } from "./approval-desk.ts";
import { callErrorOf, retryOf } from "./call-error.ts";
import { decideAgain } from "./decide-again.ts";
import { limitAnswer } from "./limit-answer.ts";
import type {
  Approvals,
  CallRecord,
  PastCalls,
  Recalled,
  RecordedOutcome,
  ToolCaller,
  ToolSource,
} from "./ports.ts";
import { prepareArguments } from "./prepare-arguments.ts";

/** Everything that decides about, makes and records a call. */
export interface BrokerParts {
  readonly tools: ToolSource;
  readonly vault: Vault;
  readonly validator: Validator;
  readonly budget: Budget;
  readonly policy: Policy;
  readonly flow: FlowPolicy;
  readonly approvals: Approvals;
  readonly journal: CallRecord;
  /** What earlier attempts of this run did; absent in a run's first. */
  readonly past?: PastCalls;
  readonly caller: ToolCaller;
  readonly limits: Pick<Limits, "argumentBytes" | "resultBytes">;
  readonly clock: Clock;
  /** Sees the value of each good answer, as its caller gets it, of tools that declare no output. */
  readonly learn?: (tool: Tool, value: Json) => void;
}

/** The single gate between a caller and the tools of all servers, for one run. */
export interface Broker {
  /** Decides, makes and records one call. Rejects only where the record cannot be written: nobody may then see an answer. */
  readonly call: (request: CallRequest) => Promise<RecordedOutcome>;
  /** What the calls did so far, in the order in which they were made. */
  readonly effects: () => readonly CallEffect[];
  /** Calls that wait for a person who is not there. */
  readonly waiting: () => readonly WaitingCall[];
}

export interface CallRequest {
  /** Any name that the tool source accepts. Untrusted. */
  readonly name: string;
  /** Untrusted. */
  readonly arguments: Json;
  readonly caller: Caller;
  readonly signal: AbortSignal;
  /** Told when a person is asked, is not there, or has answered. */
  readonly onState?: (state: CallState) => void;
}

/**
 * Creates the broker of one run. The order of the steps is law 2 of the architecture, the same for every caller:
 * known and current → unmask → arguments valid → budget → policy → data flow → a person, where one of the two asks → journal → call →
 * result within limits → mask → journal.
 */
export function createBroker(parts: BrokerParts): Broker {
  const effects = new Map(parts.past?.effects.map((effect) => [effect.call, effect]));
  const sources = new Set<string>();
  const desk = createApprovalDesk(parts);
  let calls = 0;

  const settle = (call: number, tool: Tool, status: Effect): void => {
    const { server, raw, risk } = tool;
    const retry = status === "done" ? "not-needed" : retryOf(tool, status);
    effects.set(call, { call, server, tool: raw, status, retry, risk });
  };

  /** Nothing of this leaves the host: every refusal is "never sent". */
  const admit = async (
    call: number,
    listed: Tool,
    request: CallRequest,
    past: Recalled,
  ): Promise<Admitted> => {
    const { signal, caller } = request;
    const current = await parts.tools.check(listed, signal, request.arguments);
    const { tool, warnings } = current;
    const args = prepareArguments(parts, current, request.arguments);
    parts.budget.spend(`${tool.server}/${tool.raw}`);
    const decision = parts.policy.decide({ tool, arguments: args, caller });
    const { decision: again, isRepeat } = decideAgain(decision, tool, past);
    const asks = [
      permitOf(again, tool, "POLICY_DENIED"),
      permitOf(parts.flow.decide({ tool, sources }), tool, "FLOW_DENIED"),
    ].filter(({ kind }) => kind === "ask");
    if (asks.length === 0) return { tool, args, warnings };
    const { onState = () => {} } = request;
    await desk.ask({ call, tool, arguments: args, asks, isRepeat, onState }, signal);
    // A person may have taken hours, and has approved what was shown.
    const { tool: now } = await parts.tools.check(listed, signal, request.arguments);
    if (now.digest !== tool.digest) throw changedMeanwhile(tool);
    return { tool, args, warnings };
  };

  const send = async (
    call: number,
    { tool, args }: Admitted,
    { name, arguments: given, signal }: CallRequest,
  ): Promise<ToolAnswer> => {
    await parts.budget.enter();
    try {
      if (signal.aborted) throw toMcpfsError(signal.reason);
      parts.journal.append({
        event: "call",
        call,
        name,
        server: tool.server,
        tool: tool.raw,
        digest: tool.digest,
        risk: tool.risk,
        isRepeatable: retryOf(tool, "unknown") === "safe",
        arguments: given,
        atMs: parts.clock.now(),
      });
      settle(call, tool, "unknown");
      return await parts.caller.call(tool, args, signal);
    } finally {
      parts.budget.leave();
    }
  };

  /** Written down before anybody sees it. @returns when that was */
  const record = (
    call: number,
    effect: Effect,
    shown: Pick<AnswerEvent, "value" | "error">,
    signal: AbortSignal,
  ): number => {
    const atMs = parts.clock.now();
    const answer = { event: "answer", call, effect, ...shown, atMs } as const;
    parts.journal.append(signal.aborted ? { ...answer, isUnseen: true } : answer);
    return atMs;
  };

  /** The answer is here: the effect is known. */
  const receive = (
    call: number,
    { tool, warnings: known }: Admitted,
    answer: ToolAnswer,
    signal: AbortSignal,
  ): RecordedOutcome => {
    const effect = answer.isError ? "failed" : "done";
    settle(call, tool, effect);
    sources.add(tool.server);
    const outcome = limitAnswer(tool, answer, parts.limits);
    const faults = outcome.kind === "ok" ? outputFaults(parts.validator, tool, outcome.value) : [];
    const warnings = [...known, ...(answer.warnings ?? []), ...faults];
    if (outcome.kind === "error") {
      const error = { ...outcome.error, content: maskBlocks(parts.vault, outcome.error.content) };
      return { kind: "error", error, warnings, atMs: record(call, effect, { error }, signal) };
    }
    const value = parts.vault.mask(outcome.value);
    if (value !== undefined && tool.outputSchema === undefined) parts.learn?.(tool, value);
    return {
      kind: "ok",
      value,
      valueText: value === outcome.value ? outcome.valueText : undefined,
      content: maskBlocks(parts.vault, outcome.content),
      warnings,
      atMs: record(call, effect, value === undefined ? {} : { value }, signal),
    };
  };

  const fail = (
    call: number,
    tool: Tool | undefined,
    error: McpfsError,
    request: CallRequest,
  ): RecordedOutcome => {
    const before = effects.get(call)?.status ?? "never-sent";
    // A server that refused the request itself did nothing; everything else that ends an open call leaves it unknown.
    const effect: Effect = before === "unknown" && error.code === "TOOL_ERROR" ? "failed" : before;
    if (tool !== undefined) settle(call, tool, effect);
    const told = callErrorOf(error, tool, effect, request.name);
    const outcome = { kind: "error" as const, error: told, warnings: [] };
    if (effect !== "never-sent")
      return { ...outcome, atMs: record(call, effect, { error: told }, request.signal) };
    const atMs = parts.clock.now();
    // A call that the end of the run kept from leaving was refused by nobody.
    if (request.signal.aborted) return { ...outcome, atMs };
    const { server = "", raw = request.name, risk = "unstated" } = tool ?? {};
    parts.journal.append({
      event: "refused",
      ...{ call, name: request.name, server, tool: raw, risk, error: told, atMs },
      arguments: briefJson(request.arguments),
    });
    return { ...outcome, atMs };
  };

  /** The first step of each call; one that differs from the recorded one is not recorded in its place. */
  const recall = async (
    past: PastCalls,
    call: number,
    { name, arguments: args }: CallRequest,
  ): Promise<Recalled | { readonly kind: "diverged"; readonly outcome: RecordedOutcome }> => {
    try {
      return await past.recall(call, name, args);
    } catch (thrown) {
      const error = callErrorOf(toMcpfsError(thrown), undefined, "never-sent", name);
      const atMs = parts.clock.now();
      return { kind: "diverged", outcome: { kind: "error", error, warnings: [], atMs } };
    }
  };

  /** An earlier attempt has it: nothing leaves, and nothing is spent. */
  const replay = (call: number, { before, outcome }: Extract<Recalled, { kind: "answered" }>) => {
    effects.set(call, before);
    if (before.status === "done" || before.status === "failed") sources.add(before.server);
    return outcome;
  };

  return {
    call: async (request) => {
      calls += 1;
      const call = calls;
      let tool: Tool | undefined;
      const past = parts.past === undefined ? NEW : await recall(parts.past, call, request);
      if (past.kind === "diverged") return past.outcome;
      if (past.kind === "answered") return replay(call, past);
      try {
        tool = parts.tools.find(request.name);
        settle(call, tool, past.kind === "again" ? past.before.status : "never-sent");
        const admitted = await admit(call, tool, request, past);
        tool = admitted.tool;
        const answer = await send(call, admitted, request);
        return receive(call, admitted, answer, request.signal);
      } catch (thrown) {
        return fail(call, tool, toMcpfsError(thrown), request);
      }
    },
    waiting: desk.waiting,
    effects: () => [...effects.values()].sort((a, b) => a.call - b.call),
  };
}

const NEW: Recalled = { kind: "new" };

interface Admitted {
  readonly tool: Tool;
  readonly args: JsonObject;
  readonly warnings: readonly string[];
}

function changedMeanwhile({ server, raw }: Tool): McpfsError {
  return new McpfsError(
    "DEFINITION_CHANGED",
    `${server} has changed the definition of ${JSON.stringify(raw)} while a person was asked about it.`,
    { hint: "Make the call again: what was approved is not what the tool is now." },
  );
}

/**
 * An answer that breaks its output schema is delivered all the same, with a warning (the data is there). Judged is what the script
 * gets: text stands for `structuredContent` where a server sends only that.
 */
function outputFaults(validator: Validator, tool: Tool, value: Json | undefined): readonly string[] {
  if (tool.outputSchema === undefined) return [];
  const name = `${tool.server}/${tool.raw}`;
  if (value === undefined) return [`${name} answered nothing, against its output schema.`];
  const { faults } = validator.judge(`${tool.wire} output ${tool.digest}`, tool.outputSchema, value);
  return faults.map((fault) => `${name} answered against its output schema: ${fault}`);
}

function maskBlocks(vault: Vault, blocks: readonly Json[]): readonly Json[] {
  return blocks.map((block) => vault.mask(block) ?? null);
}
