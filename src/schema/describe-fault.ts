import type { ErrorObject } from "ajv";
import { isJsonObject, type Json, own } from "../kernel/json.ts";
import { nearestOf } from "../kernel/nearest.ts";
import { oneLine } from "../kernel/text.ts";

/** One sentence about what a value breaks: the path, what was expected, what stands there. Made for a model to act on. */
export function describeFault(error: ErrorObject, value: Json): string {
  const path = readablePath(error.instancePath);
  const parameters = error.params as Readonly<Record<string, unknown>>;
  switch (error.keyword) {
    case "required": {
      const key = String(parameters.missingProperty);
      const near = nearestOf(key, strangeKeys(error, value), 1)[0];
      return `${join(path, key)} is required${near === undefined ? "." : `; is ${join(path, near)} meant for it?`}`;
    }
    case "additionalProperties":
    case "unevaluatedProperties": {
      const key = String(parameters.additionalProperty ?? parameters.unevaluatedProperty);
      return `${join(path, key)} is not known${insteadOf(key, knownKeys(error))}`;
    }
    case "enum": {
      const values = parameters.allowedValues as readonly unknown[];
      const allowed = oneLine(
        values
          .slice(0, 20)
          .map((item) => JSON.stringify(item))
          .join(", "),
        300,
      );
      const given = valueAt(value, error.instancePath);
      const texts = values.filter((item) => typeof item === "string");
      const near = typeof given === "string" ? nearestOf(given, texts, 1)[0] : undefined;
      const end = near === undefined ? "." : `; did you mean ${oneLine(JSON.stringify(near), 60)}?`;
      return `${path} must be one of ${allowed}, got ${got(value, error.instancePath)}${end}`;
    }
    case "const":
      return `${path} must be ${oneLine(JSON.stringify(parameters.allowedValue) ?? "", 100)}, got ${got(value, error.instancePath)}.`;
    case "type":
      return `${path} must be ${[parameters.type].flat().join(" or ")}, got ${got(value, error.instancePath)}.`;
    default:
      return `${path} ${oneLine(error.message ?? "does not fit", 160)}, got ${got(value, error.instancePath)}.`;
  }
}

/** What to write in place of a key that is not known; ends the sentence. */
function insteadOf(key: string, known: readonly string[]): string {
  const near = nearestOf(key, known, 1)[0];
  if (near !== undefined) return `; did you mean ${oneLine(near, 60)}?`;
  return known.length === 0 ? "." : `; known are ${oneLine(known.slice(0, 12).join(", "), 300)}.`;
}

function knownKeys({ parentSchema }: ErrorObject): readonly string[] {
  return isJsonObject(parentSchema) ? Object.keys(own(parentSchema, "properties") ?? {}) : [];
}

/** Shorter names are all alike. */
const MIN_NAME = 3;
/** Whoever sends more keys has misspelled none of them. */
const MAX_STRANGE = 1_000;

/** Keys of the object that its schema does not name: one of them may be a misspelled one. */
function strangeKeys(error: ErrorObject, value: Json): readonly string[] {
  const object = valueAt(value, error.instancePath);
  const known = knownKeys(error);
  return isJsonObject(object)
    ? Object.keys(object)
        .slice(0, MAX_STRANGE)
        .filter((key) => key.length >= MIN_NAME && !known.includes(key))
    : [];
}

/** `/rows/3/Email` → `rows[3].Email`; the whole value is `The value`. */
function readablePath(pointer: string): string {
  const steps = pointer
    .split("/")
    .slice(1)
    .map((step) => step.replaceAll("~1", "/").replaceAll("~0", "~"));
  if (steps.length === 0) return "The value";
  return oneLine(
    steps.reduce((path, step) => (/^\d+$/.test(step) ? `${path}[${step}]` : join(path, step)), ""),
    200,
  );
}

function join(path: string, key: string): string {
  const step = /^[\p{L}\p{N}_$-]+$/u.test(key) ? key : JSON.stringify(key);
  return path === "" || path === "The value" ? step : `${path}.${step}`;
}

/** The offending value in a few characters; long or nested ones by their kind. */
function got(value: Json, pointer: string): string {
  const item = valueAt(value, pointer);
  if (Array.isArray(item)) return "an array";
  if (isJsonObject(item)) return "an object";
  return typeof item === "string" ? oneLine(JSON.stringify(item), 60) : String(item);
}

function valueAt(value: Json, pointer: string): Json | undefined {
  let item: Json | undefined = value;
  for (const step of pointer.split("/").slice(1)) {
    const key = step.replaceAll("~1", "/").replaceAll("~0", "~");
    item = Array.isArray(item) ? item[Number(key)] : own(item, key);
  }
  return item;
}
