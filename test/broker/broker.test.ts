import { describe, expect, test } from "vitest";
import { type Broker, type BrokerParts, createBroker } from "../../src/broker/broker.ts";
import { createBudget } from "../../src/budget/budget.ts";
import { withExtract } from "../../src/engine/servers/extract-source.ts";
import { McpfsError } from "../../src/kernel/errors.ts";
import type { Json } from "../../src/kernel/json.ts";
import { openVault } from "../../src/masking/vault.ts";
import type { CallOutcome, ToolAnswer } from "../../src/model/call.ts";
import { DEFAULT_LIMITS } from "../../src/model/run.ts";
import type { Tool } from "../../src/model/tool.ts";
import { openFlow } from "../../src/policy/flow.ts";
import { createValidator } from "../../src/schema/validator.ts";
import { makeTool } from "../support/make-tool.ts";

/** A broker whose every step writes its name down, over one tool. */
function traced(
  tool: Tool,
  answer: ToolAnswer | McpfsError,
  given: Partial<BrokerParts> = {},
): { broker: Broker; steps: string[] } {
  const steps: string[] = [];
  const limits = { argumentBytes: 1_000, resultBytes: 1_000 };
  const validator = createValidator();
  const parts: BrokerParts = {
    tools: {
      find: (name) => {
        steps.push("known");
        if (name !== tool.wire)
          throw new McpfsError("TOOL_UNKNOWN", `No tool is named ${name}.`, { hint: "Look again." });
        return tool;
      },
      check: async (tool) => {
        steps.push("current");
        return { tool, fillsDefaults: false, warnings: [] };
      },
    },
    vault: {
      unmask: (args) => {
        steps.push("unmask");
        return args;
      },
      mask: (value) => {
        if (steps.at(-1) !== "mask") steps.push("mask");
        return value;
      },
    },
    validator: {
      judge: (key, schema, value) => {
        steps.push(key.includes(" input ") ? "arguments" : "output");
        return validator.judge(key, schema, value);
      },
    },
    budget: {
      spend: () => steps.push("budget"),
      enter: async () => void steps.push("enter"),
      leave: () => void steps.push("leave"),
    },
    policy: {
      decide: () => {
        steps.push("policy");
        return { kind: "allow", rule: "test", reason: "" };
      },
    },
    flow: {
      decide: () => {
        steps.push("flow");
        return { kind: "allow", rule: "test", reason: "" };
      },
    },
    approvals: {
      decisionFor: async () => {
        steps.push("approval");
        return undefined;
      },
    },
    journal: { append: (event) => steps.push(`journal ${event.event}`) },
    caller: {
      call: async () => {
        steps.push("call");
        if (answer instanceof McpfsError) throw answer;
        return answer;
      },
    },
    limits,
    clock: { now: () => 0 },
    ...given,
  };
  return { broker: createBroker(parts), steps };
}

const TEXT: ToolAnswer = { content: [{ type: "text", text: "ok" }], structured: undefined, isError: false };

function call(broker: Broker, name: string, args: Json = {}): Promise<CallOutcome> {
  return broker.call({ name, arguments: args, caller: "exec", signal: new AbortController().signal });
}

const ORDER = [
  "known",
  "current",
  "unmask",
  "arguments",
  "budget",
  "policy",
  "flow",
  "enter",
  "journal call",
  "call",
  "leave",
  "mask",
  "journal answer",
];

// M15, M18, M19, M20, M21, M22
test("every call takes the same steps in the order of law 2", async () => {
  const { broker, steps } = traced(makeTool("crm", "get"), TEXT);
  expect(await call(broker, "crm__get")).toMatchObject({ kind: "ok", value: "ok" });
  expect(steps).toEqual(ORDER);
});

describe("a refusal ends the steps, and the call never leaves", () => {
  const closed = { type: "object", properties: { id: { type: "string" } }, additionalProperties: false };
  const deny = { decide: () => ({ kind: "deny" as const, rule: "no-crm", reason: "not today" }) };
  const spent = { ...createBudget({ ...DEFAULT_LIMITS, maxCalls: 0 }) };
  test.each<[string, string, Json, Partial<BrokerParts>, string, readonly string[]]>([
    ["an unknown name", "crm__nope", {}, {}, "TOOL_UNKNOWN", ["known"]],
    ["arguments that do not fit", "crm__get", { ID: "1" }, {}, "ARGUMENTS_INVALID", ORDER.slice(0, 4)],
    ["arguments that are no object", "crm__get", [1], {}, "ARGUMENTS_INVALID", ORDER.slice(0, 2)],
    [
      "arguments that are too large",
      "crm__get",
      { id: "x".repeat(1_000) },
      {},
      "LIMIT_ARGUMENTS",
      ORDER.slice(0, 3),
    ],
    ["a budget that is spent", "crm__get", {}, { budget: spent }, "LIMIT_CALLS", ORDER.slice(0, 4)],
    ["a rule that denies", "crm__get", {}, { policy: deny }, "POLICY_DENIED", ORDER.slice(0, 5)],
    ["a flow that is denied", "crm__get", {}, { flow: deny }, "FLOW_DENIED", ORDER.slice(0, 6)],
  ])("%s", async (_name, wire, args, given, code, want) => {
    const { broker, steps } = traced(makeTool("crm", "get", { inputSchema: closed }), TEXT, given);
    const outcome = await call(broker, wire, args);
    expect(outcome).toMatchObject({ kind: "error", error: { code } });
    expect(outcome.kind === "error" && outcome.error.hint).not.toBe("");
    expect(steps).toEqual([...want, "journal refused"]);
    expect(
      broker.effects().every((effect) => effect.status === "never-sent" && effect.retry === "safe"),
    ).toBe(true);
  });
});

describe("what a call did is known, or said to be unknown", () => {
  const failed: ToolAnswer = {
    content: [{ type: "text", text: "no such record" }],
    structured: undefined,
    isError: true,
  };
  test.each<[string, ToolAnswer | McpfsError, Parameters<typeof makeTool>[2], string, string]>([
    ["an answer", TEXT, {}, "done", "not-needed"],
    ["an answer that says isError", failed, {}, "failed", "unsafe"],
    ["an error of a tool that only reads", failed, { risk: "read" }, "failed", "safe"],
    [
      "an error of a tool that is idempotent",
      failed,
      { annotations: { idempotentHint: true } },
      "failed",
      "safe",
    ],
    ["a refusal by the protocol", new McpfsError("TOOL_ERROR", "invalid params"), {}, "failed", "unsafe"],
    ["a time-out", new McpfsError("SERVER_TIMEOUT", "too slow"), {}, "unknown", "unsafe"],
    ["a lost connection", new McpfsError("OUTCOME_UNKNOWN", "cut"), { risk: "read" }, "unknown", "safe"],
  ])("%s", async (_name, answer, given, status, retry) => {
    const { broker, steps } = traced(makeTool("crm", "get", given), answer);
    await call(broker, "crm__get");
    const { risk } = makeTool("crm", "get", given);
    expect(broker.effects()).toEqual([{ call: 1, server: "crm", tool: "get", status, retry, risk }]);
    expect(steps.filter((step) => step.startsWith("journal"))).toEqual(["journal call", "journal answer"]);
  });

  test("an error that the tool answered carries its text and its blocks", async () => {
    const { broker } = traced(makeTool("crm", "get"), failed);
    expect(await call(broker, "crm__get")).toMatchObject({
      kind: "error",
      error: {
        code: "TOOL_ERROR",
        message: "no such record",
        server: "crm",
        tool: "get",
        content: failed.content,
      },
    });
  });
});

test("an answer against its own output schema is delivered, with a warning", async () => {
  const outputSchema = {
    type: "object",
    properties: { total: { type: "integer" } },
    required: ["total"],
    additionalProperties: false,
  };
  const answer: ToolAnswer = { content: [], structured: { total: 3, more: 1 }, isError: false };
  const { broker } = traced(makeTool("crm", "get", { outputSchema }), answer);
  const outcome = await call(broker, "crm__get");
  expect(outcome).toMatchObject({ kind: "ok", value: { total: 3, more: 1 } });
  expect(outcome.warnings).toEqual([
    "crm/get answered against its output schema: more is not known; known are total.",
  ]);
});

describe("answers teach", () => {
  const learn = async (tool: Tool, answer: ToolAnswer | McpfsError, given: Partial<BrokerParts> = {}) => {
    const seen: Json[] = [];
    const { broker } = traced(tool, answer, { ...given, learn: (_tool, value) => seen.push(value) });
    await call(broker, "crm__get");
    return seen;
  };
  const tool = makeTool("crm", "get");
  const structured = (value: Json): ToolAnswer => ({ content: [], structured: value, isError: false });

  test("the value that the script gets, after masking", async () => {
    expect(await learn(tool, structured({ a: 1 }))).toEqual([{ a: 1 }]);
    expect(await learn(tool, { ...TEXT, content: [{ type: "text", text: "[1]" }] })).toEqual([[1]]);
    const vault = { unmask: (args: never) => args, mask: () => "[EMAIL_1]" };
    expect(await learn(tool, structured({ a: 1 }), { vault: vault as never })).toEqual(["[EMAIL_1]"]);
  });
  test.each<[string, Tool, ToolAnswer | McpfsError]>([
    ["an answer that says isError", tool, { ...TEXT, isError: true }],
    ["a call that failed", tool, new McpfsError("SERVER_TIMEOUT", "Too late.")],
    ["an answer without content", tool, { ...TEXT, content: [] }],
    ["an answer beyond the limit", tool, structured("x".repeat(2_000))],
    ["a tool that declares its output", makeTool("crm", "get", { outputSchema: {} }), TEXT],
  ])("but not %s", async (_name, other, answer) => {
    expect(await learn(other, answer)).toEqual([]);
  });
});

// M25
test("extract hands a model placeholders, never what they stand for", async () => {
  const asked: string[] = [];
  const tool = makeTool("mcpfs", "extract", { outputSchema: {} });
  const source = withExtract(
    {
      find: () => tool,
      check: async () => ({ tool, fillsDefaults: false, warnings: [] }),
      call: async () => TEXT,
    },
    {
      model: async () => ({
        answer: async ({ messages }) => {
          asked.push(JSON.stringify(messages));
          return { text: '"[EMAIL_1]"', model: "", isCut: false, tokens: { input: 1, output: 1 } };
        },
      }),
      onTokens: () => {},
    },
  );
  const swap = (from: string, to: string) => (value: Json | undefined) =>
    JSON.parse(JSON.stringify(value ?? null).replaceAll(from, to));
  const vault = {
    unmask: swap("[EMAIL_1]", "ada@example.org") as never,
    mask: swap("ada@example.org", "[EMAIL_1]"),
  };
  const { broker } = traced(tool, TEXT, { tools: source, caller: source, vault });
  const args = { value: "Write to [EMAIL_1].", schema: { type: "string" } };
  expect(await call(broker, "mcpfs__extract", args)).toMatchObject({ kind: "ok", value: "[EMAIL_1]" });
  expect(asked.join()).toContain("[EMAIL_1]");
  expect(asked.join()).not.toContain("ada@example.org");
});

test("an answer beyond the limit is an error, and the call still counts as done", async () => {
  const answer: ToolAnswer = {
    content: [{ type: "text", text: "x".repeat(2_000) }],
    structured: undefined,
    isError: false,
  };
  const { broker } = traced(makeTool("crm", "get"), answer);
  expect(await call(broker, "crm__get")).toMatchObject({ kind: "error", error: { code: "LIMIT_RESULT" } });
  expect(broker.effects()[0]?.status).toBe("done");
});

test("what a client gets beside a structured value counts too", async () => {
  const answer: ToolAnswer = {
    content: [{ type: "image", data: "A".repeat(2_000), mimeType: "image/png" }],
    structured: {},
    isError: false,
  };
  const { broker } = traced(makeTool("crm", "get"), answer);
  expect(await call(broker, "crm__get")).toMatchObject({ kind: "error", error: { code: "LIMIT_RESULT" } });
});

describe("the value of an answer follows one rule", () => {
  const text = (value: string): Json => ({ type: "text", text: value });
  const image = { type: "image", data: "aGk=", mimeType: "image/png" };
  test.each<[string, readonly Json[], Json | undefined, Json | undefined]>([
    ["structured content wins", [text("[1]")], { a: 1 }, { a: 1 }],
    ["a JSON object in text is parsed", [text('{"a":1}')], undefined, { a: 1 }],
    ["a JSON array in text is parsed", [text(" [1, 2]\n")], undefined, [1, 2]],
    [
      "long integers keep their digits",
      [text('{"id":7795506888185572399}')],
      undefined,
      { id: 7795506888185572399n },
    ],
    ["plain words stay text", [text("Available tools: a, b")], undefined, "Available tools: a, b"],
    ["digits stay text", [text("007")], undefined, "007"],
    ["null stays text", [text("null")], undefined, "null"],
    ["a JSON string stays text", [text('"{\\"x\\":1}"')], undefined, '"{\\"x\\":1}"'],
    ["two documents stay text", [text('{"a":1}\n{"a":2}')], undefined, '{"a":1}\n{"a":2}'],
    ["JSON with a remark stays text", [text('{"a":1} (cached)')], undefined, '{"a":1} (cached)'],
    ["several blocks are an array", [text("done"), image], undefined, [text("done"), image]],
    ["one block that is no text is an array", [image], undefined, [image]],
    ["nothing is undefined", [], undefined, undefined],
  ])("%s", async (_name, content, structured, want) => {
    const { broker } = traced(makeTool("crm", "get"), { content, structured, isError: false });
    const outcome = await call(broker, "crm__get");
    expect(outcome.kind === "ok" ? outcome.value : outcome).toEqual(want);
  });
});

test("calls beyond the number at once wait their turn", async () => {
  let open = 0;
  let most = 0;
  const { broker } = traced(makeTool("crm", "get"), TEXT, {
    budget: createBudget({ ...DEFAULT_LIMITS, maxCallsAtOnce: 3 }),
    vault: openVault,
    flow: openFlow,
    caller: {
      call: async () => {
        open += 1;
        most = Math.max(most, open);
        await new Promise((resolve) => setImmediate(resolve));
        open -= 1;
        return TEXT;
      },
    },
  });
  await Promise.all(Array.from({ length: 20 }, () => call(broker, "crm__get")));
  expect(most).toBe(3);
  expect(broker.effects()).toHaveLength(20);
});
