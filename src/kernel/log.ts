import { isJsonObject, type Json, stringifyJson } from "./json.ts";
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
  /**
   * The same for every text, key and number of a value. JSON text is never redacted as text: a secret of digits stands in it
   * without quotes, and one with a quote or a backslash is spelled otherwise there.
   */
  readonly redactJson: (value: Json) => Json;
  /** The same for texts and keys alone: the value keeps its shape. */
  readonly redactTexts: (value: Json) => Json;
  /** What {@link Redactor.redactJson} makes of a value, as JSON text; `isHidden` where that is not the text of the value itself. */
  readonly printJson: (value: Json) => { readonly text: string; readonly isHidden: boolean };
}

/** Shorter values (`1`, `true`, `dev`) stand in ordinary text, and hiding them would only garble it. */
const MIN_SECRET_LENGTH = 6;

/** What stands in the place of a secret. */
export const HIDDEN = "[hidden]";

/** Creates a redactor that replaces each known secret by `[hidden]`, longest first. */
export function createRedactor(): Redactor {
  let secrets: string[] = [];
  let traces: readonly string[] = [];
  const redact = (text: string): string =>
    hideCutSecrets(
      secrets.reduce((shown, secret) => shown.replaceAll(secret, HIDDEN), text),
      secrets,
    );
  const isSecret = (value: number | bigint): boolean => secrets.includes(stringifyJson(value));
  /** A value whose text has no trace of a secret is shown as it is: looking through the text takes a tenth of walking the value. */
  const isClean = (text: string): boolean => !traces.some((trace) => text.includes(trace));
  const walk = (value: Json, number: (value: number | bigint) => Json): Json => {
    if (typeof value === "string") return redact(value);
    if (typeof value === "number" || typeof value === "bigint") return number(value);
    if (Array.isArray(value)) return (value as readonly Json[]).map((item) => walk(item, number));
    if (!isJsonObject(value)) return value;
    // Not an assignment: a key `__proto__` has to stay a key.
    return Object.fromEntries(
      Object.entries(value).map(([key, item]) => [
        redact(key),
        item === undefined ? item : walk(item, number),
      ]),
    );
  };
  const isShown = (value: Json): boolean => traces.length === 0 || isClean(stringifyJson(value));
  const hide = (value: Json): Json => walk(value, (item) => (isSecret(item) ? HIDDEN : item));
  return {
    add: (values) => {
      const known = new Set(secrets);
      for (const value of values) if (value.length >= MIN_SECRET_LENGTH) known.add(value);
      secrets = [...known].sort((a, b) => b.length - a.length);
      traces = tracesOf(secrets);
    },
    redact,
    redactJson: (value) => (isShown(value) ? value : hide(value)),
    redactTexts: (value) => (isShown(value) ? value : walk(value, (item) => item)),
    printJson: (value) => {
      const text = stringifyJson(value);
      if (isClean(text)) return { text, isHidden: false };
      const shown = stringifyJson(hide(value));
      return { text: shown, isHidden: shown !== text };
    },
  };
}

/**
 * Texts of which one stands in the JSON text of every value that holds a secret, or the beginning of one in front of a cut. Half of a
 * surrogate pair is spelled otherwise there than the pair, so of a secret that begins or ends with one all values are walked.
 */
function tracesOf(secrets: readonly string[]): readonly string[] {
  if (secrets.length === 0) return [];
  return [
    "…",
    ...secrets.map((secret) => (/\p{Surrogate}/u.test(secret) ? "" : JSON.stringify(secret).slice(1, -1))),
  ];
}

/** A message may have been cut inside a secret, `token: ghp_abc…`: its beginning is hidden too. */
function hideCutSecrets(text: string, secrets: readonly string[]): string {
  if (!text.includes("…")) return text;
  const parts = text.split("…");
  return parts
    .map((part, index) => (index === parts.length - 1 ? part : hideLastBeginning(part, secrets)))
    .join("…");
}

function hideLastBeginning(text: string, secrets: readonly string[]): string {
  for (const secret of secrets) {
    for (let length = secret.length - 1; length >= MIN_CUT_LENGTH; length -= 1) {
      if (text.endsWith(secret.slice(0, length))) return text.slice(0, -length) + HIDDEN;
    }
  }
  return text;
}

/** Three characters in front of a cut say nothing. */
const MIN_CUT_LENGTH = 4;

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
