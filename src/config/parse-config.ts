import { digestJson } from "../kernel/digest.ts";
import { matchGlob } from "../kernel/glob.ts";
import { isJsonObject, type Json, own } from "../kernel/json.ts";
import type { ModelEntry } from "../model/model-entry.ts";
import { BUILTIN_SERVER } from "../model/names.ts";
import { DEFAULT_LIMITS, LIMIT_TABLE, type Limits } from "../model/run.ts";
import type { RunKeeping } from "../model/run-keeping.ts";
import type { Isolation } from "../model/sandbox.ts";
import type { SearchSettings } from "../model/search.ts";
import type { ServerEntry } from "../model/server-entry.ts";
import type { PolicyRules } from "../policy/policy.ts";
import type { ContextLimits } from "../tokens/recommend.ts";
import { CONTEXT_KEYS, readContext } from "./context-schema.ts";
import { readDocument } from "./document.ts";
import { readDuration, readSize } from "./durations.ts";
import type { ConfigContext } from "./entry-reader.ts";
import { fieldName, type JsonPath, type JsonText } from "./json-text.ts";
import { SEARCH_KEYS } from "./models-schema.ts";
import { parseModels, readSearch } from "./parse-models.ts";
import { parsePolicy } from "./parse-policy.ts";
import { parseServe, type ServeConfig } from "./parse-serve.ts";
import { parseServer } from "./parse-server.ts";
import { RUNS_KEYS, readRuns } from "./runs-schema.ts";
import { FILE_KEYS, LIMIT_KEYS, SANDBOX_KEYS, SERVE_KEYS } from "./schema.ts";
import type { LimitsShape } from "./schema-parts.ts";
import { serverNameFault } from "./server-name.ts";
import { unknownKeys } from "./unknown-keys.ts";

/** The config of a workspace: `mcpfs.json` with variables replaced and defaults filled in. */
export interface Config {
  /** Absolute path of the workspace. */
  readonly root: string;
  /** Absolute path of `mcpfs.json`. */
  readonly path: string;
  /** Sorted by name; disabled ones and ones with a problem are among them. */
  readonly servers: readonly ServerEntry[];
  readonly limits: Limits;
  /** Those of them that the file itself says. */
  readonly ownLimits: Partial<Limits>;
  readonly policy: PolicyRules;
  readonly runs: RunKeeping;
  /** When tools are handed to a model directly, found or scripted. */
  readonly context: ContextLimits;
  /** How tools are found. */
  readonly search: SearchSettings;
  /** The models that help to find them; those with a problem are among them. */
  readonly models: readonly ModelEntry[];
  /** Where scripts run: in a thread of this process, or in a process of their own without permissions. */
  readonly isolation: Isolation;
  /** How the workspace is served to MCP clients. */
  readonly serve: ServeConfig;
  /** Sentences, each with its place in the file. */
  readonly warnings: readonly string[];
  /** All values that must never be shown: for the redactor. */
  readonly secrets: readonly string[];
  /** Changes when the file says something else; comments, spaces and the order of keys do not count. Of values as
   * written, so it holds nothing of the environment. */
  readonly digest: string;
}

/**
 * Parses the text of `mcpfs.json`. An entry of `mcpServers` that is wrong gets a `problem` and costs no other.
 * Pure: the files that entries name come in through the context.
 * @throws McpfsError CONFIG_INVALID with path, line, column and what was expected, when the text is not JSON or
 * its top level is wrong
 */
export function parseConfig(text: string, context: ConfigContext): Config {
  const { json: document, shape } = readDocument(text, context.path);
  const warnings: string[] = [];
  const warn = (path: JsonPath, sentence: string): void => {
    const { line, column } = document.keyPositionOf(path);
    warnings.push(`${context.path}:${line}:${column}: ${fieldName(path)} ${sentence}`);
  };
  for (const { path, lines } of document.duplicates) {
    warn(path, `stands on line ${lines.join(" and again on line ")}; the last one counts.`);
  }
  for (const { key, sentence } of unknownKeys(document.value, FILE_KEYS)) warn([key], sentence);
  for (const key of UNUSED_KEYS) {
    if (own(document.value, key) !== undefined) warn([key], "has no effect in this version of mcpfs.");
  }
  const limits = own(document.value, "limits");
  for (const { key, sentence } of unknownKeys(limits, LIMIT_KEYS)) warn(["limits", key], sentence);
  const { onChange = "warn", fillDefaults = false } = shape;
  const sandbox = own(document.value, "sandbox");
  for (const { key, sentence } of unknownKeys(sandbox, SANDBOX_KEYS)) warn(["sandbox", key], sentence);
  const runs = own(document.value, "runs");
  for (const { key, sentence } of unknownKeys(runs, RUNS_KEYS)) warn(["runs", key], sentence);
  const modelContext = own(document.value, "context");
  for (const { key, sentence } of unknownKeys(modelContext, CONTEXT_KEYS)) warn(["context", key], sentence);
  for (const { key, sentence } of unknownKeys(own(document.value, "search"), SEARCH_KEYS))
    warn(["search", key], sentence);
  const { models, secrets } = parseModels({ shape: shape.models ?? {}, document, context, warnings });
  const servers = serverValues(document, warn).map(({ name, value, at }) =>
    parseServer({ name, value, at, document, context, warnings, defaults: { onChange, fillDefaults } }),
  );
  const policy = parsePolicy(shape.policy, document, context.path);
  for (const sentence of rulesWithoutServer(policy, servers)) warn(["policy"], sentence);
  const serve = parseServe(shape.serve ?? {}, { document, context, warnings }, readPartialLimits);
  for (const { key, sentence } of unknownKeys(own(document.value, "serve"), SERVE_KEYS))
    warn(["serve", key], sentence);
  return {
    root: context.root,
    path: context.path,
    servers: servers.sort((a, b) => (a.name < b.name ? -1 : 1)),
    limits: readLimits(shape.limits ?? {}),
    ownLimits: readPartialLimits(shape.limits ?? {}),
    policy,
    runs: readRuns(shape.runs ?? {}),
    context: readContext(shape.context),
    search: readSearch(shape.search),
    models,
    isolation: shape.sandbox?.isolation ?? "worker",
    serve,
    warnings,
    secrets: [...new Set([...servers.flatMap((server) => server.secrets), ...secrets, ...serve.secrets])],
    digest: digestJson(document.value),
  };
}

/** Keys that stand for parts which are not there yet: whoever writes them must not believe that they hold. */
const UNUSED_KEYS = ["privacy"];

/** A rule that names no server of the file, and not the built-in one, protects nothing, and is most often a slip. */
function rulesWithoutServer({ rules }: PolicyRules, servers: readonly ServerEntry[]): readonly string[] {
  const names = [BUILTIN_SERVER, ...servers.map(({ name }) => name)];
  return rules
    .filter(({ servers: patterns }) =>
      patterns?.every((pattern) => !names.some((name) => matchGlob(pattern, name) !== undefined)),
    )
    .map(({ name }) => `has the rule ${JSON.stringify(name)}, which matches no server of this file.`);
}

interface ServerValue {
  readonly name: string;
  readonly value: Json;
  readonly at: JsonPath;
}

/** The entries of `mcpServers`, and those of VS Code's `servers` whose name is still free. One without a usable name is none. */
function serverValues(
  document: JsonText,
  warn: (path: JsonPath, sentence: string) => void,
): readonly ServerValue[] {
  const found = new Map<string, ServerValue>();
  for (const key of ["mcpServers", "servers"]) {
    const entries = own(document.value, key);
    if (!isJsonObject(entries)) continue;
    for (const [name, value] of Object.entries(entries)) {
      const fault = serverNameFault(name);
      if (fault !== undefined) warn([key, name], `${fault}, and is left out.`);
      else if (found.has(name)) warn([key, name], "is in mcpServers too, and that one counts.");
      else found.set(name, { name, value: value ?? null, at: [key, name] });
    }
  }
  return [...found.values()];
}

/** The limits that are said, and no others. */
function readPartialLimits(limits: LimitsShape): Partial<Limits> {
  const whole = Object.entries(readLimits(limits)) as [keyof Limits, number][];
  return Object.fromEntries(whole.filter(([name]) => own(limits, LIMIT_TABLE[name].key) !== undefined));
}

function readLimits(limits: LimitsShape): Limits {
  return {
    wallMs: readDuration(limits.timeout) ?? DEFAULT_LIMITS.wallMs,
    cpuMs: readDuration(limits.cpu) ?? DEFAULT_LIMITS.cpuMs,
    callMs: readDuration(limits.call) ?? DEFAULT_LIMITS.callMs,
    memoryBytes: readSize(limits.memory) ?? DEFAULT_LIMITS.memoryBytes,
    maxCalls: limits.maxCalls ?? DEFAULT_LIMITS.maxCalls,
    maxCallsPerTool: limits.maxCallsPerTool ?? DEFAULT_LIMITS.maxCallsPerTool,
    maxCallsAtOnce: limits.maxCallsAtOnce ?? DEFAULT_LIMITS.maxCallsAtOnce,
    callsPerSecond: limits.callsPerSecond ?? DEFAULT_LIMITS.callsPerSecond,
    callsPerMinute: limits.callsPerMinute ?? DEFAULT_LIMITS.callsPerMinute,
    outputBytes: readSize(limits.maxOutput) ?? DEFAULT_LIMITS.outputBytes,
    argumentBytes: readSize(limits.maxArguments) ?? DEFAULT_LIMITS.argumentBytes,
    resultBytes: readSize(limits.maxResult) ?? DEFAULT_LIMITS.resultBytes,
    bundleBytes: readSize(limits.maxBundle) ?? DEFAULT_LIMITS.bundleBytes,
  };
}
