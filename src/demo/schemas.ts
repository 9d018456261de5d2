/** A JSON Schema of the few keywords that the demo needs. */
export type Schema = {
  type: "string" | "number" | "integer" | "boolean" | "null" | "object" | "array" | Scalar[];
  description?: string;
  enum?: string[];
  minimum?: number;
  maximum?: number;
  minLength?: number;
  maxLength?: number;
  items?: Schema;
  properties?: { [name: string]: Schema };
  required?: string[];
  additionalProperties?: boolean | Schema;
};

type Scalar = "string" | "number" | "boolean" | "null";

/** An object with these members and no others; all are required unless `required` says which. */
export function object(
  properties: { [name: string]: Schema },
  required: string[] = Object.keys(properties),
): Schema {
  return {
    type: "object",
    properties,
    ...(required.length > 0 ? { required } : {}),
    additionalProperties: false,
  };
}

/** An array of `items`. */
export function list(items: Schema, description?: string): Schema {
  return { type: "array", ...(description === undefined ? {} : { description }), items };
}

/** A string. */
export function text(description: string): Schema {
  return { type: "string", description };
}

/** One of these strings. */
export function choice(values: readonly string[], description: string): Schema {
  return { type: "string", enum: [...values], description };
}

/** A whole number from `minimum` on. */
export function whole(description: string, minimum = 0): Schema {
  return { type: "integer", minimum, description };
}
