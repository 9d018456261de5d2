// The workspaces that are served: the demo's servers, and one whose server has the tools that the conformance suite calls.
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("../..", import.meta.url));
const cli = join(root, "dist/cli.js");

/** How a client starts `mcpfs serve` in `folder`. */
export function serveCommand(folder, mode) {
  return { command: process.execPath, args: [cli, "-C", folder, "serve", "--mode", mode] };
}

/** Makes a workspace of these servers in a new folder below `base`, trusts and syncs it. */
export function makeWorkspace(base, name, mcpServers) {
  const folder = join(base, name);
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, "mcpfs.json"), JSON.stringify({ mcpServers }));
  for (const args of [["trust", "--yes"], ["sync"]]) {
    const { status, stderr } = spawnSync(process.execPath, [cli, "-C", folder, ...args], {
      encoding: "utf8",
      env: { ...process.env, MCPFS_HOME: join(base, "home") },
    });
    if (status !== 0) throw new Error(`mcpfs ${args.join(" ")} failed: ${stderr}`);
  }
  return folder;
}

/** Serves a workspace over HTTP; gives its address, and what ends it. */
export async function serveHttp(base, folder, mode) {
  const child = spawn(
    process.execPath,
    [cli, "-C", folder, "--json", "serve", "--http", "0", "--mode", mode],
    {
      stdio: ["ignore", "pipe", "inherit"],
      env: { ...process.env, MCPFS_HOME: join(base, "home") },
    },
  );
  const [line] = await once(child.stdout, "data");
  const { url } = JSON.parse(String(line));
  const close = async () => {
    child.kill("SIGTERM");
    await once(child, "exit");
  };
  return { url, close };
}

const RED_DOT =
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg==";
const SILENCE = "UklGRiQAAABXQVZFZm10IBAAAAABAAEAQB8AAEAfAAABAAgAZGF0YQAAAAA=";
const text = (value) => ({ type: "text", text: value });
const image = { type: "image", data: RED_DOT, mimeType: "image/png" };
const resource = (uri, mimeType, value) => ({ type: "resource", resource: { uri, mimeType, text: value } });
const form = (message, properties, required) => ({
  ask: {
    method: "elicitation/create",
    params: { message, requestedSchema: { type: "object", properties, ...(required ? { required } : {}) } },
  },
});
const word = { type: "string" };
const choices = ["option1", "option2", "option3"];
const titled = ["First", "Second", "Third"].map((title, index) => ({ const: `value${index + 1}`, title }));

/** A server with the tools that the suite asks for, by its own descriptions of them. */
export function conformanceServer() {
  const answers = {
    test_simple_text: { text: "This is a simple text response for testing." },
    test_image_content: { result: { content: [image] } },
    test_audio_content: { result: { content: [{ type: "audio", data: SILENCE, mimeType: "audio/wav" }] } },
    test_embedded_resource: {
      result: {
        content: [
          resource("test://embedded-resource", "text/plain", "This is an embedded resource content."),
        ],
      },
    },
    test_multiple_content_types: {
      result: {
        content: [
          text("Multiple content types test:"),
          image,
          resource("test://mixed-content-resource", "application/json", '{"test":"data","value":123}'),
        ],
      },
    },
    test_error_handling: { text: "This tool intentionally returns an error for testing", isError: true },
    test_tool_with_progress: { progress: { everyMs: 50, times: 3 }, text: "done" },
    test_sampling: {
      ask: {
        method: "sampling/createMessage",
        params: { messages: [{ role: "user", content: text("Test prompt for sampling") }], maxTokens: 100 },
      },
    },
    test_elicitation: form("Please tell", { username: word, email: word }, ["username", "email"]),
    test_elicitation_sep1034_defaults: form("Please review", {
      name: { ...word, default: "John Doe" },
      age: { type: "integer", default: 30 },
      score: { type: "number", default: 95.5 },
      status: { ...word, enum: ["active", "inactive", "pending"], default: "active" },
      verified: { type: "boolean", default: true },
    }),
    test_elicitation_sep1330_enums: form("Please choose", {
      untitledSingle: { ...word, enum: choices },
      titledSingle: { ...word, oneOf: titled },
      legacyEnum: {
        ...word,
        enum: ["opt1", "opt2", "opt3"],
        enumNames: ["Option One", "Option Two", "Option Three"],
      },
      untitledMulti: { type: "array", items: { ...word, enum: choices } },
      titledMulti: { type: "array", items: { anyOf: titled } },
    }),
  };
  const schema = {
    $schema: "https://json-schema.org/draft/2020-12/schema",
    type: "object",
    $defs: { address: { type: "object", properties: { street: word, city: word } } },
    properties: { name: word, address: { $ref: "#/$defs/address" } },
    additionalProperties: false,
  };
  const tools = [
    ...Object.keys(answers).map((name) => ({ name, description: name, inputSchema: { type: "object" } })),
    {
      name: "json_schema_2020_12_tool",
      description: "Tool with JSON Schema 2020-12 features",
      inputSchema: schema,
    },
  ];
  const script = join(root, "test/servers/scripted.mjs");
  return { command: process.execPath, args: [script, JSON.stringify({ tools, answers })] };
}
