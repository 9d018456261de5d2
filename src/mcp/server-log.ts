import { type Json, own, valueText } from "../kernel/json.ts";
import type { Log } from "../kernel/log.ts";
import type { ServerName } from "../model/names.ts";

/** A server that says more than that in ten seconds is not read by anybody. */
const MAX_LINES = 40;
const WINDOW_MS = 10_000;
const MAX_LINE_LENGTH = 1_000;

/**
 * Creates the reader of a server's `notifications/message`: each becomes a line of our log, by level, with the server's name,
 * redacted and visible. A flood is cut, and the next window says by how much.
 */
export function createServerLog(
  server: ServerName,
  log: Log,
  shown: (text: string, maxLength?: number) => string,
): (params: Json | undefined) => void {
  let windowStartMs = 0;
  let lines = 0;
  return (params) => {
    const nowMs = Date.now();
    if (nowMs - windowStartMs > WINDOW_MS) {
      if (lines > MAX_LINES) log.info(`[${server}] ${lines - MAX_LINES} more messages were left out.`);
      windowStartMs = nowMs;
      lines = 0;
    }
    lines += 1;
    if (lines > MAX_LINES) return;
    const data = own(params, "data");
    const logger = own(params, "logger");
    const name = typeof logger === "string" && logger !== "" ? `${server}/${shown(logger, 40)}` : server;
    const text = valueText(data ?? null);
    log[levelOf(own(params, "level"))](`[${name}] ${shown(text, MAX_LINE_LENGTH)}`);
  };
}

/** The eight levels of syslog on our three. */
function levelOf(level: Json | undefined): keyof Log {
  if (level === "debug") return "debug";
  return level === "info" || level === "notice" ? "info" : "warn";
}
