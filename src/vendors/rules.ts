import type { Vendor } from "./vendor.ts";

/** What a vendor takes as the schema of a tool's arguments. */
export interface SchemaRules {
  /** As people write it. */
  readonly vendor: string;
  /** The keywords that may stand in a schema; `undefined`: any that JSON Schema 2020-12 knows. */
  readonly keywords: ReadonlySet<string> | undefined;
  /** The values of `format`; `undefined`: any. */
  readonly formats: ReadonlySet<string> | undefined;
  /** What the name of a field must look like. */
  readonly fieldName: RegExp | undefined;
  /** The largest `minItems`. */
  readonly maxMinItems: number;
  /** Whether `required` may only name fields that are declared. */
  readonly requiresDeclared: boolean;
  /** Whether references may stand in a schema, or have to be put in place. */
  readonly references: "keep" | "inline";
}

/** What a schema has to be on top of it, where the vendor keeps the model to it (`strict`). */
export interface StrictRules extends SchemaRules {
  /** Every field is required; one that may be missing becomes one that may be null. */
  readonly isAllRequired: boolean;
  readonly maxFields: number;
  readonly maxOptionalFields: number;
  readonly maxUnions: number;
  readonly maxDepth: number;
  readonly maxEnumValues: number;
  /** Characters of names of fields and values of enums together. */
  readonly maxCharacters: number;
}

/** What the name of a tool must look like. */
export interface NameRules {
  readonly pattern: RegExp;
  readonly maxLength: number;
}

export const NAME_RULES: Readonly<Record<Vendor, NameRules>> = {
  anthropic: { pattern: /^[a-zA-Z0-9_-]+$/, maxLength: 64 },
  openai: { pattern: /^[a-zA-Z0-9_-]+$/, maxLength: 64 },
  // Vertex allows twice the length; the API of Google AI does not.
  gemini: { pattern: /^[a-zA-Z_][a-zA-Z0-9_.:-]*$/, maxLength: 64 },
};

/** Chat Completions refuses a longer description of a function (`string_above_max_length`). */
export const MAX_OPENAI_DESCRIPTION = 1_024;

const TEXT_FORMATS = ["date-time", "time", "date", "duration", "email", "hostname", "ipv4", "ipv6", "uuid"];

const ANTHROPIC: SchemaRules = {
  vendor: "Anthropic",
  keywords: undefined,
  formats: undefined,
  // tools.N.custom.input_schema.properties: "Property keys should match pattern".
  fieldName: /^[a-zA-Z0-9_.-]{1,64}$/,
  maxMinItems: Number.POSITIVE_INFINITY,
  requiresDeclared: false,
  references: "keep",
};

const OPENAI: SchemaRules = { ...ANTHROPIC, vendor: "OpenAI", fieldName: undefined };

/** What `parametersJsonSchema` documents. */
const GEMINI: SchemaRules = {
  vendor: "Gemini",
  keywords: new Set([
    ...["type", "title", "description", "format", "enum", "items", "prefixItems", "minItems", "maxItems"],
    ...["minimum", "maximum", "anyOf", "oneOf", "properties", "additionalProperties", "required"],
  ]),
  formats: new Set(["date-time", "date", "time"]),
  fieldName: undefined,
  maxMinItems: Number.POSITIVE_INFINITY,
  requiresDeclared: true,
  references: "inline",
};

export const SCHEMA_RULES: Readonly<Record<Vendor, SchemaRules>> = {
  anthropic: ANTHROPIC,
  openai: OPENAI,
  gemini: GEMINI,
};

const STRICT_KEYWORDS = [
  ...["type", "title", "description", "format", "pattern", "enum", "const", "items", "minItems"],
  ...["anyOf", "properties", "additionalProperties", "required"],
];

/** The subsets that the vendors document for strict tools. Gemini has no such switch. */
export const STRICT_RULES: Readonly<Record<"anthropic" | "openai", StrictRules>> = {
  anthropic: {
    ...ANTHROPIC,
    keywords: new Set([...STRICT_KEYWORDS, "default"]),
    formats: new Set([...TEXT_FORMATS, "uri"]),
    maxMinItems: 1,
    requiresDeclared: true,
    references: "inline",
    isAllRequired: false,
    maxFields: Number.POSITIVE_INFINITY,
    maxOptionalFields: 24,
    maxUnions: 16,
    maxDepth: Number.POSITIVE_INFINITY,
    maxEnumValues: Number.POSITIVE_INFINITY,
    maxCharacters: Number.POSITIVE_INFINITY,
  },
  openai: {
    ...OPENAI,
    keywords: new Set([
      ...STRICT_KEYWORDS,
      ...["maxItems", "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"],
    ]),
    formats: new Set(TEXT_FORMATS),
    requiresDeclared: true,
    references: "inline",
    isAllRequired: true,
    maxFields: 5_000,
    maxOptionalFields: Number.POSITIVE_INFINITY,
    maxUnions: Number.POSITIVE_INFINITY,
    maxDepth: 10,
    maxEnumValues: 1_000,
    maxCharacters: 120_000,
  },
};
