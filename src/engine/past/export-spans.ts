import type { PastCall } from "../../journal/past.ts";
import { digestText } from "../../kernel/digest.ts";
import type { Json } from "../../kernel/json.ts";
import type { ToldRun } from "./runs.ts";

/**
 * A run as spans of OpenTelemetry, in the JSON form of OTLP (`ExportTraceServiceRequest`): one span for the run, one below it for each
 * call that was sent. A trace's ids come from the run's id, so that a second export is the same.
 */
export function exportSpans({ past, events, report }: ToldRun, version: string): Json {
  const { run } = past;
  const traceId = digestText(`trace ${run.runId}`).slice(0, 32);
  const rootId = spanId(run.runId, 0);
  const endMs = events.at(-1)?.atMs ?? run.atMs;
  const root = {
    traceId,
    spanId: rootId,
    name: `${run.caller} ${past.script.script}`,
    kind: INTERNAL,
    ...times(run.atMs, endMs),
    attributes: attributes({
      "mcpfs.run.id": run.runId,
      "mcpfs.run.kind": report.kind,
      ...(report.error === null ? {} : { "error.type": report.error.code }),
    }),
    status: report.error === null ? { code: OK } : { code: FAILED, message: report.error.message },
  };
  const calls = [...past.calls.values()]
    .filter(({ sentMs }) => sentMs !== undefined)
    .map((call) => callSpan(call, { traceId, rootId, runId: run.runId, endMs }));
  const resource = { attributes: attributes({ "service.name": "mcpfs", "service.version": version }) };
  const scopeSpans = [{ scope: { name: "mcpfs", version }, spans: [root, ...calls] }];
  return { resourceSpans: [{ resource, scopeSpans }] };
}

interface Trace {
  readonly traceId: string;
  readonly rootId: string;
  readonly runId: string;
  readonly endMs: number;
}

function callSpan(call: PastCall, { traceId, rootId, runId, endMs }: Trace): Json {
  const { server, tool, effect, risk, answer, sentMs = endMs } = call;
  const error = answer?.error;
  return {
    traceId,
    spanId: spanId(runId, call.call),
    parentSpanId: rootId,
    name: `tools/call ${tool}`,
    kind: CLIENT,
    ...times(sentMs, answer?.atMs ?? endMs),
    attributes: attributes({
      "mcp.method.name": "tools/call",
      "gen_ai.tool.name": tool,
      "mcpfs.server": server,
      "mcpfs.call": call.call,
      "mcpfs.effect": effect,
      "mcpfs.risk": risk,
      ...(error === undefined ? {} : { "error.type": error.code }),
    }),
    status:
      effect === "done"
        ? { code: OK }
        : { code: FAILED, message: error?.message ?? "Nobody knows whether it took effect." },
  };
}

/** Of the enumerations of OTLP. */
const INTERNAL = 1;
const CLIENT = 3;
const OK = 1;
const FAILED = 2;

function spanId(runId: string, call: number): string {
  return digestText(`span ${runId} ${call}`).slice(0, 16);
}

/** Nanoseconds as text, since 64 bits do not fit into a number of JSON. */
function times(startMs: number, endMs: number): { readonly [name: string]: string } {
  return { startTimeUnixNano: nanoseconds(startMs), endTimeUnixNano: nanoseconds(endMs) };
}

function nanoseconds(ms: number): string {
  return String(BigInt(Math.round(ms)) * 1_000_000n);
}

function attributes(values: Readonly<Record<string, string | number>>): Json {
  return Object.entries(values).map(([key, value]) => ({
    key,
    value: typeof value === "number" ? { intValue: String(value) } : { stringValue: value },
  }));
}
