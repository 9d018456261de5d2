import { McpfsError } from "../kernel/errors.ts";
import { MAX_DURATION_MS } from "../model/run.ts";

/** A duration as text, as a pattern for the JSON Schema too. */
export const DURATION_PATTERN: RegExp = /^(none|(?=.*[1-9])\d+(\.\d+)? ?(ms|s|m|h|d))$/;

/** A size as text, as a pattern for the JSON Schema too. Units are of 1,024, whichever way they are written. */
export const SIZE_PATTERN: RegExp = /^(?=.*[1-9])\d+(\.\d+)? ?([kKmMgG][iI]?)?[bB]$/;

/** What a duration may look like, for messages. */
export const DURATION_FORM: string = "a duration such as 500ms, 60s, 5m, 1h or none";

/** What a size may look like, for messages. */
export const SIZE_FORM: string = "a size such as 512kb, 256mb or 1gb";

/**
 * Milliseconds of `60s`, `5m`, `500ms`, `1h`, `1d`, `none`, or of a number that is milliseconds already. Whole,
 * at least 1, at most {@link MAX_DURATION_MS}. Text without a unit is refused: `60` may mean either.
 * @param label what is parsed, for the message: `--timeout`
 * @throws McpfsError USAGE
 */
export function parseDuration(value: string | number, label = "The duration"): number {
  const ms = readDuration(value);
  if (ms !== undefined) return ms;
  throw new McpfsError("USAGE", `${label} must be ${DURATION_FORM}, not ${JSON.stringify(value)}.`, {
    hint: "Write the unit: 60s, 5m or 500ms.",
  });
}

/**
 * Bytes of `256mb`, `64kb`, `1gb`, or of a number that is bytes already. Whole and at least 1.
 * @param label what is parsed, for the message: `--memory`
 * @throws McpfsError USAGE
 */
export function parseSize(value: string | number, label = "The size"): number {
  const bytes = readSize(value);
  if (bytes !== undefined) return bytes;
  throw new McpfsError("USAGE", `${label} must be ${SIZE_FORM}, not ${JSON.stringify(value)}.`, {
    hint: "Write the unit: 64kb, 256mb or 1gb.",
  });
}

/** Like {@link parseDuration}, but `undefined` for what is not one. */
export function readDuration(value: unknown): number | undefined {
  if (value === "none") return MAX_DURATION_MS;
  if (typeof value === "number") return atLeastOne(Math.min(value, MAX_DURATION_MS));
  if (typeof value !== "string" || !DURATION_PATTERN.test(value)) return undefined;
  const unit = /[a-z]+$/.exec(value)?.[0] ?? "";
  return atLeastOne(Math.min(Number.parseFloat(value) * (UNIT_MS.get(unit) ?? Number.NaN), MAX_DURATION_MS));
}

/** Like {@link parseSize}, but `undefined` for what is not one. */
export function readSize(value: unknown): number | undefined {
  if (typeof value === "number") return atLeastOne(value);
  if (typeof value !== "string" || !SIZE_PATTERN.test(value)) return undefined;
  const unit = /[kmg]/.exec(value.toLowerCase())?.[0] ?? "";
  return atLeastOne(Number.parseFloat(value) * (UNIT_BYTES.get(unit) ?? Number.NaN));
}

const UNIT_MS: ReadonlyMap<string, number> = new Map([
  ["ms", 1],
  ["s", 1_000],
  ["m", 60_000],
  ["h", 3_600_000],
  ["d", 86_400_000],
]);

const UNIT_BYTES: ReadonlyMap<string, number> = new Map([
  ["", 1],
  ["k", 1024],
  ["m", 1024 ** 2],
  ["g", 1024 ** 3],
]);

/** A limit of nothing would stop everything at once and is a slip, never a wish. */
function atLeastOne(amount: number): number | undefined {
  const whole = Math.ceil(amount);
  return Number.isSafeInteger(whole) && whole >= 1 ? whole : undefined;
}
