import type { Json, JsonObject } from "../../src/kernel/json.ts";
import type { Vendor } from "../../src/vendors/vendor.ts";

/**
 * What a vendor would refuse of a tool, written down a second time and from the documents alone: the program is held to it.
 * Only what is refused; whether something was lost is another question.
 */
export function refusalsOf(vendor: Vendor, value: any): readonly string[] {
  const found: string[] = [];
  const schema: any = value.input_schema ?? value.parameters ?? value.parametersJsonSchema;
  const name = vendor === "gemini" ? /^[A-Za-z_][\w.:-]{0,63}$/ : /^[\w-]{1,64}$/;
  if (!name.test(value.name)) found.push(`name ${value.name}`);
  if (schema.type !== "object") found.push("the root is no object");
  for (const keyword of ["anyOf", "oneOf", "allOf", "not", "enum"])
    if (keyword in schema) found.push(`${keyword} at the root`);
  if (vendor === "openai" && (value.description ?? "").length > 1024) found.push("description is too long");
  if (vendor === "openai" && typeof value.strict !== "boolean") found.push("strict is not said");
  if (vendor === "gemini" && !value.description) found.push("description is missing");
  const isStrict = value.strict === true;
  for (const { node, isField } of nodesOf(schema)) {
    const types = [node.type ?? []].flat() as readonly Json[];
    if (types.includes("array") && node.items === undefined && node.prefixItems === undefined)
      found.push("array schema missing items");
    if (vendor === "anthropic")
      for (const field of Object.keys(node.properties ?? {}))
        if (!/^[a-zA-Z0-9_.-]{1,64}$/.test(field)) found.push(`property key ${field}`);
    if (vendor === "gemini") found.push(...geminiRefusals(node));
    if (isStrict) found.push(...strictRefusals(vendor, node, isField));
  }
  return found;
}

const GEMINI_KEYWORDS = new Set(
  "$id $defs $ref $anchor type format title description enum items prefixItems minItems maxItems minimum maximum anyOf oneOf properties additionalProperties required propertyOrdering".split(
    " ",
  ),
);

function geminiRefusals(node: any): readonly string[] {
  const unknown = Object.keys(node).filter((keyword) => !GEMINI_KEYWORDS.has(keyword));
  const undeclared = (node.required ?? []).filter((field: string) => !(field in (node.properties ?? {})));
  const odd = (node.enum ?? []).filter((value: Json) => !["string", "number"].includes(typeof value));
  return [
    ...unknown.map((keyword) => `keyword ${keyword}`),
    ...undeclared.map((field: string) => `requires ${field}`),
    ...(odd.length > 0 ? ["enum of other values"] : []),
  ];
}

function strictRefusals(vendor: Vendor, node: any, isField: boolean): readonly string[] {
  const found: string[] = [];
  const never =
    vendor === "openai"
      ? "allOf oneOf not if then else dependentRequired dependentSchemas patternProperties propertyNames default minLength maxLength minProperties maxProperties uniqueItems prefixItems contains unevaluatedProperties"
      : "oneOf not if then else minimum maximum exclusiveMinimum exclusiveMaximum multipleOf minLength maxLength maxItems uniqueItems prefixItems contains patternProperties propertyNames minProperties maxProperties";
  for (const keyword of never.split(" ")) if (keyword in node) found.push(`strict: ${keyword}`);
  const isObject = [node.type ?? []].flat().includes("object");
  if (isObject && node.additionalProperties !== false) found.push("strict: an open object");
  if (vendor === "openai" && isObject) {
    const fields = Object.keys(node.properties ?? {});
    if (fields.some((field) => !(node.required ?? []).includes(field)))
      found.push("strict: a field is not required");
  }
  if (vendor === "openai" && isField && node.type === undefined && node.anyOf === undefined)
    found.push("strict: a field without a type");
  if (vendor === "anthropic" && (node.minItems ?? 0) > 1) found.push("strict: minItems");
  return found;
}

interface Node {
  readonly node: any;
  readonly isField: boolean;
}

function nodesOf(schema: JsonObject): readonly Node[] {
  const found: Node[] = [];
  const visit = (node: any, isField: boolean): void => {
    if (typeof node !== "object" || node === null || Array.isArray(node)) return;
    found.push({ node, isField });
    for (const key of ["properties", "$defs", "definitions", "patternProperties"])
      for (const child of Object.values(node[key] ?? {})) visit(child, key === "properties");
    for (const key of ["anyOf", "oneOf", "allOf", "prefixItems"])
      for (const child of node[key] ?? []) visit(child, false);
    for (const key of [
      "items",
      "additionalProperties",
      "not",
      "if",
      "then",
      "else",
      "contains",
      "propertyNames",
    ])
      visit(node[key], false);
  };
  visit(schema, false);
  return found;
}
