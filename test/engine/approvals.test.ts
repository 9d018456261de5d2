import { describe, expect, test } from "vitest";
import type { Ask } from "../../src/broker/ports.ts";
import {
  type ApprovalEvent,
  type ApprovalSources,
  createApprovals,
} from "../../src/engine/call/approvals.ts";
import type { Grants } from "../../src/engine/call/grants.ts";
import type { Json } from "../../src/kernel/json.ts";
import type { Approval } from "../../src/model/approval.ts";
import type { Tool } from "../../src/model/tool.ts";
import { parseToolPattern } from "../../src/policy/tool-pattern.ts";
import { makeTool } from "../support/make-tool.ts";

const signal = new AbortController().signal;
const drop = makeTool("crm", "drop");
const purge = makeTool("crm", "purge");

function askOf(call: number, tool: Tool, args: Json = {}, isRepeat = false): Ask {
  const { server, raw } = tool;
  return { call, server, tool: raw, arguments: args, reason: "Why.", rule: "r", definition: tool, isRepeat };
}

function approvalsWith(given: Partial<ApprovalSources> = {}, granted: readonly Tool[] = []) {
  const added: unknown[] = [];
  const grants: Grants = {
    covers: async (tool) => granted.includes(tool),
    add: async (tool, untilMs) => void added.push([tool.raw, untilMs]),
    list: async () => [],
    revoke: async () => {},
  };
  const approvals = createApprovals({
    grants,
    patterns: [],
    past: [],
    person: undefined,
    redact: (value) => value,
    ...given,
  });
  return { added, decide: (ask: Ask) => approvals.decisionFor(ask, signal) };
}

const YES: Approval = { decision: "approved", by: "terminal", scope: "call" };
const asked = (call: number, tool: Tool, args: Json = {}): ApprovalEvent => ({
  event: "asked",
  ...{ call, server: tool.server, tool: tool.raw, digest: tool.digest, arguments: args },
  ...{ reason: "", rule: "", atMs: 0 },
});
const decided = (call: number, rest: Partial<Approval> = {}): ApprovalEvent => ({
  event: "decided",
  ...{ call, decision: "approved" as const, by: "command" as const, scope: "call" as const, atMs: 0 },
  ...rest,
});
const sent = (call: number, tool: Tool): ApprovalEvent => ({
  event: "call",
  ...{ call, name: tool.wire, server: tool.server, tool: tool.raw, digest: tool.digest },
  ...{ risk: tool.risk, isRepeatable: false, arguments: {}, atMs: 0 },
});

// M19
describe("without a person a call waits, unless something covers it", () => {
  test("nothing does", async () => {
    expect(await approvalsWith().decide(askOf(1, drop))).toBeUndefined();
  });
  test("a grant of the user", async () => {
    const { decide } = approvalsWith({}, [drop]);
    expect(await decide(askOf(1, drop))).toMatchObject({ decision: "approved", by: "grant" });
    expect(await decide(askOf(2, purge))).toBeUndefined();
  });
  test("a pattern that the run was started with", async () => {
    const { decide } = approvalsWith({ patterns: [parseToolPattern("crm/d*")] });
    expect(await decide(askOf(1, drop))).toEqual({
      decision: "approved",
      by: "grant",
      scope: "run-pattern",
      pattern: "crm/d*",
    });
    expect(await decide(askOf(2, purge))).toBeUndefined();
  });
});

describe("what was decided in the journal of a suspended run", () => {
  test("holds for that call", async () => {
    const { decide } = approvalsWith({ past: [asked(1, drop, { id: 1 }), decided(1)] });
    expect(await decide(askOf(1, drop, { id: 1 }))).toMatchObject({ decision: "approved", by: "command" });
    expect(await decide(askOf(2, drop, { id: 1 }))).toBeUndefined();
  });
  test("a denial too", async () => {
    const { decide } = approvalsWith({ past: [asked(1, drop), decided(1, { decision: "denied" })] });
    expect(await decide(askOf(1, drop))).toMatchObject({ decision: "denied" });
  });
  const changed = { ...drop, digest: "other" };
  test.each<[string, Ask]>([
    ["other arguments", askOf(1, drop, { id: 2 })],
    ["another tool", askOf(1, purge, { id: 1 })],
    ["a definition that has changed since", askOf(1, changed, { id: 1 })],
  ])("not for %s in the same place: the script was edited", async (_name, ask) => {
    const { decide } = approvalsWith({ past: [asked(1, drop, { id: 1 }), decided(1)] });
    expect(await decide(ask)).toBeUndefined();
  });
  test("is found where the journal hides a secret of the arguments", async () => {
    const redact = (value: Json): Json =>
      JSON.parse(JSON.stringify(value).replaceAll("hunter22", "[hidden]")) as Json;
    const { decide } = approvalsWith({ redact, past: [asked(1, drop, { key: "[hidden]" }), decided(1)] });
    expect(await decide(askOf(1, drop, { key: "hunter22" }))).toMatchObject({ decision: "approved" });
  });
  test("for a tool in this run holds for its later calls, as long as it is what it was", async () => {
    const { decide } = approvalsWith({ past: [asked(1, drop), decided(1, { scope: "run-tool" })] });
    expect(await decide(askOf(5, drop, { id: 9 }))).toMatchObject({
      decision: "approved",
      scope: "run-tool",
    });
    expect(await decide(askOf(6, purge))).toBeUndefined();
    expect(await decide(askOf(7, changed))).toBeUndefined();
  });
  test("for a pattern in this run", async () => {
    const past = [asked(1, drop), decided(1, { scope: "run-pattern", pattern: "crm/*" })];
    expect(await approvalsWith({ past }).decide(askOf(5, purge))).toMatchObject({ decision: "approved" });
  });
});

describe("a call that may have taken effect before needs a person's word on itself", () => {
  test("no grant, no pattern and no decision about the tool covers it", async () => {
    const past = [asked(1, drop), decided(1, { scope: "run-tool" }), sent(1, drop)];
    const { decide } = approvalsWith({ past, patterns: [parseToolPattern("crm/*")] }, [drop]);
    expect(await decide(askOf(1, drop, {}, true))).toBeUndefined();
  });
  test("what was decided before it went out is used up", async () => {
    const past = [asked(1, drop), decided(1), sent(1, drop)];
    expect(await approvalsWith({ past }).decide(askOf(1, drop, {}, true))).toBeUndefined();
  });
  test("what was decided after it went out counts", async () => {
    const past = [asked(1, drop), decided(1), sent(1, drop), asked(1, drop), decided(1)];
    expect(await approvalsWith({ past }).decide(askOf(1, drop, {}, true))).toMatchObject({
      decision: "approved",
    });
  });
});

describe("a person is asked one question at a time", () => {
  test("an answer about the tool or a pattern covers the calls that wait for their turn", async () => {
    for (const scope of ["run-tool", "run-pattern"] as const) {
      let questions = 0;
      const person = async (): Promise<Approval> => {
        questions += 1;
        return { ...YES, scope, ...(scope === "run-pattern" ? { pattern: "crm/*" } : {}) };
      };
      const { decide } = approvalsWith({ person });
      const all = await Promise.all([1, 2, 3].map((call) => decide(askOf(call, drop, { call }))));
      expect(all.map((approval) => approval?.decision)).toEqual(["approved", "approved", "approved"]);
      expect(questions).toBe(1);
    }
  });
  test("an answer about one call covers no other, whatever it is", async () => {
    const answers: Approval[] = [{ ...YES, decision: "denied" }, YES];
    const { decide } = approvalsWith({ person: async () => answers.shift() });
    expect(await Promise.all([decide(askOf(1, drop)), decide(askOf(2, drop))])).toEqual([
      { ...YES, decision: "denied" },
      YES,
    ]);
  });
  test("who puts it off lets the call wait", async () => {
    expect(await approvalsWith({ person: async () => undefined }).decide(askOf(1, drop))).toBeUndefined();
  });
  test("an answer that reaches further is kept as a grant", async () => {
    const person = async (): Promise<Approval> => ({ ...YES, scope: "forever" });
    const { decide, added } = approvalsWith({ person });
    await decide(askOf(1, drop));
    expect(added).toEqual([["drop", undefined]]);
    const until = approvalsWith({ person: async () => ({ ...YES, scope: "until", until: 99 }) });
    await until.decide(askOf(1, drop));
    expect(until.added).toEqual([["drop", 99]]);
    const denied = approvalsWith({ person: async () => ({ ...YES, decision: "denied", scope: "forever" }) });
    await denied.decide(askOf(1, drop));
    expect(denied.added).toEqual([]);
  });
  test("secrets are hidden from the question", async () => {
    const seen: Json[] = [];
    const person = async ({ arguments: args }: { arguments: Json }): Promise<undefined> =>
      void seen.push(args);
    await approvalsWith({ person, redact: () => "[hidden]" }).decide(askOf(1, drop, { key: "hunter22" }));
    expect(seen).toEqual(["[hidden]"]);
  });
});
