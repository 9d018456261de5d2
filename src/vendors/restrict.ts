import { isJsonObject, type Json, type JsonObject, own, stringifyJson } from "../kernel/json.ts";
import { asOneObject } from "./one-object.ts";
import type { SchemaRules } from "./rules.ts";
import { without } from "./spell-out.ts";
import { mapParts } from "./subschemas.ts";
import type { Note } from "./vendor.ts";

/**
 * A schema in the words that a vendor takes. What it has no word for is said in the description: the model still reads it, and the
 * host judges every call by the server's own schema.
 */
export function restrict(root: JsonObject, rules: SchemaRules, note: Note): JsonObject {
  const visit = (part: Json, path: string): Json => {
    if (!isJsonObject(part)) return part;
    const allowed = rules.keywords === undefined ? part : inAllowedWords(part, path, rules, note);
    const named = withSafeFields(withItems(allowed, path, note), path, rules, note);
    return mapParts(named, path, visit);
  };
  return visit(root, "") as JsonObject;
}

function inAllowedWords(schema: JsonObject, path: string, rules: SchemaRules, note: Note): JsonObject {
  const { keywords = new Set(), vendor } = rules;
  let now = schema;
  const isMissing = (keyword: string): boolean => own(now, keyword) !== undefined && !keywords.has(keyword);
  if (isMissing("allOf")) {
    note(path, `${vendor} has no allOf, so its arms are merged`);
    now = withMergedArms(now);
  }
  if (isMissing("oneOf") && own(now, "anyOf") === undefined) {
    note(path, `${vendor} has no oneOf, so anyOf stands there`);
    now = { ...without(now, ["oneOf"]), anyOf: own(now, "oneOf") };
  }
  if (isMissing("const")) now = { ...without(now, ["const"]), enum: [own(now, "const") ?? null] };
  if (isMissing("prefixItems")) {
    note(path, `${vendor} has no prefixItems, so every item may be any of them`);
    now = { ...without(now, ["prefixItems"]), items: anyItem(own(now, "prefixItems")) };
  }
  if (!keywords.has("const"))
    now = withPlainEnum(now, () =>
      note(path, `${vendor} has no enum of other values than texts and numbers; the description says it`),
    );
  now = withoutBareArms(now, path, note);
  const lost = Object.keys(now).filter((keyword) => !isTaken(now, keyword, rules));
  if (lost.length === 0) return now;
  const told = lost.filter((keyword) => !SILENT.has(keyword));
  if (told.length > 0)
    note(path, `${vendor} has no ${told.join(", ")}${lost.some(isValue) ? "; the description says it" : ""}`);
  return withRemark(
    without(now, lost),
    lost.filter(isValue).map((keyword) => remark(now, keyword)),
  );
}

/** They say nothing about what is valid. */
const SILENT: ReadonlySet<string> = new Set([
  "items",
  "examples",
  "deprecated",
  "readOnly",
  "writeOnly",
  "$defs",
  "definitions",
  "title",
]);

/** Keywords whose value says all, so that a model understands `(minLength: 1)`. */
const VALUES: ReadonlySet<string> = new Set([
  ...["minLength", "maxLength", "pattern", "format", "default", "examples", "multipleOf", "uniqueItems"],
  ...["minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "minItems", "maxItems"],
  ...["minProperties", "maxProperties"],
]);
const isValue = (keyword: string): boolean => VALUES.has(keyword);

function isTaken(schema: JsonObject, keyword: string, rules: SchemaRules): boolean {
  if (rules.keywords?.has(keyword) === false) return false;
  const value = own(schema, keyword);
  // Behind `prefixItems`: that nothing, or anything, follows.
  if (keyword === "items") return typeof value !== "boolean";
  if (keyword === "format") return rules.formats === undefined || rules.formats.has(String(value));
  if (keyword === "minItems") return Number(value) <= rules.maxMinItems;
  if (keyword === "pattern") return !UNSUPPORTED_PATTERN.test(String(value));
  return true;
}

/** Lookaround, backreferences, word boundaries and classes by property: no grammar of a vendor knows them. */
const UNSUPPORTED_PATTERN = /\(\?[=!<]|\\[1-9bBpPk]/;

function remark(schema: JsonObject, keyword: string): string {
  return `${keyword}: ${stringifyJson(own(schema, keyword)).slice(0, MAX_REMARK)}`;
}

const MAX_REMARK = 120;

/** `The id. (minLength: 1, default: "x")` */
function withRemark(schema: JsonObject, remarks: readonly string[]): JsonObject {
  if (remarks.length === 0) return schema;
  const before = own(schema, "description");
  const text = `(${remarks.join(", ")})`;
  return { ...schema, description: typeof before === "string" && before !== "" ? `${before} ${text}` : text };
}

function withMergedArms(schema: JsonObject): JsonObject {
  const given = own(schema, "allOf");
  const arms = (Array.isArray(given) ? (given as readonly Json[]) : []).filter(isJsonObject);
  let merged = without(schema, ["allOf"]);
  for (const arm of arms) {
    const isObject = own(arm, "properties") !== undefined || own(arm, "required") !== undefined;
    const { type: _type, ...fields } = isObject ? asOneObject({ allOf: [merged, arm] }, () => {}) : merged;
    merged = { ...arm, ...merged, ...fields };
  }
  return merged;
}

function anyItem(items: Json | undefined): Json {
  const arms: readonly Json[] = Array.isArray(items) ? items : [];
  return arms.length === 1 ? (arms[0] ?? {}) : { anyOf: arms };
}

/** Gemini takes texts and numbers only; of these with null among them, the description says "or null". */
function withPlainEnum(schema: JsonObject, onOther: () => void): JsonObject {
  const values = own(schema, "enum");
  if (!Array.isArray(values)) return schema;
  const plain = values.filter((value: Json) => typeof value === "string" || typeof value === "number");
  if (plain.length === values.length) return schema;
  onOther();
  const rest = without(schema, ["enum"]);
  const isOnlyNullLost =
    plain.length > 0 && plain.length === values.filter((value: Json) => value !== null).length;
  return isOnlyNullLost
    ? withRemark({ ...rest, enum: plain }, ["or null"])
    : withRemark(rest, [remark(schema, "enum")]);
}

/** Arms that only say which fields are needed together describe no value of their own. */
function withoutBareArms(schema: JsonObject, path: string, note: Note): JsonObject {
  const arms = own(schema, "anyOf");
  if (own(schema, "properties") === undefined || !Array.isArray(arms)) return schema;
  const isBare = (arm: Json): boolean =>
    isJsonObject(arm) && Object.keys(arm).every((key) => key === "required");
  if (!arms.every(isBare)) return schema;
  note(path, "the choice between required fields is left out; the description says it");
  const sets = arms.map((arm: Json) => `(${[own(arm, "required")].flat().join(", ")})`);
  return withRemark(without(schema, ["anyOf"]), [`needs ${sets.join(" or ")}`]);
}

/** "array schema missing items" is what OpenAI and Gemini answer to a list of anything. */
function withItems(schema: JsonObject, path: string, note: Note): JsonObject {
  const types = [own(schema, "type")].flat();
  if (!types.includes("array") || isJsonObject(own(schema, "items"))) return schema;
  if (own(schema, "prefixItems") !== undefined) return schema;
  note(path, "a list has to say what its items are: anything");
  return { ...schema, items: {} };
}

/** A field whose name a vendor refuses, and `required` that names what is not declared, would cost the whole request. */
function withSafeFields(schema: JsonObject, path: string, rules: SchemaRules, note: Note): JsonObject {
  const properties = own(schema, "properties");
  if (!isJsonObject(properties)) return schema;
  const refused = Object.keys(properties).filter((name) => rules.fieldName?.test(name) === false);
  const kept = without(properties, refused);
  const required = own(schema, "required");
  const names = Array.isArray(required) ? (required as readonly string[]) : [];
  const isGood = (name: string): boolean =>
    !refused.includes(name) && (!rules.requiresDeclared || Object.hasOwn(kept, name));
  const good = names.filter(isGood);
  if (refused.length + names.length === good.length) return schema;
  const undeclared = names.filter((name) => !isGood(name) && !refused.includes(name));
  if (undeclared.length > 0) note(path, `requires ${undeclared.join(", ")} without declaring it`);
  const base: JsonObject = {
    ...without(schema, ["required"]),
    properties: kept,
    ...(good.length === 0 ? {} : { required: good }),
  };
  if (refused.length === 0) return base;
  note(
    path,
    `${rules.vendor} refuses the names of these fields, so the description tells of them: ${refused.join(", ")}`,
  );
  const remarks = refused.map(
    (name) => `also takes ${stringifyJson(name)}: ${stringifyJson(own(properties, name))}`,
  );
  return withRemark({ ...base, additionalProperties: true }, remarks);
}
