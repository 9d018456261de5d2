import { visibleText } from "./text.ts";

/** Where messages for a person go; never stdout, which belongs to a command's answer. */
export interface Log {
  readonly debug: (message: string) => void;
  readonly info: (message: string) => void;
  readonly warn: (message: string) => void;
}

/** Keeps secrets out of every text that leaves the host. */
export interface Redactor {
  /** Adds values that must never be shown; texts shorter than six characters are too common to hide. */
  readonly add: (secrets: Iterable<string>) => void;
  readonly redact: (text: string) => string;
}

/** Shorter values (`1`, `true`, `dev`) stand in ordinary text, and hiding them would only garble it. */
const MIN_SECRET_LENGTH = 6;

/** Creates a redactor that replaces each known secret by `[hidden]`, longest first. */
export function createRedactor(): Redactor {
  let secrets: string[] = [];
  return {
    add: (values) => {
      const known = new Set(secrets);
      for (const value of values) if (value.length >= MIN_SECRET_LENGTH) known.add(value);
      secrets = [...known].sort((a, b) => b.length - a.length);
    },
    redact: (text) => secrets.reduce((shown, secret) => shown.replaceAll(secret, "[hidden]"), text),
  };
}

/** Creates a log that writes redacted, visible lines to `write` (stderr). `level` is the least level shown. */
export function createLog(options: {
  readonly write: (line: string) => void;
  readonly redactor: Redactor;
  readonly level: "debug" | "info" | "warn";
}): Log {
  const order = ["debug", "info", "warn"];
  const writer =
    (level: "debug" | "info" | "warn"): ((message: string) => void) =>
    (message) => {
      if (order.indexOf(level) < order.indexOf(options.level)) return;
      const prefix = level === "info" ? "" : `${level === "warn" ? "warning" : level}: `;
      options.write(`${prefix}${visibleText(options.redactor.redact(message))}\n`);
    };
  return { debug: writer("debug"), info: writer("info"), warn: writer("warn") };
}

/** A log that says nothing. */
export const silentLog: Log = { debug: () => {}, info: () => {}, warn: () => {} };
