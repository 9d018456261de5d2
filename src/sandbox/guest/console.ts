import { sendLog } from "./bridge.ts";
import { elapsedMs } from "./clock.ts";
import { formatTable } from "./console-table.ts";
import { inspect, UNREADABLE } from "./inspect.ts";
import { defineGlobal, defineMember, NativeString } from "./primordials.ts";
import { callerStack } from "./stack.ts";

type Level = "debug" | "log" | "info" | "warn" | "error";

/** The parameters of a console call as one text. It never throws, whatever a script did to the language. */
function formatLine(values: readonly unknown[]): string {
  try {
    return format(values);
  } catch {
    let text = "";
    for (let index = 0; index < values.length; index += 1)
      text += (index === 0 ? "" : " ") + plainText(values[index]);
    return text;
  }
}

function plainText(value: unknown): string {
  const isPlain = (typeof value !== "object" || value === null) && typeof value !== "function";
  return isPlain ? NativeString(value) : UNREADABLE;
}

/** `%s`-style places first, the rest separated by spaces. */
function format(values: readonly unknown[]): string {
  const [first, ...rest] = values;
  if (typeof first !== "string") return values.map(shown).join(" ");
  if (rest.length === 0) return first;
  let used = 0;
  const text = first.replace(/%([sdifjoOc%])/g, (place, kind: string) => {
    if (kind === "%") return "%";
    if (used >= rest.length) return place;
    used += 1;
    return placed(kind, rest[used - 1]);
  });
  return [text, ...rest.slice(used).map(shown)].join(" ");
}

function shown(value: unknown): string {
  return typeof value === "string" ? value : inspect(value);
}

function placed(kind: string, value: unknown): string {
  if (kind === "c") return "";
  if (kind === "j") return String(JSON.stringify(value));
  if (kind === "o" || kind === "O") return inspect(value, { depth: 4 });
  if (kind === "s") {
    if (typeof value === "object" && value !== null) return inspect(value, { depth: 0 });
    return typeof value === "bigint" ? `${value}n` : String(value);
  }
  if (typeof value === "bigint") return `${value}n`;
  if (typeof value === "symbol" || typeof value === "object") return "NaN";
  if (kind === "i") return String(Number.parseInt(String(value), 10));
  return String(kind === "f" ? Number.parseFloat(String(value)) : Number(value));
}

export function installConsole(): void {
  let indentation = "";
  const counts = new Map<string, number>();
  const starts = new Map<string, number>();
  const write = (level: Level, text: string): void => {
    sendLog(level, indentation === "" ? text : indentation + text.replaceAll("\n", `\n${indentation}`));
  };
  const writer =
    (level: Level) =>
    (...values: unknown[]): void =>
      write(level, formatLine(values));
  const sinceStart = (label: string): string => {
    const start = starts.get(label);
    return start === undefined ? `Timer '${label}' does not exist` : `${label}: ${elapsedMs() - start}ms`;
  };
  const group = (...values: unknown[]): void => {
    if (values.length > 0) write("log", formatLine(values));
    indentation += "  ";
  };
  const methods = {
    debug: writer("debug"),
    log: writer("log"),
    info: writer("info"),
    warn: writer("warn"),
    error: writer("error"),
    trace: (...values: unknown[]) => write("error", `Trace: ${formatLine(values)}\n${callerStack()}`),
    dir: (value: unknown, options?: { readonly depth?: number | null }) =>
      write("log", inspect(value, { depth: options?.depth === null ? Infinity : (options?.depth ?? 2) })),
    table: (rows: unknown, columns?: readonly string[]) => write("log", formatTable(rows, columns)),
    assert: (condition?: unknown, ...values: unknown[]) => {
      if (condition) return;
      write("error", values.length === 0 ? "Assertion failed" : `Assertion failed: ${formatLine(values)}`);
    },
    count: (label: unknown = "default") => {
      const name = String(label);
      const next = (counts.get(name) ?? 0) + 1;
      counts.set(name, next);
      write("log", `${name}: ${next}`);
    },
    countReset: (label: unknown = "default") => void counts.delete(String(label)),
    time: (label: unknown = "default") => void starts.set(String(label), elapsedMs()),
    timeLog: (label: unknown = "default", ...values: unknown[]) =>
      write("log", [sinceStart(String(label)), ...values.map(shown)].join(" ")),
    timeEnd: (label: unknown = "default") => {
      write("log", sinceStart(String(label)));
      starts.delete(String(label));
    },
    group,
    groupCollapsed: group,
    groupEnd: () => {
      indentation = indentation.slice(2);
    },
  };
  for (const [name, method] of Object.entries(methods)) defineMember(method, "name", name, false);
  defineGlobal("console", methods);
}
