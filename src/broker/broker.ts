import type { Budget } from "../budget/budget.ts";
import type { Clock } from "../kernel/clock.ts";
import { McpfsError, toMcpfsError } from "../kernel/errors.ts";
import { isDeeperThan, isJsonObject, type Json, type JsonObject, stringifyJson } from "../kernel/json.ts";
import type { Vault } from "../masking/vault.ts";
import type { CallError, CallOutcome, Effect, ToolAnswer } from "../model/call.ts";
import { type CallEffect, howToRaise, type Limits } from "../model/run.ts";
import type { Tool } from "../model/tool.ts";
import type { FlowPolicy } from "../policy/flow.ts";
import type { Caller, Decision, Policy } from "../policy/policy.ts";
import type { Validator } from "../schema/validator.ts";
import { callErrorOf, retryOf } from "./call-error.ts";
import type { CallRecord, ToolCaller, ToolSource } from "./ports.ts";
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
  readonly caller: ToolCaller;
  readonly limits: Pick<Limits, "argumentBytes" | "resultBytes">;
  readonly clock: Clock;
  /** Sees the value of each good answer, as its caller gets it, of tools that declare no output. */
  readonly learn?: (tool: Tool, value: Json) => void;
}

/** The single gate between a caller and the tools of all servers, for one run. */
export interface Broker {
  /** Decides, makes and records one call. Never rejects. */
  readonly call: (request: CallRequest) => Promise<CallOutcome>;
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
  const effects = new Map<number, CallEffect>();
  const sources = new Set<string>();
  let calls = 0;

  const settle = (call: number, tool: Tool, status: Effect): void => {
    effects.set(call, { call, server: tool.server, tool: tool.raw, status, retry: retryOf(tool, status) });
  };

  /** Nothing of this leaves the host: every refusal is "never sent". */
  const admit = async (_call: number, tool: Tool, request: CallRequest): Promise<Admitted> => {
    const warnings = await parts.tools.check(tool, request.signal, request.arguments);
    const args = parts.vault.unmask(argumentObject(request.arguments));
    validateArguments(parts, tool, args, warnings);
    parts.budget.spend();
    enforce(parts.policy.decide({ tool, arguments: args, caller: request.caller }), tool, "POLICY_DENIED");
    enforce(parts.flow.decide({ tool, sources }), tool, "FLOW_DENIED");
    return { tool, args, warnings };
  };

  const send = async (call: number, { tool, args }: Admitted, signal: AbortSignal): Promise<ToolAnswer> => {
    const leave = await parts.budget.enter();
    try {
      if (signal.aborted) throw toMcpfsError(signal.reason);
      const { server, raw, digest } = tool;
      parts.journal.append({
        event: "call",
        call,
        server,
        tool: raw,
        digest,
        arguments: args,
        atMs: parts.clock.now(),
      });
      settle(call, tool, "unknown");
      return await parts.caller.call(tool, args, signal);
    } finally {
      leave();
    }
  };

  /** The answer is here: the effect is known, and is written down before anybody sees it. */
  const receive = (call: number, tool: Tool, answer: ToolAnswer, warnings: string[]): CallOutcome => {
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
    const record =
      masked.kind === "ok"
        ? { value: masked.value ?? null, content: masked.content }
        : { error: masked.error };
    parts.journal.append({ event: "answer", call, effect, ...record, atMs: parts.clock.now() });
    return masked;
  };

  const fail = (call: number, tool: Tool | undefined, error: McpfsError, name: string): CallError => {
    const before = effects.get(call)?.status ?? "never-sent";
    // A server that refused the request itself did nothing; everything else that ends an open call leaves it unknown.
    const effect: Effect = before === "unknown" && error.code === "TOOL_ERROR" ? "failed" : before;
    if (tool !== undefined) settle(call, tool, effect);
    const callError = callErrorOf(error, tool, effect, name);
    if (before === "unknown") {
      parts.journal.append({ event: "answer", call, effect, error: callError, atMs: parts.clock.now() });
    }
    return callError;
  };

  return {
    call: async (request) => {
      calls += 1;
      const call = calls;
      const warnings: string[] = [];
      let tool: Tool | undefined;
      try {
        tool = parts.tools.find(request.name);
        settle(call, tool, "never-sent");
        const admitted = await admit(call, tool, request);
        warnings.push(...admitted.warnings);
        const answer = await send(call, admitted, request.signal);
        return { ...receive(call, tool, answer, warnings), warnings };
      } catch (thrown) {
        return {
          kind: "error",
          error: fail(call, tool, toMcpfsError(thrown), request.name),
          warnings,
        };
      }
    },
    effects: () => [...effects.values()].sort((a, b) => a.call - b.call),
  };
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
  const size = shown === undefined ? 0 : Buffer.byteLength(stringifyJson(shown));
  if (size <= parts.limits.resultBytes) return outcome;
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
    return { ...outcome, value: vault.mask(outcome.value), content: maskBlocks(vault, outcome.content) };
  }
  return { ...outcome, error: { ...outcome.error, content: maskBlocks(vault, outcome.error.content) } };
}

function maskBlocks(vault: Vault, blocks: readonly Json[]): readonly Json[] {
  return blocks.map((block) => vault.mask(block) ?? null);
}
