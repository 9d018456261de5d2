import { ERROR_CODES } from "../kernel/errors.ts";
import type { JsonObject } from "../kernel/json.ts";

/**
 * The JSON Schemas (draft 7) of what the commands print with `--json`, by name: `exec`, `skills-list`. The build ships each as
 * `dist/schemas/<name>.schema.json`; tests hold the commands to them. Objects are closed: a member that is not named
 * here is not printed. `watch` is the shape of one line; `error` is what any command prints when it fails.
 */
export function jsonShapes(): Readonly<Record<string, JsonObject>> {
  return {
    exec: run,
    "runs-show": run,
    "runs-resume": run,
    "runs-list": list(
      object({
        runId: text,
        kind: oneOf("ok", "failed", "stopped", "suspended", "running", "broken"),
        script: text,
        startedAt: text,
        calls: count,
        resumable: flag,
      }),
    ),
    "runs-export": object({ resourceSpans: list({ type: "object" }) }),
    "runs-prune": object({ removed: list(text), kept: count, bytes: count }),
    ls: list(object(toolMembers)),
    search: list(object({ ...toolMembers, score: number }, { signature: text, explanation })),
    show: {
      anyOf: [
        object({ ...toolMembers, definition: anyObject, signature: text }),
        object({
          format: oneOf("anthropic", "openai", "gemini"),
          tools: list(anyObject),
          changes: list(text),
        }),
      ],
    },
    call: object({
      server: text,
      tool: text,
      isError: flag,
      value: anything,
      content: list(anything),
      warnings: list(text),
    }),
    sync,
    watch: { anyOf: [sync, ...connection, failure] },
    "skills-list": list(
      object({
        name: text,
        description: text,
        path: text,
        status: oneOf("ok", "changed", "broken", "draft"),
        servers: list(text),
      }),
    ),
    "skills-save": changed,
    add: changed,
    rm: changed,
    "servers-search": list(object({ name: text, purpose: text, enabled: flag, tools: count })),
    "servers-enable": changed,
    "servers-disable": changed,
    trust: object({
      digest: text,
      servers: list(object({ name: text, starts: text, trusted: flag })),
      policyTrusted: flag,
    }),
    auth: object({ server: text, signedIn: flag, issuer: orNull(text), scopes: list(text) }),
    serve: object({
      url: text,
      mode: oneOf("direct", "discover", "code"),
      tools: count,
      tokens: count,
      percent: number,
    }),
    install: installed,
    uninstall: installed,
    "policy-explain": object({
      server: text,
      tool: text,
      caller: text,
      risk: oneOf("read", "write", "destructive", "unstated"),
      permission: oneOf("allow", "ask", "deny"),
      rule: text,
      reason: text,
      granted: flag,
      policyTrusted: flag,
      considered: list(object({ rule: text, matches: flag, why: text })),
    }),
    "runs-approve": list(decided),
    "runs-deny": list(decided),
    "grants-list": list(grant),
    "grants-revoke": list(grant),
    init: object({
      path: text,
      changed: flag,
      servers: list(
        object({
          name: text,
          from: text,
          status: oneOf("added", "left-out", "faulty"),
          reason: orNull(text),
          starts: orNull(text),
          trusted: flag,
        }),
      ),
      variables: list(object({ name: text, server: text, source: text, set: flag })),
      warnings: list(text),
    }),
    demo: object({
      root: orNull(text),
      chapters: list(
        object({
          title: text,
          script: text,
          report: run,
          tokens: object({ direct: count, script: count, answer: count }),
        }),
      ),
    }),
    stats: statsShape,
    error: failure,
  };
}

/** The text of the file `<name>.schema.json`. */
export function jsonShapeText(name: string, shape: JsonObject): string {
  const head = { $schema: "http://json-schema.org/draft-07/schema#", title: `mcpfs ${name} --json` };
  return `${JSON.stringify({ ...head, ...shape }, null, 2)}\n`;
}

const text: JsonObject = { type: "string" };
const flag: JsonObject = { type: "boolean" };
const number: JsonObject = { type: "number" };
const count: JsonObject = { type: "integer", minimum: 0 };
/** Counted from 1: a line, a column, the number of a call. */
const ordinal: JsonObject = { type: "integer", minimum: 1 };
const anything: JsonObject = {};
const anyObject: JsonObject = { type: "object" };

function list(items: JsonObject): JsonObject {
  return { type: "array", items };
}

function oneOf(...values: readonly string[]): JsonObject {
  return { enum: values };
}

function orNull(shape: JsonObject): JsonObject {
  return { anyOf: [shape, { type: "null" }] };
}

/** A closed object whose members are all there, but the `optional` ones. */
function object(
  members: Readonly<Record<string, JsonObject>>,
  optional: Readonly<Record<string, JsonObject>> = {},
): JsonObject {
  return {
    type: "object",
    properties: { ...members, ...optional },
    required: Object.keys(members),
    additionalProperties: false,
  };
}

const errorMembers = { code: oneOf(...Object.keys(ERROR_CODES)), message: text, hint: text };
const failure = object({ error: object(errorMembers) });
const changed = object({ name: text, path: text, changed: flag });
const installed = object({ client: text, path: text, changed: flag, backup: orNull(text) });

const decided = object({
  call: ordinal,
  server: text,
  tool: text,
  arguments: anything,
  reason: text,
  decision: oneOf("approved", "denied"),
});

const grant = object({
  id: text,
  server: text,
  tool: text,
  scope: oneOf("until", "forever"),
  until: orNull(text),
  grantedAt: text,
  status: oneOf("valid", "expired", "changed"),
});

const toolMembers = {
  server: text,
  tool: text,
  wire: text,
  name: text,
  file: text,
  title: text,
  description: text,
  risk: oneOf("read", "write", "destructive", "unstated"),
  permission: oneOf("allow", "ask", "deny"),
  available: flag,
};

/** Why words find a tool, or do not: `search --explain`. */
const explanation = object({
  rank: count,
  score: number,
  words: list(object({ word: text, rarity: number, found: list(object({ stem: text, parts: list(text) })) })),
  steps: list(text),
  implied: list(text),
});

const sync = object(
  {
    servers: list(
      object({
        name: text,
        status: oneOf("ok", "stale", "failed", "disabled"),
        tools: count,
        added: list(text),
        changed: list(text),
        removed: list(text),
        changes: list(object({ tool: text, path: text, before: orNull(text), after: orNull(text) })),
        held: list(text),
        warnings: list(text),
        error: orNull(object(errorMembers)),
      }),
    ),
    files: object({ written: count, deleted: count, unchanged: count }),
    warnings: list(text),
  },
  { learned: list(object({ server: text, tool: text })) },
);

/** What becomes of a connection while a watch runs. */
const connection = [
  object({ server: text, status: oneOf("lost", "down"), reason: text }),
  object({ server: text, status: oneOf("back"), tools: count }),
];

/** Tokens of a run, or of all runs. */
const runTokens = { arguments: count, results: count, script: count, answer: count, models: count };

const run = object(
  {
    runId: text,
    kind: oneOf("ok", "failed", "stopped", "suspended"),
    value: anything,
    output: list(text),
    error: orNull(
      object({
        ...errorMembers,
        stack: text,
        file: orNull(text),
        line: orNull(ordinal),
        column: orNull(ordinal),
      }),
    ),
    calls: object({ total: count, ok: count, failed: count, unknown: count }),
    effects: list(
      object({
        call: ordinal,
        server: text,
        tool: text,
        status: oneOf("done", "failed", "unknown", "never-sent"),
        retry: oneOf("safe", "unsafe", "not-needed"),
        risk: oneOf("read", "write", "destructive", "unstated"),
      }),
    ),
    waiting: list(object({ call: ordinal, server: text, tool: text, arguments: anything, reason: text })),
    repeats: list(ordinal),
    next: orNull(text),
    warnings: list(text),
    usage: object({
      wallMs: count,
      guestCpuMs: count,
      peakMemoryBytes: count,
      outputBytes: count,
      estimatedTokens: count,
    }),
  },
  { tokens: object({ definitions: count, ...runTokens }) },
);

const statsShape = object({
  encoding: text,
  context: object({ windowTokens: count, directPercent: number, discoverPercent: number }),
  recommendation: object({ mode: oneOf("direct", "discover", "code"), percent: number }),
  servers: list(object({ name: text, tools: count, definitions: count, listing: count })),
  total: object({
    tools: count,
    definitions: count,
    listing: count,
    guide: count,
    search: count,
    searchMs: number,
  }),
  usage: object({
    runs: count,
    calls: count,
    tokens: object({ ...runTokens, discovery: count }),
    latest: list(
      object({
        kind: oneOf("run"),
        atMs: number,
        runId: text,
        script: text,
        ended: text,
        calls: count,
        called: list(text),
        unknown: list(text),
        tokens: object(runTokens),
      }),
    ),
    search: object({
      searches: count,
      empty: count,
      medianMs: orNull(number),
      p95Ms: orNull(number),
      calledAfter: count,
      shownBefore: count,
    }),
    unknown: list(object({ name: text, times: count })),
    lists: object({ changes: count, added: count, changed: count, removed: count }),
    client: object({ requests: count, firstTokenMs: orNull(number), cachedPercent: orNull(number) }),
  }),
});
