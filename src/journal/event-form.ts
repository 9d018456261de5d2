import { isJsonObject, type JsonObject } from "../kernel/json.ts";
import type { JournalEvent } from "./events.ts";

type Kind = JournalEvent["event"];
type Form = "text" | "number" | "flag" | "object" | "list" | "any";

/** The members that each event must have; others are allowed. */
const FORMS: Readonly<Record<Kind, Readonly<Record<string, Form>>>> = {
  run: {
    version: "number",
    runId: "text",
    caller: "text",
    script: "text",
    text: "text",
    args: "any",
    seed: "text",
    limits: "object",
  },
  bundled: { digest: "text", files: "list" },
  call: {
    call: "number",
    name: "text",
    server: "text",
    tool: "text",
    digest: "text",
    risk: "text",
    isRepeatable: "flag",
    arguments: "any",
  },
  refused: {
    call: "number",
    name: "text",
    server: "text",
    tool: "text",
    risk: "text",
    arguments: "any",
    error: "object",
  },
  answer: { call: "number", effect: "text" },
  asked: {
    call: "number",
    server: "text",
    tool: "text",
    digest: "text",
    arguments: "any",
    reason: "text",
    rule: "text",
  },
  decided: { call: "number", decision: "text", by: "text", scope: "text" },
  builtin: { builtin: "number", tool: "text", arguments: "any" },
  "builtin-answer": { builtin: "number", tool: "text", arguments: "any" },
  resume: { script: "text", text: "text", limits: "object" },
  end: { kind: "text", lines: "number" },
};

/** True for a value that has the members of an event; the seal says that we wrote it. */
export function isJournalEvent(value: unknown): value is JournalEvent {
  if (!isJsonObject(value) || typeof value.event !== "string" || !Object.hasOwn(FORMS, value.event))
    return false;
  if (typeof value.atMs !== "number") return false;
  return Object.entries(FORMS[value.event as Kind]).every(([name, form]) => hasForm(value, name, form));
}

function hasForm(event: JsonObject, name: string, form: Form): boolean {
  const value = Object.hasOwn(event, name) ? event[name] : undefined;
  switch (form) {
    case "text":
      return typeof value === "string";
    case "number":
      return typeof value === "number";
    case "flag":
      return typeof value === "boolean";
    case "object":
      return isJsonObject(value);
    case "list":
      return Array.isArray(value);
    case "any":
      return value !== undefined;
  }
}
