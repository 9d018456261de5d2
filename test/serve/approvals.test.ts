import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { runCli, writeFiles } from "../cli/run-cli.ts";
import { received, scripted, temporaryFolder } from "../servers/servers.ts";
import {
  type AnyClient,
  type HttpServer,
  httpServer,
  makeServed,
  overHttp,
  overStdio,
  textOf,
} from "./served.ts";

const folder = temporaryFolder();
const logFile = `${folder.path}/server.log`;
const object = { type: "object" };
const bank = scripted(
  {
    tools: [
      { name: "balance", inputSchema: object, annotations: { readOnlyHint: true } },
      { name: "pay", inputSchema: object, annotations: { destructiveHint: true } },
      { name: "close", inputSchema: object, annotations: { destructiveHint: true } },
    ],
    answers: { balance: { text: "100" }, pay: { text: "paid" }, close: { text: "closed" } },
  },
  logFile,
);
const TOKENS = { ann: "token-of-ann-0123456789", bob: "token-of-bob-0123456789" };
const policy = {
  preset: "balanced",
  rules: [{ name: "never", tool: "close", permission: "deny", reason: "Never." }],
};
const serve = { mode: "code", clients: { ann: { token: TOKENS.ann }, bob: { token: TOKENS.bob } } };
let http: HttpServer;

const configure = (changes: object = {}): void =>
  writeFiles(folder.path, { "mcpfs.json": { mcpServers: { bank }, policy, serve, ...changes } });

beforeAll(async () => {
  await makeServed(folder.path, { bank });
  configure();
  await runCli(folder.path, ["sync", "--offline"]);
  http = await httpServer(folder.path);
});
afterAll(async () => {
  await http[Symbol.asyncDispose]();
  folder[Symbol.dispose]();
});

const elicitation = { elicitation: { form: {} } };
const script = `import * as bank from "./servers/bank";
const before = await bank.balance({});
console.log("balance", before);
export default await bank.pay({ amount: 5 });`;

/** A person who answers questions with these words, one after the other. */
function person(words: readonly (string | undefined)[], asked: any[]): (client: AnyClient) => void {
  return (client) =>
    client.setRequestHandler("elicitation/create", async ({ params }: any) => {
      asked.push(params);
      const word = words[asked.length - 1];
      return word === undefined ? { action: "cancel" } : { action: "accept", content: { decision: word } };
    });
}

const paid = (): number =>
  received(logFile, "tools/call").filter(({ params }) => params.name === "pay").length;

describe.each(["modern", "legacy"] as const)(
  "what policy asks about reaches the person behind a %s client",
  (generation) => {
    test("with the call, its arguments and the reason; allowed, it is made", async () => {
      const asked: any[] = [];
      await using ann = await overHttp(
        http.url,
        generation,
        { token: TOKENS.ann, capabilities: elicitation },
        person(["once"], asked),
      );
      expect(await textOf(ann.client, "run_script", { code: script })).toBe(
        "balance 100\npaid\n(2 calls: 2 done)",
      );
      expect(asked).toHaveLength(1);
      expect(asked[0].message).toBe(
        'May bank/pay be called? Its server says that it may destroy something.\nArguments: {"amount":5}',
      );
      expect(asked[0].requestedSchema.properties.decision.oneOf).toHaveLength(3);
    });

    test("denied, the script gets an error, and nothing is sent", async () => {
      const before = paid();
      await using ann = await overHttp(
        http.url,
        generation,
        { token: TOKENS.ann, capabilities: elicitation },
        person(["deny"], []),
      );
      expect(await textOf(ann.client, "call_tool", { name: "bank__pay" })).toContain("POLICY_DENIED");
      expect(paid()).toBe(before);
    });

    test("allowed for the run, it is asked once", async () => {
      const asked: any[] = [];
      await using ann = await overHttp(
        http.url,
        generation,
        { token: TOKENS.ann, capabilities: elicitation },
        person(["run"], asked),
      );
      const code = `import * as bank from "./servers/bank";
for (let n = 0; n < 3; n += 1) await bank.pay({ n });
export default "all";`;
      expect(await textOf(ann.client, "run_script", { code })).toContain("all\n(3 calls: 3 done)");
      expect(asked).toHaveLength(1);
    });
  },
);

const runIdIn = (text: string): string => /resume_run \{"id":"([^"]+)"\}/.exec(text)?.[1] ?? "";

describe("without somebody who answers", () => {
  test("a run is suspended; a person approves it at a terminal, and resume_run goes on without doing anything twice", async () => {
    await using ann = await overHttp(http.url, "modern", { token: TOKENS.ann });
    const before = received(logFile, "tools/call").length;
    const waits = await textOf(ann.client, "run_script", { code: script });
    expect(waits).toContain(
      "call 2 bank/pay waits for a person: Its server says that it may destroy something.",
    );
    const id = runIdIn(waits);
    expect(await textOf(ann.client, "resume_run", { id })).toContain("waits for a person");
    const { code, stderr } = await runCli(folder.path, ["runs", "approve", id]);
    expect(code, stderr).toBe(0);
    expect(await textOf(ann.client, "resume_run", { id })).toContain("paid");
    const names = received(logFile, "tools/call")
      .slice(before)
      .map(({ params }) => params.name);
    expect(names).toEqual(["balance", "pay"]);
  });

  test("who calls resume_run may deny, and may approve only where the config says so", async () => {
    await using ann = await overHttp(http.url, "modern", { token: TOKENS.ann });
    const first = runIdIn(await textOf(ann.client, "run_script", { code: script }));
    const refused = await textOf(ann.client, "resume_run", { id: first, decision: "approve" });
    expect(refused).toMatch(/^POLICY_DENIED: A person has to approve/);
    expect(await textOf(ann.client, "resume_run", { id: first, decision: "deny" })).toContain(
      "POLICY_DENIED",
    );
    using other = temporaryFolder();
    await makeServed(other.path, { bank }, { mode: "code", approvals: "client" });
    await using own = await overStdio(other.path, "modern");
    const second = runIdIn(await textOf(own.client, "run_script", { code: script }));
    expect(await textOf(own.client, "resume_run", { id: second, decision: "approve" })).toContain("paid");
  });

  test("a run belongs to the client that began it", async () => {
    await using ann = await overHttp(http.url, "modern", { token: TOKENS.ann });
    await using bob = await overHttp(http.url, "modern", { token: TOKENS.bob });
    const id = runIdIn(await textOf(ann.client, "run_script", { code: script }));
    expect(await textOf(bob.client, "resume_run", { id })).toMatch(/^USAGE: There is no run/);
  });
});

/** One call of a tool, however the mode has it. */
const callOnce = async (client: AnyClient, name: string, args: object): Promise<string> =>
  (await client.listTools()).tools.some((tool) => tool.name === name)
    ? await textOf(client, name, args)
    : await textOf(client, "call_tool", { name, args });
const waitingRun = (text: string): string => /mcpfs runs approve (\S+)"/.exec(text)?.[1] ?? "";

describe.each(["direct", "discover"])("one call that waits for a person, in mode %s,", (mode) => {
  test("goes on when it is made again after the approval, also by a later session, and is made once", async () => {
    using other = temporaryFolder();
    await makeServed(other.path, { bank }, { mode });
    const before = paid();
    let id = "";
    {
      await using session = await overStdio(other.path, "modern");
      const waits = await callOnce(session.client, "bank__pay", { amount: 1 });
      id = waitingRun(waits);
      expect(waits).toMatch(/^APPROVAL_NEEDED: .*\n.*on the host .*make the same call again/);
      expect(waits).not.toMatch(/run_script|resume_run/);
      expect(waitingRun(await callOnce(session.client, "bank__pay", { amount: 1 }))).toBe(id);
    }
    expect((await runCli(other.path, ["runs", "approve", id])).code).toBe(0);
    await using session = await overStdio(other.path, "modern");
    expect(waitingRun(await callOnce(session.client, "bank__pay", { amount: 2 }))).not.toBe(id);
    expect(paid()).toBe(before);
    expect(await callOnce(session.client, "bank__pay", { amount: 1 })).toBe("paid");
    expect(await callOnce(session.client, "bank__pay", { amount: 1 })).toMatch(/^APPROVAL_NEEDED/);
    expect(paid()).toBe(before + 1);
  });
});

describe("one call that waits for a person", () => {
  test("is refused when it is made again after a person has denied it", async () => {
    const before = paid();
    await using ann = await overHttp(http.url, "modern", { token: TOKENS.ann });
    const id = waitingRun(await callOnce(ann.client, "bank__pay", { amount: 3 }));
    await runCli(folder.path, ["runs", "deny", id]);
    expect(await callOnce(ann.client, "bank__pay", { amount: 3 })).toMatch(/^POLICY_DENIED/);
    expect(paid()).toBe(before);
  });

  test("waits as well when the question is closed, and asks again when it is made again", async () => {
    const asked: any[] = [];
    await using ann = await overHttp(
      http.url,
      "modern",
      { token: TOKENS.ann, capabilities: elicitation },
      person([undefined, "once"], asked),
    );
    expect(await callOnce(ann.client, "bank__pay", { amount: 4 })).toMatch(/^APPROVAL_NEEDED/);
    expect(await callOnce(ann.client, "bank__pay", { amount: 4 })).toBe("paid");
    expect(asked).toHaveLength(2);
  });

  test("is made on the host by who resumes its run there, or by resume_run, and once", async () => {
    await using ann = await overHttp(http.url, "modern", { token: TOKENS.ann });
    const before = paid();
    const host = waitingRun(await callOnce(ann.client, "bank__pay", { amount: 5 }));
    const own = waitingRun(await callOnce(ann.client, "bank__pay", { amount: 6 }));
    for (const id of [host, own]) await runCli(folder.path, ["runs", "approve", id]);
    const { stdout, code } = await runCli(folder.path, ["runs", "resume", host]);
    expect({ stdout, code }).toMatchObject({ stdout: expect.stringContaining("paid"), code: 0 });
    expect(await textOf(ann.client, "resume_run", { id: own })).toContain("paid");
    expect(paid()).toBe(before + 2);
  });

  test("is nothing to another client that makes the same", async () => {
    await using ann = await overHttp(http.url, "modern", { token: TOKENS.ann });
    await using bob = await overHttp(http.url, "modern", { token: TOKENS.bob });
    const id = waitingRun(await callOnce(ann.client, "bank__pay", { amount: 9 }));
    await runCli(folder.path, ["runs", "approve", id]);
    expect(waitingRun(await callOnce(bob.client, "bank__pay", { amount: 9 }))).not.toBe(id);
    expect(await callOnce(ann.client, "bank__pay", { amount: 9 })).toBe("paid");
  });
});

test("no mode speaks of tools that it does not have", async () => {
  using other = temporaryFolder();
  await makeServed(other.path, { bank }, { mode: "discover" });
  writeFiles(other.path, {
    "skills/sum/SKILL.md": "---\nname: sum\ndescription: Adds.\n---\n\nAdds.\n",
    "skills/sum/index.ts": "export const sum = (a: number, b: number): number => a + b;\n",
  });
  await using session = await overStdio(other.path, "modern");
  const { client } = session;
  const told = [client.getInstructions(), await client.listTools(), await client.getPrompt({ name: "sum" })];
  expect(JSON.stringify(told)).not.toMatch(/run_script|resume_run|read_file|A script imports/);
});

test("a script that failed goes on mended, without repeating what was done", async () => {
  await using ann = await overHttp(http.url, "modern", { token: TOKENS.ann });
  const before = received(logFile, "tools/call").length;
  const broken = `import * as bank from "./servers/bank";
const text = await bank.balance({});
export default text.nothing.there;`;
  const failed = await textOf(ann.client, "run_script", { code: broken });
  expect(failed).toContain("error SCRIPT_ERROR");
  const mended = broken.replace("text.nothing.there", "`it is ${text}`");
  expect(await textOf(ann.client, "resume_run", { id: runIdIn(failed), code: mended })).toContain(
    "it is 100",
  );
  expect(received(logFile, "tools/call").length).toBe(before + 1);
});

describe("what policy denies to clients", () => {
  test("is not found, not described and not called", async () => {
    await using ann = await overHttp(http.url, "modern", { token: TOKENS.ann });
    expect(await textOf(ann.client, "search_tools", { query: "close the bank", limit: 10 })).not.toContain(
      "bank__close",
    );
    expect(await textOf(ann.client, "get_tool_details", { name: "bank__close" })).not.toContain("risk");
    expect(await textOf(ann.client, "call_tool", { name: "bank__close" })).toContain("TOOL_UNKNOWN");
    expect(await textOf(ann.client, "get_tool_details", { name: "bank__pay" })).toContain("permission ask");
  });

  test("leaves the list of a session that has begun at once", async () => {
    using other = temporaryFolder();
    await makeServed(other.path, { bank }, { mode: "direct" });
    await using own = await overStdio(other.path, "legacy");
    const { client } = own;
    const names = async (): Promise<string[]> => (await client.listTools()).tools.map(({ name }) => name);
    expect(await names()).toEqual(["bank__balance", "bank__close", "bank__pay"]);
    const heard = new Promise<void>((resolve) =>
      client.setNotificationHandler("notifications/tools/list_changed", async () => resolve()),
    );
    writeFiles(other.path, { "mcpfs.json": { mcpServers: { bank }, policy, serve: { mode: "direct" } } });
    await heard;
    expect(await names()).toEqual(["bank__balance", "bank__pay"]);
  });
});
