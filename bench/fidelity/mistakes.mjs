import { makeInstance } from "./instances.mjs";
import { pick, shuffled } from "./random.mjs";
import { armsOf, isObject, settled, typesOf } from "./schemas.mjs";

/** The mistakes of one step that TypeScript can express. */
export const KINDS = ["wrong type", "missing required", "unknown key", "outside enum", "wrong arm"];

/**
 * Puts one mistake of each kind into valid values, at places taken by chance. Ajv decides afterwards whether it is one.
 * @param instances of {value, trace}
 * @returns Map of kind → candidates, values
 */
export function makeMistakes(root, instances, random, wanted) {
  const found = new Map(KINDS.map((kind) => [kind, []]));
  for (const kind of KINDS) {
    const places = instances.flatMap(({ value, trace }) =>
      trace.filter((place) => PLACES[kind](place, value, root)).map((place) => ({ value, place })),
    );
    for (const { value, place } of shuffled(random, places).slice(0, wanted * 3)) {
      const changed = CHANGES[kind](at(value, place.path), place, random, root);
      if (changed !== undefined) found.get(kind).push(withChange(value, place.path, changed.value));
    }
  }
  return found;
}

const PLACES = {
  "wrong type": ({ schema, isUnion }) => !isUnion && (typesOf(schema).length > 0 || hasValues(schema)),
  "missing required": ({ path, schema, isUnion }, value) =>
    !isUnion &&
    isObject(at(value, path)) &&
    (schema.required ?? []).some?.((name) => Object.hasOwn(at(value, path), name)),
  "unknown key": ({ path, schema, isUnion }, value) =>
    !isUnion &&
    isObject(at(value, path)) &&
    (schema.additionalProperties === false || schema.unevaluatedProperties === false) &&
    schema.patternProperties === undefined,
  "outside enum": ({ schema, isUnion }) => !isUnion && hasValues(schema),
  "wrong arm": ({ schema, isUnion }) => isUnion && armsOf(schema).arms.length > 1,
};

const SAMPLES = { string: "text", number: 4, boolean: true, null: null, array: [], object: {} };

const CHANGES = {
  "wrong type": (_value, { schema }, random) => {
    const types = hasValues(schema) ? valuesOf(schema).map(typeOf) : typesOf(schema);
    return sampleBeside(types, random);
  },
  "missing required": (value, { schema }, random) => {
    const name = pick(
      random,
      schema.required.filter((one) => Object.hasOwn(value, one)),
    );
    const { [name]: _, ...rest } = value;
    return { value: rest };
  },
  "unknown key": (value, _place, random) => ({
    value: { ...value, [pick(random, ["unknownKey", "zz_extra"])]: pick(random, ["x", 1, true]) },
  }),
  "outside enum": (_value, { schema }, random) => {
    const values = valuesOf(schema);
    const candidates = [`${pick(random, values)}_other`, "zz", 987_654, "", -1].filter(
      (one) => values.some((known) => typeof known === typeof one) && !values.includes(one),
    );
    return candidates.length === 0 ? undefined : { value: pick(random, candidates) };
  },
  "wrong arm": (value, { schema }, random, root) => {
    const arms = armsOf(schema).arms.map((arm) => settled(arm, root));
    const tag = isObject(value) ? tagOf(arms) : undefined;
    const mixed =
      isObject(value) && random() < 0.5 ? withKeysOf(value, pick(random, arms), random, root) : undefined;
    if (mixed !== undefined) return { value: mixed };
    if (tag !== undefined && Object.hasOwn(value, tag)) {
      const others = arms.flatMap((arm) => valuesOf(arm.properties[tag])).filter((one) => one !== value[tag]);
      return others.length === 0 ? undefined : { value: { ...value, [tag]: pick(random, others) } };
    }
    const types = arms.flatMap((arm) =>
      isObject(arm) ? (hasValues(arm) ? valuesOf(arm).map(typeOf) : typesOf(arm)) : [],
    );
    return sampleBeside(types, random);
  },
};

/** A value of none of these types. An integer beside a number would be no mistake that TypeScript can express. */
function sampleBeside(types, random) {
  const known = types.map((type) => (type === "integer" ? "number" : type));
  const others = Object.keys(SAMPLES).filter((type) => !known.includes(type));
  return others.length === 0 ? undefined : { value: SAMPLES[pick(random, others)] };
}

/** The value with the keys that another arm demands: what somebody writes who mixes two of them up. */
function withKeysOf(value, arm, random, root) {
  if (!isObject(arm)) return undefined;
  const other = makeInstance(root, random, "least", arm).value;
  if (!isObject(other) || Object.keys(other).every((key) => Object.hasOwn(value, key))) return undefined;
  return { ...other, ...value };
}

/** The property that every arm has with values of its own. */
function tagOf(arms) {
  const [first] = arms;
  if (!isObject(first) || !isObject(first.properties)) return undefined;
  return Object.keys(first.properties).find((name) =>
    arms.every((arm) => isObject(arm) && isObject(arm.properties) && hasValues(arm.properties[name])),
  );
}

function hasValues(schema) {
  return (
    isObject(schema) &&
    (Object.hasOwn(schema, "const") || (Array.isArray(schema.enum) && schema.enum.length > 0))
  );
}

function valuesOf(schema) {
  return Object.hasOwn(schema, "const") ? [schema.const] : schema.enum;
}

function typeOf(value) {
  if (value === null) return "null";
  return Array.isArray(value) ? "array" : typeof value;
}

function at(value, path) {
  return path.reduce((node, step) => node?.[step], value);
}

function withChange(value, path, changed) {
  if (path.length === 0) return changed;
  const [step, ...rest] = path;
  const inner = withChange(value[step], rest, changed);
  if (Array.isArray(value)) return value.map((item, index) => (index === step ? inner : item));
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, key === step ? inner : item]));
}
