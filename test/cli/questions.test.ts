import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { real, scripted, temporaryFolder } from "../servers/servers.ts";
import { makeWorkspace, runCli, writeFiles } from "./run-cli.ts";
import { atTerminal } from "./terminal.ts";

const asking = (params: object): object =>
  scripted({
    tools: [{ name: "ask", inputSchema: { type: "object" } }],
    answers: { ask: { ask: { method: "elicitation/create", params } } },
  });

const form = {
  message: "Fill this in.\u001b[2J",
  requestedSchema: {
    type: "object",
    properties: {
      name: { type: "string", title: "Your name", minLength: 2 },
      age: { type: "integer", minimum: 0 },
      agree: { type: "boolean", default: true },
      color: { type: "string", enum: ["r", "g"], enumNames: ["Red", "Green"] },
      days: {
        type: "array",
        items: {
          anyOf: [
            { const: "mo", title: "Monday" },
            { const: "tu", title: "Tuesday" },
          ],
        },
      },
      password: { type: "string" },
      note: { type: "string" },
    },
    required: ["name", "age", "color", "password"],
  },
};

// M26
describe("a question of a server at a terminal", () => {
  test("is asked field by field: faults are said, defaults and choices work, nothing secret is echoed or recorded", async () => {
    using folder = temporaryFolder();
    await makeWorkspace(folder.path, { odd: asking(form) });
    const session = await atTerminal(
      folder.path,
      ["call", "odd/ask"],
      [
        ["[c]ancel: ", "y\n"],
        ["Your name (text): ", "A\n"],
        ["Your name (text): ", "Ann\n"],
        ["age (whole number): ", "old\n"],
        ["age (whole number): ", "41\n"],
        ["agree (y or n, optional) [true]: ", "\n"],
        ["color (number of one): ", "2\n"],
        ["days (numbers, with commas, optional): ", "1, 2\n"],
        ["password (text): ", "hunter2222\n"],
        ["note (text, optional): ", "\n"],
      ],
    );
    expect(session.code).toBe(0);
    expect(JSON.parse(session.stdout).result).toEqual({
      action: "accept",
      content: { name: "Ann", age: 41, agree: true, color: "g", days: ["mo", "tu"], password: "hunter2222" },
    });
    expect(session.screen).toContain("Server odd asks: Fill this in.\\u{1b}[2J");
    expect(session.screen).toContain("It must be at least 2 characters.");
    expect(session.screen).toContain("It must be a number.");
    expect(session.screen).toContain("    2  Green");
    expect(session.screen).not.toContain("hunter2222");
  }, 20_000);

  test("of any name moves no cursor", async () => {
    using folder = temporaryFolder();
    await makeWorkspace(folder.path, { "odd\u001b[2J x": asking({ ...form, message: "Why?" }) });
    const session = await atTerminal(folder.path, ["call", "odd__2J_x__ask"], [["[c]ancel: ", "c\n"]]);
    expect(session.screen).toContain("Server odd\\u{1b}[2J x asks: Why?");
    expect(session.screen).not.toContain("\u001b[2J");
  }, 20_000);

  test.each([
    ["d", "decline"],
    ["no", "decline"],
    ["c", "cancel"],
    ["\u0003", "cancel"],
  ])("typing %j answers %s", async (typed, action) => {
    using folder = temporaryFolder();
    await makeWorkspace(folder.path, { odd: asking(form) });
    const session = await atTerminal(folder.path, ["call", "odd/ask"], [["[c]ancel: ", `${typed}\n`]]);
    expect(JSON.parse(session.stdout).result).toEqual({ action });
  });

  test("a page is shown with its whole address and its host, and only a person opens it", async () => {
    using folder = temporaryFolder();
    const url = `http://xn--pypal-4ve.example/login?next=${"a".repeat(300)}`;
    await makeWorkspace(folder.path, { odd: asking({ mode: "url", url, message: "Sign in" }) });
    const session = await atTerminal(folder.path, ["call", "odd/ask"], [["[c]ancel: ", "y\n"]]);
    expect(session.screen).toContain(url);
    expect(session.screen).toContain("Host: xn--pypal-4ve.example");
    expect(session.screen).toContain("not encrypted");
    expect(session.screen).toContain("can look like others");
    expect(JSON.parse(session.stdout).result).toEqual({ action: "accept" });
  });

  test("questions of two servers wait for each other", async () => {
    using folder = temporaryFolder();
    const question = (message: string): object =>
      asking({ ...form, message, requestedSchema: { properties: {} } });
    await makeWorkspace(folder.path, { one: question("First?"), two: question("Second?") });
    writeFiles(folder.path, {
      "both.ts": "export default (await Promise.all([one_ask({}), two_ask({})])).map((a) => a.result.action)",
    });
    const session = await atTerminal(
      folder.path,
      ["exec", "both.ts"],
      [
        ["[c]ancel: ", "y\n"],
        ["[c]ancel: ", "d\n"],
      ],
    );
    expect(JSON.parse(session.stdout).toSorted()).toEqual(["accept", "decline"]);
    const places: number[] = [];
    for (const text of ["asks: ", "[c]ancel: ", "asks: ", "[c]ancel: "])
      places.push(session.screen.indexOf(text, (places.at(-1) ?? -1) + 1));
    expect(places).toEqual(places.toSorted((a, b) => a - b));
    expect(places).not.toContain(-1);
  });
});

test("without a terminal a question is declined, and stderr says why", async () => {
  using folder = temporaryFolder();
  await makeWorkspace(folder.path, { odd: asking(form) });
  const { code, stdout, stderr } = await runCli(folder.path, ["call", "odd/ask"]);
  expect(code).toBe(0);
  expect(JSON.parse(stdout).result).toEqual({ action: "decline" });
  expect(stderr).toContain("There is nobody who can answer");
});

test("sync at a terminal and in CI write the same tree", async () => {
  using folder = temporaryFolder();
  using other = temporaryFolder();
  await makeWorkspace(folder.path, { everything: real.everything() });
  writeFiles(other.path, { "mcpfs.json": { mcpServers: { everything: real.everything() } } });
  expect((await atTerminal(other.path, ["sync"])).code).toBe(0);
  for (const file of [
    "mcpfs.lock.json",
    "servers/everything/index.ts",
    "servers/everything/.definitions.json",
  ])
    expect(readFileSync(join(other.path, file), "utf8"), file).toBe(
      readFileSync(join(folder.path, file), "utf8"),
    );
});

test("progress and messages of a server are seen on a terminal's stderr, and never on stdout", async () => {
  using folder = temporaryFolder();
  const notify = { method: "notifications/message", params: { level: "warning", data: "slow disk" } };
  await makeWorkspace(folder.path, {
    odd: scripted({
      tools: [{ name: "a", inputSchema: { type: "object" } }],
      answers: { a: { progress: { everyMs: 20, times: 3 }, notify, text: "done" } },
    }),
  });
  const session = await atTerminal(folder.path, ["call", "odd/a"]);
  expect(session.stdout).toBe("done\n");
  expect(session.screen).toContain("odd/a 3");
  expect(session.screen).toContain("warning: [odd] slow disk");
  const piped = await runCli(folder.path, ["call", "odd/a"]);
  expect(piped.stdout).toBe("done\n");
  expect(piped.stderr).toBe("warning: [odd] slow disk\n");
});
