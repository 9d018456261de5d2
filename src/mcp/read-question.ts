import { isJsonObject, type Json, type JsonObject, own } from "../kernel/json.ts";
import type { ServerName } from "../model/names.ts";
import type { Question, QuestionField } from "../model/question.ts";

/** A form has a handful of fields; a thousand would only be a way to tire a person. */
const MAX_FIELDS = 50;

/**
 * Reads the parameters of `elicitation/create`: a form (flat, primitive fields and lists of choices: client/elicitation, Requested
 * Schema) or a URL. A field that cannot be understood is asked for as text.
 */
export function readQuestion(
  server: ServerName,
  params: Json | undefined,
):
  | { readonly kind: "question"; readonly question: Question }
  | { readonly kind: "invalid"; readonly reason: string } {
  const message = textOf(own(params, "message"));
  if (own(params, "mode") === "url") {
    const url = textOf(own(params, "url"));
    if (!URL.canParse(url) || !/^https?:$/.test(new URL(url).protocol))
      return { kind: "invalid", reason: "A question of mode url needs an http or https URL." };
    return { kind: "question", question: { kind: "url", server, message, url } };
  }
  const schema = own(params, "requestedSchema");
  const properties = own(schema, "properties") ?? {};
  if (!isJsonObject(properties)) return { kind: "invalid", reason: "requestedSchema has no properties." };
  const required = own(schema, "required");
  const names = Object.keys(properties);
  if (names.length > MAX_FIELDS)
    return { kind: "invalid", reason: `A form may have ${MAX_FIELDS} fields; this one has ${names.length}.` };
  const fields = names.map((name) =>
    readField(name, own(properties, name), Array.isArray(required) && required.includes(name)),
  );
  return { kind: "question", question: { kind: "form", server, message, fields } };
}

function readField(name: string, schema: Json | undefined, isRequired: boolean): QuestionField {
  const items = own(schema, "items");
  const type = own(schema, "type");
  const single = choicesOf(schema, "oneOf");
  const several = type === "array" ? choicesOf(items, "anyOf") : [];
  const kind: QuestionField["type"] =
    type === "array"
      ? "choices"
      : single.length > 0
        ? "choice"
        : type === "boolean" || type === "integer" || type === "number"
          ? type
          : "text";
  const field = {
    name,
    title: textOf(own(schema, "title")),
    description: textOf(own(schema, "description")),
    type: kind,
    isRequired,
    choices: kind === "choices" ? several : single,
    fallback: own(schema, "default"),
    ...(isJsonObject(schema) ? { schema } : {}),
  };
  return { ...field, fault: (value) => faultOf(field, isJsonObject(schema) ? schema : {}, value) };
}

/** `enum` with optional `enumNames`, or `oneOf`/`anyOf` of `{const, title}`. */
function choicesOf(schema: Json | undefined, keyword: "oneOf" | "anyOf"): QuestionField["choices"] {
  const values = own(schema, "enum");
  const names = own(schema, "enumNames");
  if (Array.isArray(values))
    return (values as readonly Json[]).map((value, index) => ({
      value: String(value),
      title: textOf(Array.isArray(names) ? (names[index] as Json | undefined) : undefined),
    }));
  const options = own(schema, keyword) ?? own(schema, keyword === "oneOf" ? "anyOf" : "oneOf");
  if (!Array.isArray(options)) return [];
  return (options as readonly Json[])
    .filter((option) => typeof own(option, "const") === "string")
    .map((option) => ({ value: textOf(own(option, "const")), title: textOf(own(option, "title")) }));
}

function faultOf(field: Omit<QuestionField, "fault">, schema: JsonObject, value: Json): string | undefined {
  const bound = (keyword: string): number | undefined => {
    const limit = own(schema, keyword);
    return typeof limit === "number" ? limit : undefined;
  };
  const within = (size: number, least: string, most: string, noun: string): string | undefined => {
    const [minimum, maximum] = [bound(least), bound(most)];
    if (minimum !== undefined && size < minimum) return `It must be at least ${minimum}${noun}.`;
    return maximum !== undefined && size > maximum ? `It must be at most ${maximum}${noun}.` : undefined;
  };
  const isChoice = (item: Json): boolean => field.choices.some((choice) => choice.value === item);
  switch (field.type) {
    case "boolean":
      return typeof value === "boolean" ? undefined : "It must be yes or no.";
    case "number":
    case "integer":
      if (typeof value !== "number" || !Number.isFinite(value)) return "It must be a number.";
      if (field.type === "integer" && !Number.isInteger(value)) return "It must be a whole number.";
      return within(value, "minimum", "maximum", "");
    case "choice":
      return isChoice(value) ? undefined : "It must be one of the choices.";
    case "choices":
      if (!Array.isArray(value)) return "It must be a list of choices.";
      if (field.choices.length > 0 && !(value as readonly Json[]).every(isChoice))
        return "Each must be one of the choices.";
      return within(value.length, "minItems", "maxItems", " choices");
    case "text":
      if (typeof value !== "string") return "It must be a text.";
      return within([...value].length, "minLength", "maxLength", " characters") ?? formatFault(schema, value);
  }
}

/** The four formats that the specification allows in a form. */
const FORMATS: ReadonlyMap<string, readonly [(value: string) => boolean, string]> = new Map([
  ["email", [(value: string) => /^[^\s@]+@[^\s@]+$/.test(value), "It must be an e-mail address."]],
  ["uri", [(value: string) => URL.canParse(value), "It must be a URL."]],
  [
    "date",
    [(value: string) => /^\d{4}-\d\d-\d\d$/.test(value) && isDate(value), "It must be a date: 2026-07-28."],
  ],
  [
    "date-time",
    [
      (value: string) => /^\d{4}-\d\d-\d\d[Tt ]\d\d:\d\d/.test(value) && isDate(value),
      "It must be a date and time: 2026-07-28T09:30:00Z.",
    ],
  ],
]);

function isDate(value: string): boolean {
  return !Number.isNaN(Date.parse(value));
}

function formatFault(schema: JsonObject, value: string): string | undefined {
  const [isValid, sentence] = FORMATS.get(textOf(own(schema, "format"))) ?? [() => true, ""];
  return isValid(value) ? undefined : sentence;
}

function textOf(value: Json | undefined): string {
  return typeof value === "string" ? value : "";
}
