import type { Json } from "../kernel/json.ts";
import type { Shape } from "./shape.ts";

/** A shape with what the schema says in words; the words go to the nearest field or definition. */
export interface Described {
  readonly shape: Shape;
  readonly comment: string;
}

/** Where in a document the walk stands. */
export interface Place {
  /** Steps of nesting so far. */
  readonly depth: number;
  /** Name of the field that holds the schema; empty for parts without one. */
  readonly name: string;
  /** `part`: one side of an intersection, so it only adds; `input`: the arguments of a tool. */
  readonly role: "value" | "part" | "input";
}

/** One walk through one schema document. */
export interface Walk {
  readonly shapeAt: (schema: Json | undefined, place: Place) => Described;
  /** Notes what was odd: a sentence without the tool's name. */
  readonly report: (message: string) => void;
}
