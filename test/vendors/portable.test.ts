import { describe, expect, test } from "vitest";
import type { Json } from "../../src/kernel/json.ts";
import { offerTools } from "../../src/vendors/offer-tools.ts";
import { portablePrompt } from "../../src/vendors/portable-prompt.ts";
import { portableResource } from "../../src/vendors/portable-resource.ts";
import { portableTool } from "../../src/vendors/portable-tool.ts";
import { toolNameFor } from "../../src/vendors/tool-name.ts";
import { toolOf } from "../render/support.ts";
import { refusalsOf } from "./refusals.ts";

const input: Json = {
  type: "object",
  properties: { id: { type: "string" }, limit: { type: "integer", minimum: 1 } },
  required: ["id"],
};
const get = portableTool(
  toolOf({ name: "get_contact", folder: "crm", description: "Gets a contact.", input }),
);

// M13
describe("a tool", () => {
  test("has the shape of each vendor, under its wire name", () => {
    expect(get.toAnthropic().value).toEqual({
      name: "crm__get_contact",
      description: "Gets a contact.",
      input_schema: input,
    });
    expect(get.toOpenAI().value).toEqual({
      type: "function",
      name: "crm__get_contact",
      description: "Gets a contact.",
      parameters: input,
      strict: false,
    });
    expect(get.toGemini().value).toEqual({
      name: "crm__get_contact",
      description: "Gets a contact.",
      parametersJsonSchema: input,
    });
  });

  test("strict says so only where the schema holds what it takes", () => {
    expect(get.toOpenAI({ isStrict: true }).value).toMatchObject({ strict: true });
    expect(get.toAnthropic({ isStrict: true }).value).toMatchObject({ strict: true });
    const free = portableTool(toolOf({ name: "put", input: { type: "object", properties: { any: {} } } }));
    expect(free.toOpenAI({ isStrict: true })).toMatchObject({
      value: { strict: false },
      changes: [expect.stringContaining("not strict, since any: may be anything")],
    });
  });

  test("reads what a strict model sent: a null that stands for a missing field goes, any other stays", () => {
    const tool = portableTool(
      toolOf({
        name: "put",
        input: {
          type: "object",
          properties: {
            id: { type: ["string", "null"] },
            note: { type: "string" },
            maybe: { type: ["string", "null"] },
            rows: { type: "array", items: { $ref: "#/$defs/row" } },
            free: { type: "object" },
          },
          required: ["id"],
          $defs: { row: { type: "object", properties: { a: { type: "number" }, b: { enum: [1, null] } } } },
        },
      }),
    );
    const sent = {
      id: null,
      note: null,
      maybe: null,
      rows: [{ a: null, b: null }, { a: 1 }],
      free: { x: null },
    };
    expect(tool.readArguments(sent)).toEqual({
      id: null,
      maybe: null,
      rows: [{ b: null }, { a: 1 }],
      free: { x: null },
    });
  });

  test("keeps every word of a description that is too long for OpenAI", () => {
    const sentences = Array.from({ length: 90 }, (_, at) => `Sentence number ${at} says something.`);
    const { value, changes } = portableTool(
      toolOf({ name: "long", description: sentences.join(" "), input }),
    ).toOpenAI();
    const { description, parameters } = value as { description: string; parameters: { description: string } };
    expect(description.length).toBeLessThanOrEqual(1024);
    for (const sentence of sentences) expect(`${description} ${parameters.description}`).toContain(sentence);
    expect(changes).toEqual([expect.stringContaining("description")]);
  });

  test("a name that begins with a digit gets a sign in front for Gemini, and only there", () => {
    expect(toolNameFor("gemini", "36kr__news")).toBe("_36kr__news");
    expect(toolNameFor("anthropic", "36kr__news")).toBe("36kr__news");
    const long = `3${"x".repeat(63)}`;
    expect(toolNameFor("gemini", long)).toMatch(/^_3x{55}_[0-9a-f]{6}$/);
    expect(toolNameFor("gemini", long)).not.toBe(toolNameFor("gemini", `3${"x".repeat(62)}y`));
  });
});

// M12, M13
describe("tools of a request", () => {
  const tools = ["a", "b", "c"].map((name) => portableTool(toolOf({ name, folder: "my crm", input })));

  test("stand in the order given", () => {
    const { value } = offerTools(tools, { vendor: "anthropic" });
    expect(value.map(({ name }) => name)).toEqual(["my_crm__a", "my_crm__b", "my_crm__c"]);
    const [{ functionDeclarations } = {}] = offerTools(tools, { vendor: "gemini" }).value;
    expect(functionDeclarations).toHaveLength(3);
  });

  test("deferred for Anthropic: behind the search tool, which alone carries the cache's breakpoint", () => {
    const { value } = offerTools(tools, { vendor: "anthropic", isDeferred: true });
    expect(value[0]).toEqual({
      type: "tool_search_tool_bm25_20251119",
      name: "tool_search_tool_bm25",
      cache_control: { type: "ephemeral" },
    });
    for (const tool of value.slice(1)) {
      expect(tool).toMatchObject({ defer_loading: true });
      expect(tool).not.toHaveProperty("cache_control");
    }
    // What is appended changes nothing of what is in the prompt.
    const more = offerTools([...tools, get], { vendor: "anthropic", isDeferred: true }).value;
    expect(more.slice(0, value.length)).toEqual(value);
  });

  test("deferred for OpenAI: a namespace a server, behind the search tool", () => {
    const { value } = offerTools([...tools, get], {
      vendor: "openai",
      isDeferred: true,
      purposeOf: (server) => (server === "crm" ? "Contacts\nand leads" : ""),
    });
    expect(value).toMatchObject([
      { type: "tool_search" },
      { type: "namespace", name: "my_crm", description: "The tools of my crm.", tools: [{}, {}, {}] },
      {
        type: "namespace",
        name: "crm",
        description: "Contacts and leads",
        tools: [{ type: "function", name: "crm__get_contact", defer_loading: true }],
      },
    ]);
  });

  test("Gemini has no search for deferred tools, and says so", () => {
    expect(() => offerTools(tools, { vendor: "gemini", isDeferred: true })).toThrowError(
      expect.objectContaining({ code: "USAGE" }),
    );
  });

  test("no request of Anthropic's has more strict tools than it takes", () => {
    const many = Array.from({ length: 25 }, (_, at) => portableTool(toolOf({ name: `t${at}`, input })));
    const { value, changes } = offerTools(many, { vendor: "anthropic", isStrict: true });
    expect(value.filter((tool) => tool.strict === true)).toHaveLength(20);
    expect(changes[0]).toContain("20 strict tools");
  });

  test("what the rules refuse is in none of them", () => {
    for (const tool of [...tools, get]) {
      expect(refusalsOf("anthropic", tool.toAnthropic({ isStrict: true }).value)).toEqual([]);
      expect(refusalsOf("openai", tool.toOpenAI({ isStrict: true }).value)).toEqual([]);
      expect(refusalsOf("gemini", tool.toGemini().value)).toEqual([]);
    }
  });
});

const contents: readonly Json[] = [
  { uri: "file:///notes.md", mimeType: "text/markdown", text: "# Notes" },
  { uri: "file:///plan.pdf", mimeType: "application/pdf", blob: "JVBERi0=" },
  { uri: "file:///logo.png", mimeType: "image/png", blob: "iVBORw0=" },
  { uri: "file:///data.bin", mimeType: "application/zip", blob: "UEsDBA==" },
];

describe("a resource", () => {
  const resource = portableResource(contents);

  test("is documents and images for Anthropic", () => {
    const { value, changes } = resource.toAnthropic();
    expect(value).toMatchObject([
      {
        type: "document",
        source: { type: "text", media_type: "text/plain", data: "# Notes" },
        title: "file:///notes.md",
      },
      { type: "document", source: { type: "base64", media_type: "application/pdf", data: "JVBERi0=" } },
      { type: "image", source: { type: "base64", media_type: "image/png", data: "iVBORw0=" } },
      { type: "text", text: "[file:///data.bin: application/zip, 6 bytes, not shown]" },
    ]);
    expect(changes).toEqual(["file:///data.bin: application/zip cannot be given"]);
  });

  test("is input parts for OpenAI", () => {
    expect(resource.toOpenAI().value).toMatchObject([
      { type: "input_text", text: "file:///notes.md:\n# Notes" },
      { type: "input_file", filename: "plan.pdf", file_data: "data:application/pdf;base64,JVBERi0=" },
      { type: "input_image", image_url: "data:image/png;base64,iVBORw0=" },
      { type: "input_text" },
    ]);
  });

  test("is parts for Gemini", () => {
    expect(resource.toGemini().value).toMatchObject([
      { text: "file:///notes.md:\n# Notes" },
      { inlineData: { mimeType: "application/pdf", data: "JVBERi0=" } },
      { inlineData: { mimeType: "image/png", data: "iVBORw0=" } },
      { text: expect.stringContaining("not shown") },
    ]);
  });
});

describe("a prompt", () => {
  const image = { type: "image", mimeType: "image/png", data: "iVBORw0=" };
  const prompt = portablePrompt([
    { role: "user", content: { type: "text", text: "Look:" } },
    { role: "user", content: image },
    { role: "assistant", content: { type: "text", text: "Well." } },
    { role: "assistant", content: image },
    { role: "user", content: { type: "resource", resource: contents[0] } },
    { role: "system", content: { type: "text", text: "Obey." } },
  ] as readonly Json[]);

  test("is messages for Anthropic", () => {
    expect(prompt.toAnthropic().value).toMatchObject([
      { role: "user", content: [{ type: "text", text: "Look:" }] },
      { role: "user", content: [{ type: "image" }] },
      { role: "assistant", content: [{ type: "text", text: "Well." }] },
      { role: "assistant", content: [{ type: "text", text: "[image: image/png, 6 bytes, not shown]" }] },
      { role: "user", content: [{ type: "document" }] },
      // No server speaks as the system.
      { role: "user", content: [{ type: "text", text: "Obey." }] },
    ]);
    expect(prompt.toAnthropic().changes).toEqual(["image: image/png cannot be given in a model's own turn"]);
  });

  test("is input items for OpenAI, whose own turns are output", () => {
    const { value } = prompt.toOpenAI();
    expect(value[0]).toEqual({
      type: "message",
      role: "user",
      content: [{ type: "input_text", text: "Look:" }],
    });
    expect(value[2]).toMatchObject({ role: "assistant", content: [{ type: "output_text", text: "Well." }] });
  });

  test("is contents for Gemini, whose model is called model", () => {
    expect(prompt.toGemini().value.map(({ role }) => role)).toEqual([
      "user",
      "user",
      "model",
      "model",
      "user",
      "user",
    ]);
  });
});
