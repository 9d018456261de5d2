import type { Host } from "../engine/host.ts";
import { McpfsError } from "../kernel/errors.ts";
import type { Json } from "../kernel/json.ts";
import { approveRun } from "../kernel/next-steps.ts";
import { oneLine } from "../kernel/text.ts";
import { LIMIT_TABLE, type Limits } from "../model/run.ts";
import type { Client } from "./clients.ts";
import { ACTS, ANYTHING, listOf, type MetaTool, oneOf, said, shape, TEXT, WHOLE } from "./meta-tool.ts";
import { runAnswer } from "./run-answer.ts";
import { scriptOf } from "./script-of.ts";
import type { TreeFiles } from "./tree-files.ts";

const RUN_SCHEMA = shape({
  runId: TEXT,
  kind: oneOf("ok", "failed", "stopped", "suspended"),
  value: ANYTHING,
  output: listOf(TEXT),
  calls: shape({ total: WHOLE, ok: WHOLE, failed: WHOLE, unknown: WHOLE }),
  effects: listOf(shape({ call: WHOLE, server: TEXT, tool: TEXT, status: TEXT, retry: TEXT, risk: TEXT })),
  waiting: listOf(shape({ call: WHOLE, server: TEXT, tool: TEXT, arguments: ANYTHING, reason: TEXT })),
  warnings: listOf(TEXT),
});

/** `run_script`: a script in the sandbox. */
export function runScript(host: Host, files: TreeFiles): MetaTool {
  return {
    definition: {
      name: "run_script",
      title: "Run a script",
      description:
        "Runs TypeScript in a sandbox in which the tools are functions: import * as crm from './servers/crm'; await crm.query({…}). Many calls, loops, joins and filters in one go. The answer is the console's lines and what is returned; keep it small.",
      inputSchema: shape({
        "code?": said(TEXT, "A module: export default, or a top-level return, is its value"),
        "path?": said(TEXT, "Instead: a script below skills/ or workspace/"),
        "args?": said(ANYTHING, "The script's global args"),
        "timeoutMs?": { type: "integer", minimum: 1, maximum: LIMIT_TABLE.wallMs.max },
      }),
      outputSchema: RUN_SCHEMA,
      annotations: ACTS,
    },
    run: async (args, { client, side, signal }) => {
      const source = await scriptOf(args, files, client);
      const { args: given = null, timeoutMs } = args as { args?: Json; timeoutMs?: number };
      const leave = await client.enter(signal);
      try {
        const limits = withTimeout(client.limits, host.config().ownLimits, timeoutMs);
        const report = await host.run(source, { args: given, limits, side, signal, caller: client.caller });
        client.addRun(report.runId);
        return await runAnswer(host.root, report, source);
      } finally {
        leave();
      }
    },
  };
}

/** A client may ask for less time than it was given, and for more only where the config sets neither it nor the workspace a bound. */
function withTimeout(
  limits: Partial<Limits>,
  ofWorkspace: Partial<Limits>,
  timeoutMs: number | undefined,
): Partial<Limits> {
  if (timeoutMs === undefined) return limits;
  return { ...limits, wallMs: Math.min(timeoutMs, limits.wallMs ?? ofWorkspace.wallMs ?? timeoutMs) };
}

/** `resume_run`: goes on with a run where it stopped; nothing that it did is done twice. */
export function resumeRun(host: Host, files: TreeFiles): MetaTool {
  return {
    definition: {
      name: "resume_run",
      title: "Resume a run",
      description:
        "Goes on with a run that waits for an approval, was stopped, or failed (with mended code). What it did is not done again.",
      inputSchema: shape({
        id: said(TEXT, "Of the run"),
        "decision?": said(oneOf("approve", "deny"), "On the calls that wait; without it a person's counts"),
        "code?": said(TEXT, "The script, mended"),
        "path?": TEXT,
      }),
      outputSchema: RUN_SCHEMA,
      annotations: ACTS,
    },
    run: async (args, { client, side, signal }) => {
      const { id, decision } = args as { id: string; decision?: "approve" | "deny" };
      const source = "code" in args || "path" in args ? await scriptOf(args, files, client) : undefined;
      if (!(await isOwn(host, client, id))) throw unknownRun(id);
      if (decision === "approve" && host.config().serve.approvals !== "client") throw notForClients(id);
      if (decision !== undefined) {
        const word = decision === "approve" ? "approved" : "denied";
        await host.decideWaiting(id, { decision: word, scope: "call" });
      }
      const leave = await client.enter(signal);
      try {
        const report = await host.resume(id, source, { limits: client.limits, side, signal });
        return await runAnswer(host.root, report, source);
      } finally {
        leave();
      }
    },
  };
}

/** Its own, also those that it began before this program did: a run of somebody else may do what policy keeps from this client. */
async function isOwn(host: Host, client: Client, runId: string): Promise<boolean> {
  const told = await (await host.runs()).read(runId).catch(() => undefined);
  if (told?.past.run.caller !== client.caller) return false;
  client.addRun(runId);
  return true;
}

function unknownRun(id: string): McpfsError {
  return new McpfsError("USAGE", `There is no run ${JSON.stringify(oneLine(id, 60))} of this client.`, {
    hint: "The answer of run_script names the run.",
  });
}

function notForClients(id: string): McpfsError {
  return new McpfsError("POLICY_DENIED", "A person has to approve these calls.", {
    hint: approveRun(oneLine(id, 60), 2).client,
  });
}
