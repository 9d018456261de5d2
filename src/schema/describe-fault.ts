import type { ErrorObject } from "ajv";
import { isJsonObject, type Json, own } from "../kernel/json.ts";
import { nearestOf } from "../kernel/nearest.ts";
import { oneLine } from "../kernel/text.ts";

/** One sentence about what a value breaks: the path, what was expected, what stands there. Made for a model to act on. */
export function describeFault(error: ErrorObject, value: Json): string {
  const path = readablePath(error.instancePath);
  const parameters = error.params as Readonly<Record<string, unknown>>;
  switch (error.keyword) {
    case "required":
      return `${join(path, String(parameters.missingProperty))} is required.`;
    case "additionalProperties":
    case "unevaluatedProperties": {
      const key = String(parameters.additionalProperty ?? parameters.unevaluatedProperty);
      const known = isJsonObject(error.parentSchema)
        ? Object.keys(own(error.parentSchema, "properties") ?? {})
        : [];
      const near = nearestOf(key, known, 1)[0];
      return `${join(path, key)} is not known${near === undefined ? (known.length > 0 ? `; known are ${known.slice(0, 12).join(", ")}` : "") : `; did you mean ${near}?`}.`.replace(
        "?.",
        "?",
      );
    }
    case "enum": {
      const allowed = (parameters.allowedValues as readonly unknown[]).map((item) => JSON.stringify(item));
      return `${path} must be one of ${oneLine(allowed.slice(0, 20).join(", "), 300)}, got ${got(value, error.instancePath)}.`;
    }
    case "const":
      return `${path} must be ${oneLine(JSON.stringify(parameters.allowedValue) ?? "", 100)}, got ${got(value, error.instancePath)}.`;
    case "type":
      return `${path} must be ${[parameters.type].flat().join(" or ")}, got ${got(value, error.instancePath)}.`;
    default:
      return `${path} ${oneLine(error.message ?? "does not fit", 160)}, got ${got(value, error.instancePath)}.`;
  }
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
  let item: Json | undefined = value;
  for (const step of pointer.split("/").slice(1)) {
    const key = step.replaceAll("~1", "/").replaceAll("~0", "~");
    item = Array.isArray(item) ? item[Number(key)] : own(item, key);
  }
  if (Array.isArray(item)) return "an array";
  if (isJsonObject(item)) return "an object";
  return typeof item === "string" ? oneLine(JSON.stringify(item), 60) : String(item);
}
