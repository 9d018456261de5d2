import type { z } from "zod";
import type { Json } from "../kernel/json.ts";
import { isJsonObject } from "../kernel/json.ts";
import { oneLine } from "../kernel/text.ts";
import type { JsonPath } from "./json-text.ts";

/** What an issue of the schema says: the place, and "must be a list of texts, not a number." */
export function expectation(
  issue: z.core.$ZodIssue,
  value: Json,
): { readonly path: JsonPath; readonly sentence: string } {
  const { path, message, isChoice } = deepest(issue);
  const found = valueAt(value, path);
  // Only where a choice of words is expected, the wrong word is shown; any other text may be a key.
  const got = isChoice && typeof found === "string" ? JSON.stringify(oneLine(found, 40)) : kindOf(found);
  return { path, sentence: `must be ${message}, not ${got}.` };
}

interface Found {
  readonly path: JsonPath;
  readonly message: string;
  readonly isChoice: boolean;
}

/** Of the branches of a union the one that got furthest into the value is the one that was meant. */
function deepest(issue: z.core.$ZodIssue): Found {
  const path = issue.path.map((part) => (typeof part === "number" ? part : String(part)));
  const best: Found = { path, message: issue.message, isChoice: issue.code === "invalid_value" };
  if (issue.code !== "invalid_union") return best;
  const inner = issue.errors.flatMap((branch) => branch.map((item) => deepest(item)));
  const deeper = inner
    .filter((item) => item.path.length > 0)
    .sort((a, b) => b.path.length - a.path.length)[0];
  return deeper === undefined ? best : { ...deeper, path: [...path, ...deeper.path] };
}

function valueAt(value: Json, path: JsonPath): Json | undefined {
  let current: Json | undefined = value;
  for (const part of path) {
    if (Array.isArray(current) && typeof part === "number") current = current[part];
    else if (isJsonObject(current)) current = current[String(part)];
    else return undefined;
  }
  return current;
}

function kindOf(value: Json | undefined): string {
  if (value === undefined) return "missing";
  if (value === null) return "null";
  if (Array.isArray(value)) return value.length === 0 ? "an empty list" : "a list";
  switch (typeof value) {
    case "string":
      return value === "" ? "an empty text" : "this text";
    case "boolean":
      return String(value);
    case "object":
      return "an object";
    default:
      return String(value);
  }
}
