import type { JsonObject } from "../kernel/json.ts";
import type { CallProgress } from "../model/call-progress.ts";
import type { ServerName } from "../model/names.ts";

/** Reads the parameters of `notifications/progress`; what makes no sense counts as nothing. */
export function readProgress(
  server: ServerName,
  what: string,
  report: JsonObject,
  isOver: boolean,
  shown: (text: string, maxLength?: number) => string,
): CallProgress {
  const { progress, total, message } = report;
  return {
    server,
    what: shown(what, 80),
    done: typeof progress === "number" ? progress : 0,
    total: typeof total === "number" ? total : undefined,
    message: typeof message === "string" ? shown(message, 200) : "",
    isOver,
  };
}
