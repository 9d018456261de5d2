import type { Budget } from "../budget/budget.ts";
import { briefJson } from "../kernel/brief-json.ts";
import type { Clock } from "../kernel/clock.ts";
import { McpfsError, toMcpfsError } from "../kernel/errors.ts";
import { isDeeperThan, isJsonObject, type Json, type JsonObject, stringifyJson } from "../kernel/json.ts";
import type { Vault } from "../masking/vault.ts";
import type { CallOutcome, Effect, ToolAnswer } from "../model/call.ts";
import { type CallEffect, howToRaise, type Limits } from "../model/run.ts";
import type { Tool } from "../model/tool.ts";
import type { FlowPolicy } from "../policy/flow.ts";
import type { Caller, Decision, Policy } from "../policy/policy.ts";
import type { Validator } from "../schema/validator.ts";
import { callErrorOf, retryOf } from "./call-error.ts";
import type { CallRecord, PastCalls, Recalled, RecordedOutcome, ToolCaller, ToolSource } from "./ports.ts";
import { unwrapAnswer } from "./unwrap-answer.ts";

/** Everything that decides about, makes and records a call. */
export interface BrokerParts {
  readonly tools: ToolSource;
  readonly vault: Vault;
  readonly validator: Validator;
  readonly budget: Budget;
  readonly policy: Policy;
  readonly flow: FlowPolicy;
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
}

export interface CallRequest {
  /** Any name that the tool source accepts. Untrusted. */
  readonly name: string;
  /** Untrusted. */
  readonly arguments: Json;
  readonly caller: Caller;
  readonly signal: AbortSignal;
}

/**
 * Creates the broker of one run. The order of the steps is law 2 of the architecture, the same for every caller:
 * known and current → unmask → arguments valid → budget → policy → data flow → journal → call → result within limits
 * → mask → journal.
 */
export function createBroker(parts: BrokerParts): Broker {
  const effects = new Map(parts.past?.effects.map((effect) => [effect.call, effect]));
  const sources = new Set<string>();
  let calls = 0;

  const settle = (call: number, tool: Tool, status: Effect): void => {
    const { server, raw, risk } = tool;
    effects.set(call, { call, server, tool: raw, status, retry: retryOf(tool, status), risk });
  };

  /** Nothing of this leaves the host: every refusal is "never sent". */
  const admit = async (tool: Tool, request: CallRequest, past: Recalled): Promise<Admitted> => {
    const warnings = await parts.tools.check(tool, request.signal, request.arguments);
    const args = parts.vault.unmask(argumentObject(request.arguments));
    validateArguments(parts, tool, args, warnings);
    parts.budget.spend();
    const decision = parts.policy.decide({ tool, arguments: args, caller: request.caller });
    enforce(decideAgain(decision, tool, past), tool, "POLICY_DENIED");
    enforce(parts.flow.decide({ tool, sources }), tool, "FLOW_DENIED");
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
        const admitted = await admit(tool, request, past);
        const answer = await send(call, admitted, request);
        return receive(call, tool, answer, admitted.warnings, request.signal);
      } catch (thrown) {
        return fail(call, tool, toMcpfsError(thrown), request);
      }
    },
    effects: () => [...effects.values()].sort((a, b) => a.call - b.call),
  };
}

const NEW: Recalled = { kind: "new" };

/** What may have been done before is done again only where that is harmless, or a person says so. */
function decideAgain(decision: Decision, tool: Tool, past: Recalled): Decision {
  if (past.kind !== "again" || decision.kind !== "allow") return decision;
  const { call, status, retry } = past.before;
  if (retry !== "unsafe" && retryOf(tool, status) !== "unsafe") return decision;
  const before =
    status === "failed"
      ? `call ${call} failed before, and what it did until then is not known`
      : `call ${call} went out before, and nobody knows whether it took effect`;
  return { kind: "ask", rule: "made-before", reason: `${before}; made again, it may do so twice.` };
}

interface Admitted {
  readonly tool: Tool;
  readonly args: JsonObject;
  readonly warnings: readonly string[];
}

function argumentObject(value: Json): JsonObject {
  if (isJsonObject(value)) return value;
  throw new McpfsError("ARGUMENTS_INVALID", "The arguments of a tool must be one object.", {
    hint: "Pass them by name: { id: 1 }.",
  });
}

/** @param changes sentences that say that the definition is another one than the caller may know */
function validateArguments(
  parts: BrokerParts,
  tool: Tool,
  args: JsonObject,
  changes: readonly string[],
): void {
  if (isDeeperThan(args, MAX_DEPTH)) {
    throw new McpfsError("LIMIT_ARGUMENTS", `The arguments nest deeper than ${MAX_DEPTH} levels.`, {
      hint: "Send flatter data.",
    });
  }
  const size = Buffer.byteLength(stringifyJson(args));
  if (size > parts.limits.argumentBytes) {
    throw new McpfsError(
      "LIMIT_ARGUMENTS",
      `The arguments take ${size} bytes; the limit is ${parts.limits.argumentBytes}.`,
      {
        hint: `Send less at once. ${howToRaise("argumentBytes", parts.limits.argumentBytes)}`,
      },
    );
  }
  const { faults } = parts.validator.judge(`${tool.wire} input ${tool.digest}`, tool.inputSchema, args);
  if (faults.length === 0) return;
  throw new McpfsError(
    "ARGUMENTS_INVALID",
    `The arguments do not fit ${tool.server}/${tool.raw}: ${faults.join(" ")}`,
    {
      hint: [...changes, `Read ${tool.file} for the tool's input type.`].join(" "),
      data: { faults },
    },
  );
}

function enforce(decision: Decision, tool: Tool, code: "POLICY_DENIED" | "FLOW_DENIED"): void {
  if (decision.kind === "allow") return;
  throw new McpfsError(
    code,
    `The rule "${decision.rule}" does not allow ${tool.server}/${tool.raw}: ${decision.reason}`,
    {
      hint: "Ask the person who keeps mcpfs.json to allow it, or do without this tool.",
      data: { rule: decision.rule },
    },
  );
}

/** No tool means more; printing and judging values by recursion would overflow the stack some thousand levels down. */
const MAX_DEPTH = 1_000;

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
