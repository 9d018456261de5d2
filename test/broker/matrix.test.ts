import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { createBroker } from "../../src/broker/broker.ts";
import { createBudget } from "../../src/budget/budget.ts";
import { readHints, riskOf } from "../../src/catalog/hints.ts";
import { McpfsError } from "../../src/kernel/errors.ts";
import type { JsonObject } from "../../src/kernel/json.ts";
import { packageFile } from "../../src/kernel/paths.ts";
import type { Approval } from "../../src/model/approval.ts";
import type { Effect, ToolAnswer } from "../../src/model/call.ts";
import { DEFAULT_LIMITS } from "../../src/model/run.ts";
import type { Tool } from "../../src/model/tool.ts";
import type { Caller, Decision, Permission } from "../../src/policy/decision.ts";
import { openFlow } from "../../src/policy/flow.ts";
import { createPolicy, type PolicyRules } from "../../src/policy/policy.ts";
import type { Rule } from "../../src/policy/rules.ts";
import { createStrictValidator, createValidator } from "../../src/schema/validator.ts";
import { makeTool } from "../support/make-tool.ts";

const CALLERS: readonly Caller[] = ["exec", "call", "serve", "skill:weekly-report"];
const ARGUMENTS: JsonObject = { amount: 50 };

/** One condition of each kind that the call of this test meets. */
const CONDITIONS: Readonly<Record<string, (caller: Caller) => Partial<Rule>>> = {
  "a rule without conditions": () => ({}),
  "a server": () => ({ servers: ["c*"] }),
  "a tool": () => ({ tools: ["upd?te_*"] }),
  hints: () => ({ hints: { destructive: true, openWorld: true } }),
  arguments: () => ({ arguments: { properties: { amount: { maximum: 100 } }, required: ["amount"] } }),
  "a caller": (caller) => ({ callers: [caller.replace(/:.*/, ":*")] }),
  "all of them": (caller) => ({
    servers: ["crm"],
    tools: ["update_lead"],
    hints: { destructive: true },
    arguments: { type: "object" },
    callers: [caller],
  }),
};

const tool = ((): Tool => {
  const made = makeTool("crm", "update_lead", {
    annotations: { destructiveHint: true },
    inputSchema: { type: "object", properties: { amount: { type: "number" } } },
  });
  const hints = readHints(made.definition, true);
  return { ...made, hints, risk: riskOf(hints) };
})();

/** What befalls the call, where it is not policy that ends it. */
interface Fate {
  readonly person?: Approval["decision"];
  readonly known?: McpfsError;
  readonly current?: McpfsError;
  readonly arguments?: JsonObject;
  readonly maxCalls?: number;
  readonly flow?: Decision;
  readonly send?: McpfsError;
  readonly answer?: Partial<ToolAnswer>;
}

/** Makes the call through a broker with a real policy; gives its steps, its end, and whether the server saw it. */
async function trace(policy: PolicyRules, caller: Caller, fate: Fate = {}) {
  const { person } = fate;
  const steps: string[] = [];
  let sent = 0;
  const stop = new AbortController();
  const step = <T>(name: string, value: T): T => {
    steps.push(name);
    return value;
  };
  /** A step that may fail. */
  const tryStep = <T>(name: string, fault: McpfsError | undefined, value: T): T => {
    steps.push(name);
    if (fault !== undefined) throw fault;
    return value;
  };
  const { judge } = createValidator();
  const { decide } = createPolicy(policy, createStrictValidator());
  const { maxCalls = DEFAULT_LIMITS.maxCalls } = fate;
  const budget = createBudget({ ...DEFAULT_LIMITS, maxCalls });
  const broker = createBroker({
    tools: {
      find: () => tryStep("known", fate.known, tool),
      check: async () => tryStep("current", fate.current, { tool, fillsDefaults: false, warnings: [] }),
    },
    vault: { unmask: (args) => step("unmask", args), mask: (value) => value },
    validator: { judge: (...given) => step("valid", judge(...given)) },
    budget: {
      ...budget,
      spend: (name) => {
        step("budget", undefined);
        budget.spend(name);
      },
    },
    policy: { decide: (question) => step("policy", decide(question)) },
    flow: { decide: (question) => step("flow", fate.flow ?? openFlow.decide(question)) },
    approvals: {
      decisionFor: async () =>
        step("approval", person && { decision: person, by: "terminal", scope: "call" }),
    },
    journal: { append: ({ event }) => step(event, undefined) },
    caller: {
      call: async () => {
        sent += 1;
        const answer = { content: [], structured: { ok: true }, isError: false, ...fate.answer };
        return tryStep("send", fate.send, answer);
      },
    },
    limits: { argumentBytes: 1_000, resultBytes: 1_000 },
    clock: { now: () => 0 },
  });
  const outcome = await broker.call({
    name: tool.wire,
    arguments: fate.arguments ?? ARGUMENTS,
    caller,
    signal: stop.signal,
    onState: (state) => {
      if (state === "waiting") stop.abort(new Error("suspended"));
    },
  });
  const code = outcome.kind === "ok" ? "ok" : outcome.error.code;
  const [effect] = broker.effects();
  return { steps, code, sent, waiting: broker.waiting().length, effect: effect?.status };
}

const BEFORE = ["known", "current", "unmask", "valid", "budget", "policy"];
const GOES_OUT = ["call", "send", "answer"];
const OUTCOMES: readonly (readonly [
  name: string,
  permission: Permission,
  person: Approval["decision"] | undefined,
  want: { steps: readonly string[]; code: string; sent: number; waiting: number },
])[] = [
  [
    "allowed",
    "allow",
    undefined,
    { steps: [...BEFORE, "flow", ...GOES_OUT], code: "ok", sent: 1, waiting: 0 },
  ],
  [
    "asked and approved",
    "ask",
    "approved",
    {
      steps: [...BEFORE, "flow", "asked", "approval", "decided", "current", ...GOES_OUT],
      code: "ok",
      sent: 1,
      waiting: 0,
    },
  ],
  [
    "asked and denied",
    "ask",
    "denied",
    {
      steps: [...BEFORE, "flow", "asked", "approval", "decided", "refused"],
      code: "POLICY_DENIED",
      sent: 0,
      waiting: 0,
    },
  ],
  [
    "asked, with nobody there",
    "ask",
    undefined,
    { steps: [...BEFORE, "flow", "asked", "approval"], code: "INTERNAL", sent: 0, waiting: 1 },
  ],
  [
    "denied",
    "deny",
    undefined,
    { steps: [...BEFORE, "refused"], code: "POLICY_DENIED", sent: 0, waiting: 0 },
  ],
];

// M19
describe("every caller passes the same decisions in the same order, whatever rule decides", () => {
  const cases = CALLERS.flatMap((caller) =>
    Object.keys(CONDITIONS).flatMap((kind) => OUTCOMES.map((outcome) => ({ caller, kind, outcome }))),
  );
  test.each(cases)("$caller, $kind, $outcome.0", async ({ caller, kind, outcome }) => {
    const [, permission, person, want] = outcome;
    const nothing = { servers: undefined, tools: undefined, hints: undefined, arguments: undefined };
    const rule = {
      name: "r",
      ...nothing,
      callers: undefined,
      reason: "",
      permission,
      ...CONDITIONS[kind]?.(caller),
    };
    // The presets say the contrary, so that a rule which is not looked at shows.
    const preset = permission === "allow" ? "strict" : "open";
    const { effect: _, ...seen } = await trace(
      { preset, rules: [rule] },
      caller,
      person === undefined ? {} : { person },
    );
    expect(seen).toEqual(want);
  });

  test.each(
    CALLERS.flatMap((caller) =>
      (["open", "balanced", "strict"] as const).map((preset) => ({ caller, preset })),
    ),
  )("$caller, preset $preset", async ({ caller, preset }) => {
    const outcome = OUTCOMES[preset === "open" ? 0 : 3];
    const { effect: _, ...seen } = await trace({ preset, rules: [] }, caller);
    expect(seen).toEqual(outcome?.[3]);
  });
});

const fault = (code: "TOOL_UNKNOWN" | "TOOL_UNAVAILABLE" | "TOOL_ERROR" | "SERVER_FAILED"): McpfsError =>
  new McpfsError(code, "no");
const LARGE = "x".repeat(2_000);
const SENT = [...BEFORE, "flow", "call", "send", "answer"];

/** A fate, how far the call comes, and what is known of it then. */
const FATES: readonly (readonly [string, Fate, readonly string[], string, Effect | undefined])[] = [
  ["a name that is no tool", { known: fault("TOOL_UNKNOWN") }, ["known"], "TOOL_UNKNOWN", undefined],
  [
    "a tool that its server lists no longer",
    { current: fault("TOOL_UNAVAILABLE") },
    ["known", "current"],
    "TOOL_UNAVAILABLE",
    "never-sent",
  ],
  [
    "arguments that do not fit",
    { arguments: { amount: "much" } },
    ["known", "current", "unmask", "valid"],
    "ARGUMENTS_INVALID",
    "never-sent",
  ],
  [
    "arguments that are too large",
    { arguments: { note: LARGE } },
    ["known", "current", "unmask"],
    "LIMIT_ARGUMENTS",
    "never-sent",
  ],
  [
    "a budget that is spent",
    { maxCalls: 0 },
    ["known", "current", "unmask", "valid", "budget"],
    "LIMIT_CALLS",
    "never-sent",
  ],
  [
    "data that may not go there",
    { flow: { kind: "deny", rule: "f", reason: "No." } },
    [...BEFORE, "flow"],
    "FLOW_DENIED",
    "never-sent",
  ],
  ["an answer that says isError", { answer: { isError: true } }, SENT, "TOOL_ERROR", "failed"],
  ["a server that refuses the request", { send: fault("TOOL_ERROR") }, SENT, "TOOL_ERROR", "failed"],
  ["a server that is lost", { send: fault("SERVER_FAILED") }, SENT, "SERVER_FAILED", "unknown"],
  ["an answer that is too large", { answer: { structured: LARGE } }, SENT, "LIMIT_RESULT", "done"],
];

// M18
describe("every caller meets the same end at the same step, and it is known whether the call took effect", () => {
  const cases = CALLERS.flatMap((caller) => FATES.map((fate) => ({ caller, fate })));
  test.each(cases)("$caller, $fate.0", async ({ caller, fate }) => {
    const [, given, before, code, effect] = fate;
    const isSent = before.includes("send");
    const steps = isSent ? before : [...before, "refused"];
    const seen = await trace({ preset: "open", rules: [] }, caller, given);
    expect(seen).toEqual({ steps, code, sent: isSent ? 1 : 0, waiting: 0, effect });
  });

  test.each(CALLERS)("%s, data about which a person is asked, with nobody there", async (caller) => {
    const flow = { kind: "ask", rule: "f", reason: "May it go there?" } as const;
    const { steps, sent, waiting } = await trace({ preset: "open", rules: [] }, caller, { flow });
    expect({ steps, sent, waiting }).toEqual({
      steps: [...BEFORE, "flow", "asked", "approval"],
      sent: 0,
      waiting: 1,
    });
  });
});

// M19
describe("no path leads to a tool call but through the broker", () => {
  const root = packageFile("src");
  const files = readdirSync(root, { recursive: true, encoding: "utf8" })
    .filter((path) => path.endsWith(".ts"))
    .map((path) => [path.replaceAll("\\", "/"), readFileSync(join(root, path), "utf8")] as const);
  /** Files of src/ with this in them, but those below the given folders. */
  const having = (pattern: RegExp, ...but: readonly string[]): readonly string[] =>
    files
      .filter(([path, text]) => pattern.test(text) && !but.some((folder) => path.startsWith(folder)))
      .map(([path]) => path)
      .sort();

  test("the call port is made by one file, widened by extract and set_server, bounded by one, and used by the broker alone", () => {
    expect(having(/\bToolCaller\b/)).toEqual([
      "broker/broker.ts",
      "broker/ports.ts",
      "engine/run/limit-call-time.ts",
      "engine/servers/extract-source.ts",
      "engine/servers/set-server.ts",
      "engine/servers/tool-source.ts",
    ]);
    // The one call of it.
    expect(having(/\bparts\.caller\.call\(/)).toEqual(["broker/broker.ts"]);
  });

  test("what a connection can be asked to do is asked by that one file, and by the reads of resources behind it", () => {
    const requests = /\.(?:callTool|getPrompt|readResource|listResources)\(/;
    expect(having(requests, "sandbox/guest/", "render/")).toEqual([
      "engine/servers/resource-reads.ts",
      "engine/servers/tool-source.ts",
    ]);
    expect(having(/\breads\.read\(/)).toEqual(["engine/servers/tool-source.ts"]);
    // A language model is asked behind the broker too.
    expect(having(/\bextractValue\(/)).toEqual(["engine/servers/extract-source.ts", "extract/extract.ts"]);
  });

  test("that file and the broker are put together in one place, and two files ask a broker for calls", () => {
    expect(having(/\bcreateToolSource\(/)).toEqual([
      "engine/run/recorded-run.ts",
      "engine/servers/tool-source.ts",
    ]);
    expect(having(/\bcreateBroker\(/)).toEqual(["broker/broker.ts", "engine/run/recorded-run.ts"]);
    expect(having(/\bbroker\.call\(/)).toEqual(["engine/call/door.ts", "engine/run/single-call.ts"]);
  });
});
