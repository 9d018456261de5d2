// Reading a JSON Schema for the generators: references within the document, parts that belong together, types.

export const isObject = (value) => typeof value === "object" && value !== null && !Array.isArray(value);
const own = (value, key) => (isObject(value) && Object.hasOwn(value, key) ? value[key] : undefined);

/** A reference that only a whole resolver of addresses could follow: no value is made for its schema. */
export class UnknownReference extends Error {}

const REFERENCES = ["$ref", "$dynamicRef", "$recursiveRef"];

/** Follows `$ref` and melts `allOf` into one schema. Nothing outside the document is looked at. */
export function settled(schema, root) {
  let result = schema;
  for (let step = 0; step < 20 && isObject(result); step += 1) {
    const keyword = REFERENCES.find((one) => typeof result[one] === "string");
    if (keyword !== undefined) {
      const { [keyword]: reference, ...siblings } = result;
      const target = resolve(reference, root);
      if (target === undefined) throw new UnknownReference(reference);
      result = merged(target, siblings);
    } else if (Array.isArray(result.allOf)) {
      const { allOf, ...rest } = result;
      result = allOf.reduce((sum, part) => merged(sum, settled(part, root)), rest);
    } else break;
  }
  return result;
}

/** Both schemas at once, as far as one schema can say it; Ajv has the last word. */
export function merged(left, right) {
  if (!isObject(left)) return left === false ? false : right;
  if (!isObject(right)) return right === false ? false : left;
  const result = { ...left, ...right };
  if (isObject(left.properties) && isObject(right.properties)) {
    const names = new Set([...Object.keys(left.properties), ...Object.keys(right.properties)]);
    result.properties = Object.fromEntries(
      [...names].map((name) => {
        const [one, two] = [own(left.properties, name), own(right.properties, name)];
        return [name, one === undefined ? two : two === undefined ? one : merged(one, two)];
      }),
    );
  }
  if (Array.isArray(left.required) && Array.isArray(right.required))
    result.required = [...new Set([...left.required, ...right.required])];
  if (Array.isArray(left.enum) && Array.isArray(right.enum))
    result.enum = left.enum.filter((value) => right.enum.includes(value));
  if (left.additionalProperties === false || right.additionalProperties === false)
    result.additionalProperties = false;
  return result;
}

function resolve(reference, root) {
  if (reference === "#") return root;
  if (reference.startsWith("#/")) {
    let node = root;
    for (const step of decodeURIComponent(reference.slice(2)).split("/")) {
      const key = step.replaceAll("~1", "/").replaceAll("~0", "~");
      node = Array.isArray(node) ? node[Number(key)] : own(node, key);
    }
    return node;
  }
  const mark = reference.startsWith("#") ? reference.slice(1) : undefined;
  const search = (node) => {
    if (typeof node !== "object" || node === null) return undefined;
    if (
      mark === undefined
        ? own(node, "$id") === reference
        : own(node, "$anchor") === mark || own(node, "$dynamicAnchor") === mark
    )
      return node;
    for (const child of Object.values(node)) {
      const found = search(child);
      if (found !== undefined) return found;
    }
    return undefined;
  };
  return search(root);
}

const IMPLYING = [
  ["object", ["properties", "required", "additionalProperties", "patternProperties", "propertyNames"]],
  ["array", ["items", "prefixItems"]],
  ["string", ["minLength", "maxLength", "pattern", "format"]],
  ["number", ["minimum", "maximum", "multipleOf"]],
];

/** Types that a settled schema names or implies; all of them where it does neither. */
export function typesOf(schema) {
  const named = [schema.type ?? []].flat().filter((type) => typeof type === "string");
  const types = schema.nullable === true ? [...named, "null"] : named;
  if (named.length > 0) return types;
  const implied = IMPLYING.find(([, keywords]) => keywords.some((keyword) => Object.hasOwn(schema, keyword)));
  return implied === undefined ? [] : [implied[0]];
}

export function armsOf(schema) {
  for (const keyword of ["oneOf", "anyOf"])
    if (Array.isArray(schema[keyword]) && schema[keyword].length > 0)
      return { keyword, arms: schema[keyword] };
  return undefined;
}
