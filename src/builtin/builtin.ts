import { McpfsError } from "../kernel/errors.ts";
import type { Json, JsonObject } from "../kernel/json.ts";
import { nearestOf } from "../kernel/nearest.ts";
import { oneLine } from "../kernel/text.ts";
import type { SearchRequest, StrategyName } from "../model/search.ts";
import type { Validator } from "../schema/validator.ts";
import { BUILTIN_TOOLS } from "./builtin-tools.ts";
import { createFiles, type FileLimits } from "./files.ts";

/** Bounds of what one run may do with the built-in server; its calls never count as calls to servers. */
export interface BuiltinLimits extends FileLimits {
  /** Timers that wait at the same time. */
  readonly maxTimers: number;
}

/** The limits of a run for which nobody said anything else. */
export const DEFAULT_BUILTIN_LIMITS: BuiltinLimits = {
  maxFileBytes: 16 * 1024 * 1024,
  maxWrittenBytes: 256 * 1024 * 1024,
  maxEntries: 10_000,
  maxTimers: 10_000,
};

/** What the built-in server needs of its host. */
export interface BuiltinContext {
  /** Absolute path of the files folder: `<root>/workspace`. Made when it is missing. */
  readonly filesFolder: string;
  /** Finds tools by words, best first; the elements of `search --json`. */
  readonly search: (request: SearchRequest, detail: "brief" | "full") => Promise<Json>;
  /** Resolves after `ms` milliseconds, or when `signal` aborts. */
  readonly pause: (ms: number, signal: AbortSignal) => Promise<void>;
  readonly limits: BuiltinLimits;
}

/** The built-in server `mcpfs` for one run. */
export interface Builtin {
  /**
   * Answers one call. `log` is not among the tools: the engine takes it synchronously, since nobody awaits it.
   * @throws McpfsError TOOL_UNKNOWN, ARGUMENTS_INVALID, FILE_OUTSIDE_WORKSPACE, FILE_FAILED, LIMIT_CALLS
   */
  readonly call: (tool: string, args: JsonObject, signal: AbortSignal) => Promise<Json>;
}

/** Creates the built-in server of one run; what it counts (bytes written, timers) is that run's. */
export function createBuiltin(context: BuiltinContext): Builtin {
  const handlers = createHandlers(context);
  const schemas = new Map(BUILTIN_TOOLS.map((tool) => [tool.name, tool.inputSchema ?? {}]));
  let validator: Validator | undefined;
  return {
    call: async (tool, args, signal) => {
      const handler = handlers.get(tool);
      if (handler === undefined) throw unknownTool(tool, handlers.keys());
      validator ??= (await import("../schema/validator.ts")).createValidator();
      const { faults } = validator.judge(tool, schemas.get(tool) ?? {}, args);
      if (faults.length > 0) throw invalid(tool, faults.join(" "));
      return await handler(args, signal);
    },
  };
}

/** Gets arguments that fit the tool's schema. */
type Handler = (args: JsonObject, signal: AbortSignal) => Promise<Json>;

/** The one place where arguments, judged by their schema just before, get the type that the schema says. */
function handler<Input>(run: (input: Input, signal: AbortSignal) => Promise<Json>): Handler {
  return (args, signal) => run(args as Input, signal);
}

function createHandlers(context: BuiltinContext): ReadonlyMap<string, Handler> {
  const files = createFiles(context.filesFolder, context.limits);
  let timers = 0;
  return new Map<string, Handler>([
    [
      "sleep",
      handler<{ readonly ms: number | bigint }>(async ({ ms }, signal) => {
        if (timers >= context.limits.maxTimers) throw tooManyTimers(context.limits.maxTimers);
        timers += 1;
        try {
          await context.pause(Number(ms), signal);
        } finally {
          timers -= 1;
        }
        return null;
      }),
    ],
    [
      "read_file",
      handler<{ readonly path: string; readonly encoding?: "utf8" | "base64" }>(
        async ({ path, encoding }) => {
          const bytes = await files.read(path);
          return encoding === "base64" ? Buffer.from(bytes).toString("base64") : textOf(bytes, path);
        },
      ),
    ],
    [
      "write_file",
      handler<WriteInput>(async (input) => {
        await files.write(input.path, bytesOf(input), input.append === true ? "append" : "replace");
        return null;
      }),
    ],
    [
      "list_files",
      handler<{ readonly path: string }>(async ({ path }) =>
        (await files.list(path)).map(({ name, kind }) => ({ name, kind })),
      ),
    ],
    [
      "make_folder",
      handler<{ readonly path: string; readonly recursive?: boolean }>(
        async ({ path, recursive = false }) => {
          await files.makeFolder(path, recursive);
          return null;
        },
      ),
    ],
    ["stat_file", handler<{ readonly path: string }>(async ({ path }) => ({ ...(await files.look(path)) }))],
    [
      "remove_file",
      handler<{ readonly path: string; readonly recursive?: boolean; readonly force?: boolean }>(
        async ({ path, recursive = false, force = false }) => {
          await files.remove(path, recursive, force);
          return null;
        },
      ),
    ],
    [
      "rename_file",
      handler<{ readonly from: string; readonly to: string }>(async ({ from, to }) => {
        await files.move(from, to);
        return null;
      }),
    ],
    [
      "search_tools",
      handler<SearchInput>(
        async (input) => await context.search(searchRequest(input), input.detail ?? "brief"),
      ),
    ],
  ]);
}

interface SearchInput {
  readonly query: string;
  readonly limit?: number | bigint;
  readonly offset?: number | bigint;
  readonly server?: string;
  readonly strategy?: StrategyName;
  readonly detail?: "brief" | "full";
}

function searchRequest({ query, limit, offset, server, strategy }: SearchInput): SearchRequest {
  return {
    query,
    ...(limit === undefined ? {} : { limit: Number(limit) }),
    ...(offset === undefined ? {} : { offset: Number(offset) }),
    ...(server === undefined ? {} : { server }),
    ...(strategy === undefined ? {} : { strategy }),
  };
}

interface WriteInput {
  readonly path: string;
  readonly text?: string;
  readonly base64?: string;
  readonly append?: boolean;
}

function bytesOf({ text, base64 }: WriteInput): Uint8Array {
  if ((text === undefined) === (base64 === undefined))
    throw invalid("write_file", "Give either text or base64.");
  if (text !== undefined) return Buffer.from(text, "utf8");
  const bytes = Buffer.from(base64 ?? "", "base64");
  // Buffer.from drops what it cannot read without a word, so a cut string is noticed by the way back.
  if (bytes.toString("base64") !== base64) throw invalid("write_file", "base64 is not base64.");
  return bytes;
}

function textOf(bytes: Uint8Array, path: string): string {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch (cause) {
    throw new McpfsError("FILE_FAILED", `${JSON.stringify(oneLine(path))} is not text in UTF-8.`, {
      hint: 'Read its bytes: fs.readFile without an encoding, or encoding "base64".',
      cause,
    });
  }
}

function unknownTool(tool: string, known: Iterable<string>): McpfsError {
  const near = nearestOf(tool, known, 3);
  return new McpfsError("TOOL_UNKNOWN", `The built-in server has no tool ${JSON.stringify(oneLine(tool))}.`, {
    hint: near.length > 0 ? `Did you mean ${near.join(" or ")}?` : "Its tools are in servers/mcpfs/.",
  });
}

function invalid(tool: string, faults: string): McpfsError {
  return new McpfsError("ARGUMENTS_INVALID", `The arguments do not fit mcpfs/${tool}: ${faults}`, {
    hint: "Read servers/mcpfs/index.ts for the tool's input type.",
  });
}

function tooManyTimers(limit: number): McpfsError {
  return new McpfsError("LIMIT_CALLS", `More than ${limit} timers wait at the same time.`, {
    hint: "Await each setTimeout before the next, or wait once for all.",
  });
}
