import { afterAll, beforeAll, expect, test } from "vitest";
import { scripted, temporaryFolder } from "../servers/servers.ts";
import { makeWorkspace } from "./run-cli.ts";
import { runMain } from "./run-main.ts";

const folder = temporaryFolder();
const root = folder.path;
const inputSchema = { type: "object" };

beforeAll(async () => {
  await makeWorkspace(root, {
    bank: scripted({
      tools: [
        { name: "settle_invoice", description: "Pays what is owed.", inputSchema },
        { name: "list_invoices", description: "Lists what is owed.", inputSchema },
      ],
    }),
    post: scripted({
      tools: [{ name: "send_letter", description: "Sends an invoice by post.", inputSchema }],
    }),
  });
});
afterAll(() => folder[Symbol.dispose]());

// M4, M5
test("hits of one server stand together, and the next page begins where this one ends", async () => {
  const first = await runMain(root, ["search", "settle the invoice", "-k", "1"]);
  expect(first.stdout).toBe("servers/bank/settleInvoice.ts  Pays what is owed.\n");
  expect(first.stderr).toContain("more with --offset 1");
  const rest = await runMain(root, ["search", "settle the invoice", "--offset", "1"]);
  expect(rest.stdout.split("\n").slice(0, 2)).toEqual([
    "servers/bank/listInvoices.ts  Lists what is owed.",
    "servers/post/sendLetter.ts  Sends an invoice by post.",
  ]);
});

test("an empty query lists a namespace", async () => {
  const { stdout } = await runMain(root, ["search", "", "--server", "bank", "--detail", "name"]);
  expect(stdout).toBe("servers/bank/listInvoices.ts\nservers/bank/settleInvoice.ts\n");
});

test("--explain says by which words a tool was found; --tool, why another was not", async () => {
  const found = await runMain(root, ["search", "pay the bill", "-k", "1", "--explain"]);
  expect(found.stdout).toContain("bill: invoic in name");
  const missed = await runMain(root, ["search", "bake a cake", "--tool", "bank/settle_invoice"]);
  expect(missed.stdout).toContain("not found by words");
  expect(missed.stdout).toContain("in no tool: bake cake");
});

test("a strategy that cannot be used costs a line on stderr, and nothing of the answer", async () => {
  const { code, stdout, stderr } = await runMain(root, [
    "--json",
    "search",
    "settle invoice",
    "--strategy",
    "semantic",
  ]);
  expect(code).toBe(0);
  expect(JSON.parse(stdout)[0]).toMatchObject({ tool: "settle_invoice", permission: "allow" });
  expect(stderr).toContain('no "models": {"embeddings"');
});

test.each([
  ["search", ["search", "", "--server", "bnk"], 2, "bank"],
  ["show", ["show", "bank/setle_invoice"], 1, "bank__settle_invoice"],
  ["call", ["call", "bank/settle_invoces"], 1, "bank__settle_invoice"],
  ["a script", ["exec", "-"], 1, "bank__settle_invoice"],
] as const)("a name that is none gets the nearest ones in %s", async (_what, words, exitCode, near) => {
  const stdin = 'export default await callMCPTool("bank__setle_invoice", {});';
  const { code, stderr } = await runMain(root, words, { stdin });
  expect(code).toBe(exitCode);
  expect(stderr).toContain(near);
});
