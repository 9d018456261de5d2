import { countTokens } from "gpt-tokenizer";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { instructionsFor } from "../../src/serve/instructions.ts";
import { temporaryFolder } from "../servers/servers.ts";
import { type AnyClient, makeServed, overStdio, SWITCHES } from "./served.ts";

const folder = temporaryFolder();
beforeAll(async () => {
  await makeServed(folder.path, { docs: { builtin: "docs" } });
});
afterAll(() => folder[Symbol.dispose]());

/** What a client puts before its model of each tool. */
const shown = ({ name, description, inputSchema }: any): string =>
  JSON.stringify({ name, description, inputSchema });

test("all our tools together cost at most 1,200 tokens, schemas included", async () => {
  await using session = await overStdio(folder.path, "modern", { args: ["--mode", "code"] });
  const { tools } = await session.client.listTools();
  const tokens = countTokens(JSON.stringify(tools.map((tool) => JSON.parse(shown(tool)))));
  const descriptions = countTokens(tools.map(({ description }) => description).join("\n"));
  console.log(`tools of mode code: ${tokens} tokens, of these ${descriptions} for descriptions`);
  expect(tokens).toBeLessThanOrEqual(1_200);
});

test.each(["direct", "discover", "code"] as const)(
  "the instructions of mode %s have at most 300 tokens",
  (mode) => {
    expect(countTokens(instructionsFor(mode))).toBeLessThanOrEqual(300);
  },
);

describe("an answer is text or a structured value, never both", () => {
  const ask = async (client: AnyClient, name: string, args: Record<string, unknown>): Promise<any> =>
    await client.callTool({ name, arguments: args });

  test("text: all that a model needs, and no schema is promised", async () => {
    await using session = await overStdio(folder.path, "modern", { args: ["--mode", "code"] });
    const { tools } = await session.client.listTools();
    expect(tools.every(({ outputSchema }) => outputSchema === undefined)).toBe(true);
    const answer = await ask(session.client, "run_script", {
      code: "console.log('a'); export default [1, 2]",
    });
    expect(answer).toMatchObject({ content: [{ type: "text", text: "a\n[1,2]" }] });
    expect(answer.structuredContent).toBeUndefined();
  });

  test("structured: values that the client holds to the schemas", async () => {
    using structured = temporaryFolder();
    await makeServed(
      structured.path,
      { docs: { builtin: "docs" } },
      { mode: "code", results: "structured" },
      SWITCHES,
    );
    await using session = await overStdio(structured.path, "modern");
    const { client } = session;
    const { tools } = await client.listTools();
    expect(tools.every(({ outputSchema }) => outputSchema !== undefined)).toBe(true);
    const code =
      "import * as docs from './servers/docs'; console.log('a'); await docs.listSheets(); export default [1, 2]";
    const answer = await ask(client, "run_script", { code });
    expect(answer.content).toEqual([]);
    expect(answer.structuredContent).toMatchObject({
      kind: "ok",
      value: [1, 2],
      output: ["a"],
      calls: { total: 1, ok: 1 },
    });
    const asked: readonly [string, Record<string, unknown>][] = [
      ["search_tools", { query: "document" }],
      ["search_tools", { query: "document", detail: "full" }],
      ["get_tool_details", { names: ["docs__get_document", "docs__nothing"] }],
      ["call_tool", { name: "docs__list_sheets" }],
      ["list_files", {}],
      ["read_file", { path: "AGENTS.md" }],
      ["list_servers", {}],
      ["set_server", { name: "docs", enabled: true }],
      ["save_skill", { name: "one", description: "One", code: "export default 1" }],
    ];
    for (const [name, args] of asked) {
      const { content, structuredContent } = await ask(client, name, args);
      expect(content, name).toEqual([]);
      expect(structuredContent, name).toBeTypeOf("object");
    }
    const failed = await ask(client, "run_script", { code: "throw new Error('no')" });
    expect(failed).toMatchObject({
      isError: true,
      content: [{ text: expect.stringContaining("SCRIPT_ERROR") }],
    });
  });
});
