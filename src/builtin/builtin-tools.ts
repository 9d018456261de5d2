import type { JsonObject } from "../kernel/json.ts";
import { STRATEGIES } from "../model/search.ts";
import type { RawTool } from "../model/tool.ts";

/** The longest wait that a timer of Node.js can hold: 2^31−1 ms, nearly 25 days. */
const MAX_SLEEP_MS = 2_147_483_647;

const PATH: JsonObject = {
  type: "string",
  description: "Path in the files folder, such as ./workspace/leads.csv.",
};
const NOTHING: JsonObject = { type: "null" };
const READS: JsonObject = { readOnlyHint: true, openWorldHint: false };
const WRITES: JsonObject = { readOnlyHint: false, destructiveHint: false, openWorldHint: false };
const DESTROYS: JsonObject = { readOnlyHint: false, destructiveHint: true, openWorldHint: false };

/**
 * The tools of the built-in server `mcpfs`, listed as any server would list them. The guest's `console`, timers and
 * `fs` are written on these names and shapes.
 */
export const BUILTIN_TOOLS: readonly RawTool[] = [
  {
    name: "log",
    title: "Print a line",
    description: "Prints one line of console output. Nobody waits for it. In a script use console.log.",
    inputSchema: input({
      level: { type: "string", enum: ["debug", "log", "info", "warn", "error"] },
      text: { type: "string", description: "The line." },
    }),
    outputSchema: NOTHING,
    annotations: WRITES,
  },
  {
    name: "sleep",
    title: "Wait",
    description: "Waits for some milliseconds. In a script use setTimeout.",
    inputSchema: input({ ms: { type: "number", minimum: 0, maximum: MAX_SLEEP_MS } }),
    outputSchema: NOTHING,
    annotations: READS,
  },
  {
    name: "read_file",
    title: "Read a file",
    description: "Reads a whole file as text, or as base64 for bytes. In a script use fs.readFile.",
    inputSchema: input(
      {
        path: PATH,
        encoding: { type: "string", enum: ["utf8", "base64"], description: "Default utf8." },
      },
      ["path"],
    ),
    outputSchema: { type: "string" },
    annotations: READS,
  },
  {
    name: "write_file",
    title: "Write a file",
    description:
      "Replaces a file in one step, or appends to it; give either text or base64. In a script use fs.writeFile and fs.appendFile.",
    inputSchema: input(
      {
        path: PATH,
        text: { type: "string", description: "The content as text." },
        base64: { type: "string", description: "The content as bytes in base64." },
        append: { type: "boolean", description: "Add to the end of the file. Default false." },
      },
      ["path"],
    ),
    outputSchema: NOTHING,
    annotations: DESTROYS,
  },
  {
    name: "list_files",
    title: "List a folder",
    description: "Lists what lies in a folder, sorted by name. In a script use fs.readdir.",
    inputSchema: input({ path: PATH }),
    outputSchema: {
      type: "array",
      items: output({
        name: { type: "string" },
        kind: { type: "string", enum: ["file", "folder", "other"] },
      }),
    },
    annotations: READS,
  },
  {
    name: "make_folder",
    title: "Make a folder",
    description: "Makes a folder; recursive also makes those above it. In a script use fs.mkdir.",
    inputSchema: input({ path: PATH, recursive: { type: "boolean", description: "Default false." } }, [
      "path",
    ]),
    outputSchema: NOTHING,
    annotations: { ...WRITES, idempotentHint: true },
  },
  {
    name: "stat_file",
    title: "Look at a file",
    description: "Says what a path is, its size and when it changed. In a script use fs.stat.",
    inputSchema: input({ path: PATH }),
    outputSchema: output({
      kind: { type: "string", enum: ["file", "folder", "other"] },
      size: { type: "integer", description: "Bytes." },
      modifiedMs: { type: "integer", description: "Milliseconds since 1970." },
    }),
    annotations: READS,
  },
  {
    name: "remove_file",
    title: "Remove a file or folder",
    description: "Removes a file, or with recursive a folder and all in it. In a script use fs.rm.",
    inputSchema: input(
      {
        path: PATH,
        recursive: { type: "boolean", description: "Also a folder with all in it. Default false." },
        force: { type: "boolean", description: "What is missing is fine. Default false." },
      },
      ["path"],
    ),
    outputSchema: NOTHING,
    annotations: DESTROYS,
  },
  {
    name: "rename_file",
    title: "Move a file or folder",
    description:
      "Gives a file or folder another path; a file at that path is replaced. In a script use fs.rename.",
    inputSchema: input({ from: PATH, to: PATH }),
    outputSchema: NOTHING,
    annotations: DESTROYS,
  },
  {
    name: "search_tools",
    title: "Search tools",
    description:
      "Finds tools of all servers by words, best first; several steps in one query get tools for each.",
    inputSchema: input(
      {
        query: { type: "string", description: "What should be done; empty lists all." },
        limit: { type: "integer", minimum: 1, maximum: 50, description: "Default 5." },
        offset: { type: "integer", minimum: 0, description: "Hits to pass over." },
        server: { type: "string", description: "Only tools of this server." },
        strategy: { type: "string", enum: [...STRATEGIES] },
        detail: { type: "string", enum: ["brief", "full"], description: "full adds the signature." },
      },
      ["query"],
    ),
    outputSchema: {
      type: "array",
      items: {
        type: "object",
        properties: {
          server: { type: "string" },
          tool: { type: "string" },
          name: { type: "string" },
          file: { type: "string", description: "The wrapper, to be read before use." },
          description: { type: "string" },
          permission: { type: "string", enum: ["allow", "ask"] },
          score: { type: "number" },
          signature: { type: "string" },
        },
        required: ["server", "tool", "name", "file", "description"],
      },
    },
    annotations: READS,
  },
  {
    name: "extract",
    title: "Extract a typed value",
    description:
      "Makes a value of a type of any text or data, by a small language model; the value is checked. In a script: extract<Type>(text), or extract(text, jsonSchema).",
    inputSchema: input({
      value: { description: "Text or data to read." },
      schema: { type: "object", description: "JSON Schema of the value." },
    }),
    // Whatever the schema says.
    outputSchema: {},
    annotations: { readOnlyHint: true, openWorldHint: true },
  },
];

function input(properties: JsonObject, required: readonly string[] = Object.keys(properties)): JsonObject {
  return { type: "object", properties, required, additionalProperties: false };
}

function output(properties: JsonObject): JsonObject {
  return input(properties);
}
