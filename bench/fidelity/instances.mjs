import fc from "fast-check";
import { pick, shuffled } from "./random.mjs";
import { armsOf, isObject, merged, settled, typesOf } from "./schemas.mjs";

/** Deeper parts are as small as they can be: recursive schemas have no end. */
const MAX_DEPTH = 8;

/**
 * Makes a value that should fit `root`. It carries undeclared keys only where the schema gives `additionalProperties` or
 * `patternProperties` and allows them.
 * @param start a part of `root` to make a value for
 * @param mode `least`: what is required; `most`: everything; `some`: by chance
 * @returns the value, and a trace: for each part its path, and its schema with references and allOf settled
 */
export function makeInstance(root, random, mode, start = root) {
  const trace = [];
  const make = (unsettled, path, depth) => {
    let schema = settled(unsettled, root);
    for (let arms = isObject(schema) ? armsOf(schema) : undefined; arms; arms = armsOf(schema)) {
      trace.push({ path, schema, isUnion: true });
      const { [arms.keyword]: _, ...rest } = schema;
      const arm = settled(pick(random, preferred(arms.arms, depth)), root);
      schema = merged(rest, arm);
      if (!isObject(schema)) break;
      schema = settled(schema, root);
    }
    if (!isObject(schema)) return anything(random, depth);
    trace.push({ path, schema, isUnion: false });
    if (Object.hasOwn(schema, "const")) return schema.const;
    if (Array.isArray(schema.enum) && schema.enum.length > 0) return pick(random, schema.enum);
    const types = typesOf(schema);
    if (types.length === 0) return anything(random, depth);
    const type = pick(random, depth > MAX_DEPTH && types.includes("null") ? ["null"] : types);
    if (type === "object") return makeObject(schema, path, depth);
    if (type === "array") return makeArray(schema, path, depth);
    if (type === "string") return makeString(schema, random);
    if (type === "integer" || type === "number") return makeNumber(schema, type === "integer", random);
    if (type === "boolean") return random() < 0.5;
    return type === "null" ? null : anything(random, depth);
  };

  const makeObject = (schema, path, depth) => {
    const value = {};
    // An assignment to `__proto__` would not make a key.
    const set = (name, part) =>
      Object.defineProperty(value, name, {
        value: make(part, [...path, name], depth + 1),
        enumerable: true,
        writable: true,
        configurable: true,
      });
    const declared = isObject(schema.properties) ? schema.properties : {};
    const required = Array.isArray(schema.required) ? schema.required : [];
    const isWanted = (name) =>
      required.includes(name) ||
      (depth <= MAX_DEPTH && (mode === "most" || (mode === "some" && random() < 0.5)));
    for (const [name, part] of Object.entries(declared))
      if (part !== false && isWanted(name)) set(name, part);
    for (const name of required) if (!Object.hasOwn(value, name)) set(name, restOf(schema, name));
    if (depth <= MAX_DEPTH && mode !== "least") addUndeclared(value, set, schema);
    const least = Math.max(0, Math.min(schema.minProperties ?? 0, 20));
    for (const name of shuffled(random, Object.keys(declared))) {
      if (Object.keys(value).length >= least) break;
      if (!Object.hasOwn(value, name)) set(name, declared[name]);
    }
    return value;
  };

  const addUndeclared = (value, set, schema) => {
    const add = (name, part) => {
      if (!Object.hasOwn(value, name) && !Object.hasOwn(schema.properties ?? {}, name)) set(name, part);
    };
    for (const [pattern, part] of Object.entries(
      isObject(schema.patternProperties) ? schema.patternProperties : {},
    ))
      if (part !== false) add(matching(pattern, random) ?? "x-extra", part);
    const extra = schema.additionalProperties ?? schema.unevaluatedProperties;
    if (extra === undefined || extra === false) return;
    const names = settled(schema.propertyNames, root);
    const name = isObject(names)
      ? makeString({ ...names, type: "string" }, random)
      : pick(random, EXTRA_NAMES);
    add(name, extra);
  };

  const makeArray = (schema, path, depth) => {
    const least = Math.min(schema.minItems ?? 0, 60);
    const most = Math.min(schema.maxItems ?? 60, 60);
    const prefix = Array.isArray(schema.prefixItems)
      ? schema.prefixItems
      : Array.isArray(schema.items)
        ? schema.items
        : [];
    const item = Array.isArray(schema.items) ? schema.additionalItems : schema.items;
    const wished =
      prefix.length > 0
        ? prefix.length + (item === false ? 0 : 1)
        : mode === "least"
          ? 0
          : 1 + Math.floor(random() * 2);
    const length = Math.max(least, Math.min(most, depth > MAX_DEPTH ? 0 : wished));
    const values = [];
    const seen = new Set();
    for (let attempt = 0; values.length < length && attempt < length * 5 + 5; attempt += 1) {
      const index = values.length;
      const before = trace.length;
      const part = index < prefix.length ? prefix[index] : (item ?? true);
      if (part === false) break;
      const made = make(part, [...path, index], depth + 1);
      const text = JSON.stringify(made);
      if (schema.uniqueItems === true && seen.has(text)) trace.length = before;
      else {
        seen.add(text);
        values.push(made);
      }
    }
    return values;
  };

  const value = make(start, [], 0);
  return { value, trace };
}

const EXTRA_NAMES = ["extra", "x-note", "other_key", "42"];

/** At the end of a deep schema, an arm that ends it. */
function preferred(arms, depth) {
  if (depth <= MAX_DEPTH) return arms;
  const flat = arms.filter(
    (arm) => isObject(arm) && ["null", "string", "number", "boolean"].includes(arm.type),
  );
  return flat.length > 0 ? flat : arms;
}

function restOf(schema, name) {
  for (const [pattern, part] of Object.entries(
    isObject(schema.patternProperties) ? schema.patternProperties : {},
  ))
    if (name.match(pattern)) return part;
  return isObject(schema.additionalProperties) ? schema.additionalProperties : true;
}

/** Any JSON value, for a part of which the schema says nothing. */
function anything(random, depth) {
  const flat = ["text", 7, -2.5, true, null];
  return pick(random, depth > MAX_DEPTH ? flat : [...flat, { key: "value" }, ["item", 1], {}, []]);
}

const FORMATS = {
  "date-time": "2026-11-30T12:00:00Z",
  date: "2026-11-30",
  time: "12:00:00Z",
  duration: "P1D",
  email: "ada@example.com",
  uri: "https://example.com/a",
  url: "https://example.com/a",
  "uri-reference": "/a",
  uuid: "6f1c7b1e-5a52-4b7e-9c52-0d6b4f0a1c2d",
  ipv4: "192.0.2.1",
  ipv6: "2001:db8::1",
  hostname: "example.com",
};

function makeString(schema, random) {
  if (Array.isArray(schema.enum) && schema.enum.length > 0) return pick(random, schema.enum);
  if (typeof schema.const === "string") return schema.const;
  const known = Object.hasOwn(FORMATS, schema.format ?? "") ? FORMATS[schema.format] : undefined;
  if (typeof schema.pattern === "string" && !(known !== undefined && matches(schema.pattern, known)))
    return matching(schema.pattern, random) ?? "text";
  if (known !== undefined) return known;
  const text = pick(random, ["text", "a b", "é*/\"'`${x}", "x".repeat(12)]);
  const least = schema.minLength ?? 0;
  const padded = text.length < least ? text + "y".repeat(Math.min(least, 5_000) - text.length) : text;
  return [...padded].slice(0, schema.maxLength ?? Infinity).join("");
}

function matches(pattern, text) {
  try {
    return new RegExp(pattern, "u").test(text);
  } catch {
    return false;
  }
}

function matching(pattern, random) {
  try {
    return fc.sample(fc.stringMatching(new RegExp(pattern)), {
      numRuns: 1,
      seed: Math.floor(random() * 2 ** 31),
    })[0];
  } catch {
    return undefined;
  }
}

function makeNumber(schema, isInteger, random) {
  const step = schema.multipleOf > 0 ? schema.multipleOf : isInteger ? 1 : 0.5;
  const limit = (value) =>
    typeof value === "number" ? Math.max(-(2 ** 53) + 1, Math.min(2 ** 53 - 1, value)) : undefined;
  const least =
    limit(schema.minimum) ??
    (typeof schema.exclusiveMinimum === "number" ? schema.exclusiveMinimum + step : undefined);
  const most =
    limit(schema.maximum) ??
    (typeof schema.exclusiveMaximum === "number" ? schema.exclusiveMaximum - step : undefined);
  const from = least ?? (most === undefined ? 0 : most - 100 * step);
  const to = most ?? from + 100 * step;
  const value = from + random() * (to - from);
  const stepped = Math.ceil(from / step) * step + Math.floor((value - from) / step) * step;
  const inside = stepped > to ? from : stepped;
  return isInteger ? Math.round(inside) : inside;
}
