import type { Json, JsonObject } from "../kernel/json.ts";
import { makeStrict } from "./make-strict.ts";
import { asOneObject, hasUnion } from "./one-object.ts";
import { restrict } from "./restrict.ts";
import { SCHEMA_RULES, type SchemaRules, STRICT_RULES } from "./rules.ts";
import { spellOut } from "./spell-out.ts";
import { createNotes, type Note, type Vendor } from "./vendor.ts";

/** The arguments of a tool as a vendor takes them. */
export interface FittedSchema {
  readonly schema: JsonObject;
  /** True where the vendor can keep the model to it. */
  readonly isStrict: boolean;
  readonly changes: readonly string[];
}

/** Fits the schema of a tool's arguments to a vendor's rules; with `isStrict`, to those of its strict tools where that can be done. */
export function fitSchema(schema: Json, vendor: Vendor, isStrict: boolean): FittedSchema {
  const notes = createNotes();
  if (isStrict && vendor !== "gemini") {
    const rules = STRICT_RULES[vendor];
    const misfits = createNotes();
    const strict = makeStrict(prepared(schema, rules, notes.note), rules, notes.note, misfits.note);
    if (misfits.list().length === 0) return { schema: strict, isStrict: true, changes: notes.list() };
    const plain = fitSchema(schema, vendor, false);
    const reasons = misfits.list().slice(0, MAX_REASONS);
    return {
      ...plain,
      changes: [...reasons.map((reason) => `not strict, since ${reason}`), ...plain.changes],
    };
  }
  return {
    schema: prepared(schema, SCHEMA_RULES[vendor], notes.note),
    isStrict: false,
    changes: notes.list(),
  };
}

const MAX_REASONS = 3;

/** The server's own schema as one object, with references in place: what a model's arguments are read by. */
export function plainSchema(schema: Json): JsonObject {
  const silent: Note = () => {};
  return asOneObject(spellOut(schema, "inline", silent), silent);
}

function prepared(schema: Json, rules: SchemaRules, note: Note): JsonObject {
  // What a choice at the top holds moves, and references to it would lead nowhere.
  const references = hasUnion(schema) ? "inline" : rules.references;
  return restrict(asOneObject(spellOut(schema, references, note), note), rules, note);
}
