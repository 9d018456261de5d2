import type { Budget } from "../budget/budget.ts";
import { briefJson } from "../kernel/brief-json.ts";
import type { Clock } from "../kernel/clock.ts";
import { McpfsError, toMcpfsError } from "../kernel/errors.ts";
import { isDeeperThan, type Json, type JsonObject, stringifyJson } from "../kernel/json.ts";
import type { Vault } from "../masking/vault.ts";
import type { CallOutcome, Effect, ToolAnswer } from "../model/call.ts";
import type { CallState } from "../model/door.ts";
import { type CallEffect, howToRaise, type Limits, type WaitingCall } from "../model/run.ts";
import type { Tool } from "../model/tool.ts";
import type { Caller } from "../policy/decision.ts";
import type { FlowPolicy } from "../policy/flow.ts";
import type { Policy } from "../policy/policy.ts";
import type { Validator } from "../schema/validator.ts";
import { createApprovalDesk, permitOf } from "./approval-desk.ts";
import { callErrorOf, retryOf } from "./call-error.ts";
import { decideAgain } from "./decide-again.ts";
import type {
  Approvals,
  CallRecord,
  PastCalls,
  Recalled,
  RecordedOutcome,
  ToolCaller,
  ToolSource,
} from "./ports.ts";
import { MAX_DEPTH, prepareArguments } from "./prepare-arguments.ts";
import { unwrapAnswer } from "./unwrap-answer.ts";

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
  /** Decides, makes and records one call. Never rejects. */
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
    const { signal, caller, onState = () => {} } = request;
    const current = await parts.tools.check(listed, signal, request.arguments);
    const { tool, warnings } = current;
    const args = prepareArguments(parts, current, request.arguments);
    parts.budget.spend(`${tool.server}/${tool.raw}`);
    const decision = parts.policy.decide({ tool, arguments: args, caller });
    const { decision: again, isRepeat } = decideAgain(decision, tool, past);
    const permits = [
      permitOf(again, tool, "POLICY_DENIED"),
      permitOf(parts.flow.decide({ tool, sources }), tool, "FLOW_DENIED"),
    ];
    const wasAsked = await desk.pass({ call, tool, arguments: args, permits, isRepeat, onState }, signal);
    // A person may have taken hours, and has approved what was shown.
    if (wasAsked && (await parts.tools.check(listed, signal, request.arguments)).tool.digest !== tool.digest)
      throw changedMeanwhile(tool);
    return { tool, args, warnings };
  };

  const send = async (
    call: number,
    { tool, args }: Admitted,
    { name, arguments: given, signal }: CallRequest,
  ): Promise<ToolAnswer> => {
    const leave = await parts.budget.enter();
    try {
      if (signal.aborted) throw toMcpfsError(signal.reason);
      const { server, raw, digest, risk } = tool;
      const isRepeatable = retryOf(tool, "unknown") === "safe";
      parts.journal.append({
        event: "call",
        ...{ call, name, server, tool: raw, digest, risk, isRepeatable },
        arguments: given,
        atMs: parts.clock.now(),
      });
      settle(call, tool, "unknown");
      return await parts.caller.call(tool, args, signal);
    } finally {
      leave();
    }
  };

  /** Written down before anybody sees it. */
  const record = (
    call: number,
    effect: Effect,
    outcome: CallOutcome,
    signal: AbortSignal,
  ): RecordedOutcome => {
    const atMs = parts.clock.now();
    const { value } = outcome.kind === "ok" ? outcome : { value: undefined };
    parts.journal.append({
      event: "answer",
      ...{ call, effect },
      ...(outcome.kind === "error" ? { error: outcome.error } : value === undefined ? {} : { value }),
      ...(signal.aborted ? { isUnseen: true as const } : {}),
      atMs,
    });
    return { ...outcome, atMs };
  };

  /** The answer is here: the effect is known. */
  const receive = (
    call: number,
    tool: Tool,
    answer: ToolAnswer,
    admitted: readonly string[],
    signal: AbortSignal,
  ): RecordedOutcome => {
    const warnings = [...admitted];
    const effect = answer.isError ? "failed" : "done";
    settle(call, tool, effect);
    warnings.push(...(answer.warnings ?? []));
    sources.add(tool.server);
    const isDeep = isDeeperThan([answer.content, answer.structured], MAX_DEPTH);
    const outcome = isDeep
      ? tooDeep(tool, effect)
      : limitResult(parts, tool, unwrapAnswer(tool, answer), warnings);
    if (outcome.kind === "ok") warnings.push(...outputFaults(parts.validator, tool, outcome.value));
    const masked = maskOutcome(parts.vault, outcome);
    if (masked.kind === "ok" && masked.value !== undefined && tool.outputSchema === undefined)
      parts.learn?.(tool, masked.value);
    return { ...record(call, effect, masked, signal), warnings };
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
    const outcome = {
      kind: "error" as const,
      error: callErrorOf(error, tool, effect, request.name),
      warnings: [],
    };
    if (effect !== "never-sent") return record(call, effect, outcome, request.signal);
    const atMs = parts.clock.now();
    // A call that the end of the run kept from leaving was refused by nobody.
    if (request.signal.aborted) return { ...outcome, atMs };
    const { server = "", raw = request.name, risk = "unstated" } = tool ?? {};
    parts.journal.append({
      event: "refused",
      ...{ call, name: request.name, server, tool: raw, risk, error: outcome.error, atMs },
      arguments: briefJson(request.arguments),
    });
    return { ...outcome, atMs };
  };

  /** The first step of each call; one that differs from the recorded one is not recorded in its place. */
  const recall = async (
    call: number,
    { name, arguments: args }: CallRequest,
  ): Promise<Recalled | { readonly kind: "diverged"; readonly outcome: RecordedOutcome }> => {
    try {
      return parts.past === undefined ? NEW : await parts.past.recall(call, name, args);
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
      const past = await recall(call, request);
      if (past.kind === "diverged") return past.outcome;
      if (past.kind === "answered") return replay(call, past);
      try {
        tool = parts.tools.find(request.name);
        settle(call, tool, past.kind === "again" ? past.before.status : "never-sent");
        const admitted = await admit(call, tool, request, past);
        tool = admitted.tool;
        const answer = await send(call, admitted, request);
        return receive(call, tool, answer, admitted.warnings, request.signal);
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

function limitResult(parts: BrokerParts, tool: Tool, outcome: CallOutcome, warnings: string[]): CallOutcome {
  const shown = outcome.kind === "ok" ? outcome.value : outcome.error.content;
  const text = shown === undefined ? "" : stringifyJson(shown);
  const size = Buffer.byteLength(text);
  if (size <= parts.limits.resultBytes)
    return outcome.kind === "ok" ? { ...outcome, valueText: text } : outcome;
  const message = `The answer of ${tool.server}/${tool.raw} takes ${size} bytes; the limit is ${parts.limits.resultBytes}.`;
  const hint = `Ask the tool for less. ${howToRaise("resultBytes", parts.limits.resultBytes)}`;
  const error = new McpfsError("LIMIT_RESULT", message, { hint });
  return {
    kind: "error",
    error: callErrorOf(error, tool, outcome.kind === "ok" ? "done" : "failed", tool.wire),
    warnings,
  };
}

function tooDeep(tool: Tool, effect: Effect): CallOutcome {
  const message = `The answer of ${tool.server}/${tool.raw} nests deeper than ${MAX_DEPTH} levels.`;
  const error = new McpfsError("LIMIT_RESULT", message, { hint: "Ask the tool for a part of it." });
  return { kind: "error", error: callErrorOf(error, tool, effect, tool.wire), warnings: [] };
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

function maskOutcome(vault: Vault, outcome: CallOutcome): CallOutcome {
  if (outcome.kind === "ok") {
    const { valueText, ...rest } = outcome;
    const value = vault.mask(outcome.value);
    const isSame = valueText !== undefined && value === outcome.value;
    return {
      ...rest,
      value,
      ...(isSame ? { valueText } : {}),
      content: maskBlocks(vault, outcome.content),
    };
  }
  return { ...outcome, error: { ...outcome.error, content: maskBlocks(vault, outcome.error.content) } };
}

function maskBlocks(vault: Vault, blocks: readonly Json[]): readonly Json[] {
  return blocks.map((block) => vault.mask(block) ?? null);
}
