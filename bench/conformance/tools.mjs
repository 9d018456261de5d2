// The tools that probes call, once as what a scripted MCP server answers (our column goes through a real server) and once
// as functions (a peer takes functions).

/** Answers in the words of test/servers/scripted.mjs. */
export const ANSWERS = {
  one: { result: { content: [], structuredContent: { n: 1 } } },
  slow: { delayMs: 200, result: { content: [], structuredContent: { n: 1 } } },
  hang: { never: true },
  fail: { isError: true, text: "denied by the tool" },
  late_fail: { delayMs: 60, isError: true, text: "failed late" },
  text: { text: "plain words" },
  number_text: { text: "007" },
  nul: { result: { content: [{ type: "text", text: "abc\u0000def" }] } },
  long: { raw: '{"content":[],"structuredContent":{"id":9007199254740993,"list":[-9223372036854775808,3]}}' },
  surrogate: { raw: '{"content":[],"structuredContent":{"s":"a\\ud800b"}}' },
  proto: { raw: '{"content":[],"structuredContent":{"__proto__":{"admin":true},"constructor":1,"a":2}}' },
  big: { textBytes: 1_000_000 },
  huge: { textBytes: 30_000_000 },
  deep: { text: `${"[".repeat(5_000)}${"]".repeat(5_000)}` },
  text_words: { text: "Available tools: a, b" },
  text_two_documents: { text: '{"a":1}\n{"a":2}' },
  text_number: { text: "007" },
  text_null: { text: "null" },
  text_quoted: { text: '"{\\"x\\":1}"' },
  text_remark: { text: '{"a":1} (cached)' },
  no_content: { raw: "{}" },
  fail_nul: { result: { isError: true, content: [{ type: "text", text: "no\u0000way" }] } },
  blobs: {
    result: {
      content: [
        {
          type: "resource",
          resource: {
            uri: `store://a/..%2f..%2fescape\u0000.pdf?x=${"y".repeat(300)}`,
            mimeType: "application/pdf",
            blob: "JVBERi0=",
          },
        },
        {
          type: "resource",
          resource: { uri: "store://b", mimeType: "application/pdf", blob: "not base64!!" },
        },
      ],
    },
  },
  nothing: { result: { content: [] } },
  blocks: {
    result: {
      content: [
        { type: "text", text: "got it" },
        { type: "resource", resource: { uri: "repo://x", text: "# Title" } },
      ],
    },
  },
};

/** The tool that answers its own arguments. */
const ECHO = "echo";

export const TOOL_NAMES = [...Object.keys(ANSWERS), ECHO, "picky"];

/** What `tools/list` says: `picky` is strict about its argument, the others take anything. */
export const DEFINITIONS = TOOL_NAMES.map((name) => ({
  name,
  description: `Test tool ${name}.`,
  inputSchema:
    name === "picky"
      ? {
          type: "object",
          properties: { id: { type: "integer" } },
          required: ["id"],
          additionalProperties: false,
        }
      : { type: "object" },
}));

/** The same tool as a function, for a peer: gives what a client of MCP would hand on, or throws. */
export async function callFake(wire, args) {
  const name = wire.replace(/^s__/, "");
  if (name === ECHO || name === "picky") return args ?? {};
  const answer = ANSWERS[name];
  if (answer === undefined) throw new Error(`There is no tool ${wire}.`);
  if (answer.delayMs) await new Promise((resolve) => setTimeout(resolve, answer.delayMs));
  if (answer.never) return await new Promise(() => {});
  if (answer.isError) throw new Error(answer.text);
  if (answer.textBytes) return "x".repeat(answer.textBytes);
  if (answer.text !== undefined) return name === "deep" ? JSON.parse(answer.text) : answer.text;
  const result = answer.raw ? JSON.parse(answer.raw) : answer.result;
  if (result.isError) throw new Error(result.content[0].text);
  if (result.content === undefined) return undefined;
  if (result.structuredContent !== undefined) return result.structuredContent;
  const [block] = result.content;
  return result.content.length === 1 ? block.text : result.content.length === 0 ? undefined : result.content;
}
