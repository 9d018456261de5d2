import type { JSONRPCMessage } from "@modelcontextprotocol/client";
import { isJsonObject, type Json, parseJson } from "../kernel/json.ts";
import type { Log } from "../kernel/log.ts";
import { oneLine } from "../kernel/text.ts";
import type { ServerName } from "../model/names.ts";

/** A greeting has two or three lines; more would be a log on the wrong stream. */
const MAX_STRAY_LINES = 3;
/** A greeting is complete by then. */
const STRAY_WAIT_MS = 100;

/**
 * The messages of one line: none for a blank line or a lone byte order mark, several for a batch (revision 2025-03-26
 * allowed them), `undefined` for a line that is no message.
 */
export function parseMessages(line: string): readonly JSONRPCMessage[] | undefined {
  // A byte order mark counts as white space here and goes too.
  const text = line.trim();
  if (text === "") return [];
  if (text[0] !== "{" && text[0] !== "[") return undefined;
  let value: Json;
  try {
    value = parseJson(text);
  } catch {
    return undefined;
  }
  const messages = Array.isArray(value) ? (value as readonly Json[]) : [value];
  const areMessages = messages.every((message) => isJsonObject(message) && message.jsonrpc === "2.0");
  return areMessages ? (messages as unknown as readonly JSONRPCMessage[]) : undefined;
}

/** Collects what a server writes to stdout besides messages, and warns of it once. */
export interface StrayLines {
  readonly push: (line: string) => void;
  /** Warns now of what is there. */
  readonly flush: () => void;
}

/** Creates the collector of one server: one warning with at most three lines, however much it writes. */
export function createStrayLines(server: ServerName, log: Log): StrayLines {
  const kept: string[] = [];
  let timer: NodeJS.Timeout | undefined;
  let isDone = false;
  const flush = (): void => {
    clearTimeout(timer);
    if (isDone || kept.length === 0) return;
    isDone = true;
    const shown = kept.map((line) => JSON.stringify(oneLine(line, 100))).join(", ");
    log.warn(`Server ${server} writes to stdout what is no MCP message, which is skipped: ${shown}`);
  };
  return {
    flush,
    push: (line) => {
      if (isDone) return;
      kept.push(line);
      if (kept.length === MAX_STRAY_LINES) flush();
      else timer ??= setTimeout(flush, STRAY_WAIT_MS).unref();
    },
  };
}
