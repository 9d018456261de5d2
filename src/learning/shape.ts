/**
 * What answers show of a JSON value: which types it had, never a value. Two shapes merge into the smallest one that fits both
 * (see `merge-shapes`), so the order of answers does not matter.
 */
export interface Shape {
  /** Nothing is known any more, and nothing will be: it nests too deep or has too many parts. */
  readonly isAny: boolean;
  /** Scalar types, a sum of {@link SCALARS}. An integer of any length is a number. */
  readonly scalars: number;
  /** Texts, where the config asks to keep those of this field; `undefined` elsewhere. Never beside the type string. */
  readonly texts: ReadonlySet<string> | undefined;
  /** What the elements of arrays were; {@link NOTHING} where all arrays were empty. `undefined` where it was no array. */
  readonly items: Shape | undefined;
  /** `undefined` where it was no object. */
  readonly object: ObjectShape | undefined;
}

/** Objects: with named fields, or a map whose keys are data and are not kept. */
export type ObjectShape =
  | {
      readonly kind: "record";
      /** By name; a name is never one that looks like data. */
      readonly fields: ReadonlyMap<string, FieldShape>;
      /** Values of the keys that look like data, beside the fields. */
      readonly rest: Shape | undefined;
    }
  | { readonly kind: "map"; readonly value: Shape };

export interface FieldShape {
  readonly shape: Shape;
  /** True when some object was without it. */
  readonly isOptional: boolean;
}

/** The scalar types as bits, in the order in which they are written. */
export const SCALARS = { boolean: 1, null: 2, number: 4, string: 8 } as const;

/** Of a value that was never seen: an element of arrays that were all empty. */
export const NOTHING: Shape = {
  isAny: false,
  scalars: 0,
  texts: undefined,
  items: undefined,
  object: undefined,
};

/** The end of what can be said. */
export const ANY: Shape = { ...NOTHING, isAny: true };

/** Levels of objects and arrays that a shape holds; what lies deeper is {@link ANY}. Known answers stay below 10. */
export const MAX_DEPTH = 12;

/** Fields of one record; with more it is a map. The widest record known (a repository of GitHub) has about 130. */
export const MAX_FIELDS = 200;

/** Texts that are kept of one field; with more they are no longer a choice of few. */
export const MAX_TEXTS = 20;

/** Characters of a text that is kept: longer ones are prose. */
export const MAX_TEXT_LENGTH = 64;
