import { stat } from "node:fs/promises";
import { join } from "node:path";
import { excerptOf } from "../engine/excerpt.ts";
import type { Host } from "../engine/host.ts";
import { describeCalls } from "../engine/report.ts";
import { McpfsError } from "../kernel/errors.ts";
import type { Json, JsonObject } from "../kernel/json.ts";
import type { ScriptSource } from "../model/bundle.ts";
import type { CallOutcome } from "../model/call.ts";
import { type CallEffect, LIMIT_TABLE, type Limits, type RunReport } from "../model/run.ts";
import { errorText, valueText } from "./answers.ts";
import type { KeptAnswers } from "./kept-answers.ts";
import {
  ACTS,
  ANYTHING,
  FLAG,
  KEEPS,
  listOf,
  type MetaAnswer,
  type MetaTool,
  oneOf,
  said,
  shape,
  TEXT,
  WHOLE,
} from "./meta-tool.ts";
import { resourceLink } from "./resources.ts";
import type { TreeFiles } from "./tree-files.ts";

export const CALL_TOOL = "call_tool";

/** `call_tool`: one call by a tool's exact name, the same route for all tools of all servers. */
export function callTool(host: Host, kept: KeptAnswers): MetaTool {
  return {
    definition: {
      name: CALL_TOOL,
      title: "Call a tool",
      description:
        "Calls one tool by its exact name. For several calls, or to filter what they answer, use run_script.",
      inputSchema: shape({ name: TEXT, "args?": said({ type: "object" }, "The tool's arguments") }),
      outputSchema: shape({ value: ANYTHING, warnings: listOf(TEXT) }),
      annotations: ACTS,
    },
    run: async (args, { client, side, signal }) => {
      const { name, args: given = {} } = args as { name: string; args?: JsonObject };
      const leave = await client.enter(signal);
      try {
        const { limits } = client;
        return await callAnswer(await host.call(name, given, { limits, side, signal }), kept, client);
      } finally {
        leave();
      }
    },
  };
}

async function callAnswer(
  outcome: CallOutcome,
  kept: KeptAnswers,
  client: Parameters<KeptAnswers["fit"]>[1],
): Promise<MetaAnswer> {
  if (outcome.kind === "error") {
    const { error } = outcome;
    return { text: errorText(error), value: {}, isError: true };
  }
  const { value = null, content, warnings } = outcome;
  const media = content.filter(isMedia);
  const fitting = await kept.fit(media.length > 0 ? textsOf(content) : valueText(value), client);
  const notes = warnings.map((warning) => `warning: ${warning}`);
  return {
    text: [fitting.text, ...notes].filter((part) => part !== "").join("\n"),
    value: { value: fitting.isCut ? fitting.text : value, warnings },
    blocks: [...media, ...fitting.links],
  };
}

/** A block that is no text: an image, audio, a link, an embedded resource. */
function isMedia(block: Json): block is JsonObject {
  return (block as JsonObject | null)?.type !== "text";
}

function textsOf(content: readonly Json[]): string {
  return content
    .filter((block) => !isMedia(block))
    .map((block) => String((block as JsonObject | null)?.text ?? ""))
    .join("\n");
}

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
      outputSchema: shape({
        runId: TEXT,
        kind: oneOf("ok", "failed", "stopped", "suspended"),
        value: ANYTHING,
        output: listOf(TEXT),
        calls: shape({ total: WHOLE, ok: WHOLE, failed: WHOLE, unknown: WHOLE }),
        effects: listOf(shape({ call: WHOLE, server: TEXT, tool: TEXT, status: TEXT, retry: TEXT })),
        warnings: listOf(TEXT),
      }),
      annotations: ACTS,
    },
    run: async (args, { client, side, signal }) => {
      const source = await sourceOf(args, files, client);
      const { args: given = null, timeoutMs } = args as { args?: Json; timeoutMs?: number };
      const leave = await client.enter(signal);
      try {
        const limits = withTimeout(client.limits, timeoutMs);
        const report = await host.run(source, { args: given, limits, side, signal });
        client.addRun(report.runId);
        return await runAnswer(host, report, source);
      } finally {
        leave();
      }
    },
  };
}

/** A client may ask for less time than it was given, and for more only where the config sets it no bound. */
function withTimeout(limits: Partial<Limits>, timeoutMs: number | undefined): Partial<Limits> {
  if (timeoutMs === undefined) return limits;
  return { ...limits, wallMs: Math.min(timeoutMs, limits.wallMs ?? timeoutMs) };
}

/** @throws McpfsError ARGUMENTS_INVALID unless there is one script */
async function sourceOf(
  args: JsonObject,
  files: TreeFiles,
  client: Parameters<TreeFiles["read"]>[1],
): Promise<ScriptSource> {
  const { code, path } = args as { code?: string; path?: string };
  if ((code === undefined) === (path === undefined))
    throw new McpfsError("ARGUMENTS_INVALID", "Give the script as code or as path, one of the two.", {
      hint: 'For example {"code": "export default 6 * 7"}.',
    });
  if (path === undefined) return { path: undefined, name: "script.ts", text: code ?? "" };
  const file = await files.read(path, client);
  if (file.text === undefined)
    throw new McpfsError("ARGUMENTS_INVALID", `${file.path} is not a text file.`, {
      hint: "A script is TypeScript or JavaScript in UTF-8.",
    });
  return { path: file.absolute, name: file.path, text: file.text };
}

async function runAnswer(host: Host, report: RunReport, source: ScriptSource): Promise<MetaAnswer> {
  const { runId, kind, value, output, calls, effects, warnings, error } = report;
  const unclear = effects.filter(({ status }) => status !== "done");
  const parts = [
    ...output,
    ...(error === null ? [] : [runErrorText(report, source)]),
    ...(error === null && value !== undefined ? [valueText(value)] : []),
    ...warnings.map((warning) => `warning: ${warning}`),
    ...unclear.map(effectText),
    ...(calls.total === 0 ? [] : [`(${describeCalls(calls)})`]),
  ];
  return {
    text: parts.join("\n") || "(done, no value)",
    value: {
      runId,
      kind,
      value: value ?? null,
      output,
      calls: { ...calls },
      effects: effects.map((effect) => ({ ...effect })),
      warnings,
    },
    isError: kind === "failed" || kind === "stopped",
    blocks: await keptFiles(host.root, runId),
  };
}

function runErrorText({ error }: RunReport, source: ScriptSource): string {
  if (error === null) return "";
  const place = error.file === null || error.line === null ? "" : `\n  at ${error.file}:${error.line}`;
  const excerpt = place === "" ? undefined : excerptOf(source, error);
  const shown = excerpt === undefined ? "" : `\n${excerpt}`;
  return `error ${error.code}: ${error.message}${place}${shown}${error.hint === "" ? "" : `\nhint: ${error.hint}`}`;
}

const OUTCOMES: Readonly<Record<CallEffect["status"], string>> = {
  done: "took effect",
  failed: "failed",
  unknown: "nobody knows whether it took effect",
  "never-sent": "was not sent",
};

function effectText({ call, server, tool, status, retry }: CallEffect): string {
  const again =
    retry === "safe" ? "; may be repeated" : retry === "unsafe" ? "; look before you repeat it" : "";
  return `call ${call} ${server}/${tool}: ${OUTCOMES[status]}${again}`;
}

/** Links to what a run kept because it was too much to show. */
async function keptFiles(root: string, runId: string): Promise<readonly JsonObject[]> {
  const links: JsonObject[] = [];
  for (const [name, what] of KEPT) {
    const path = `.mcpfs/runs/${runId}/${name}`;
    if (await stat(join(root, path)).catch(() => undefined)) links.push(resourceLink(path, what));
  }
  return links;
}

const KEPT: readonly (readonly [name: string, what: string])[] = [
  ["output.txt", "The whole console output of the run."],
  ["value.json", "The whole value of the run."],
];

/** `save_skill`: keeps a script as a function. */
export function saveSkill(host: Host, files: TreeFiles, onChanged: () => Promise<void>): MetaTool {
  return {
    definition: {
      name: "save_skill",
      title: "Save a skill",
      description:
        "Keeps a script that works as a function, for any later script: import … from './skills/<name>'.",
      inputSchema: shape({
        name: said(TEXT, "weekly-report"),
        description: said(TEXT, "What it does and when to use it"),
        "code?": TEXT,
        "path?": said(TEXT, "Instead of code"),
        "overwrite?": FLAG,
      }),
      outputSchema: shape({ name: TEXT, path: TEXT, changed: FLAG }),
      annotations: KEEPS,
    },
    run: async (args, { client }) => {
      const source = await sourceOf(args, files, client);
      const {
        name,
        description,
        overwrite = false,
      } = args as {
        name: string;
        description: string;
        overwrite?: boolean;
      };
      const saved = await host.saveSkill({ name, description, source, isOverwrite: overwrite });
      await onChanged();
      return {
        text: `${saved.changed ? "Saved" : "Kept"} ${saved.path}; import it from "./${saved.path}".`,
        value: { ...saved },
      };
    },
  };
}
