import type { ObjectShape, Shape } from "./shape.ts";
import { isNothing, scalarNames } from "./shape-json.ts";

/** More than three are not read. */
const MAX_SHOWN = 3;

/**
 * How answers contradict what was known, in words: `id may be a string`, `rows[].email is new`. Empty when they only fill in what
 * was never seen (the elements of an array that was always empty).
 * @param after what `before` was widened to
 */
export function shapeDifferences(before: Shape, after: Shape): readonly string[] {
  const found: string[] = [];

  const compare = (old: Shape, next: Shape, path: string): void => {
    if (old === next || isNothing(old) || old.isAny) return;
    const name = path === "" ? "the value" : path;
    if (next.isAny) {
      found.push(`${name} is too large to be described`);
      return;
    }
    const kinds: string[] = scalarNames(next.scalars & ~old.scalars).map((type) => KINDS[type]);
    if (next.items !== undefined && old.items === undefined) kinds.push("an array");
    if (next.object !== undefined && old.object === undefined) kinds.push("an object");
    if (kinds.length > 0) found.push(`${name} may be ${kinds.join(" or ")}`);
    else if (next.texts?.size !== old.texts?.size) found.push(`${name} has other texts`);
    if (old.items !== undefined && next.items !== undefined) compare(old.items, next.items, `${path}[]`);
    if (old.object !== undefined && next.object !== undefined) compareObjects(old.object, next.object, path);
  };

  const compareObjects = (old: ObjectShape, next: ObjectShape, path: string): void => {
    const at = (key: string): string => (path === "" ? key : `${path}.${key}`);
    if (next.kind === "map") {
      if (old.kind === "map") compare(old.value, next.value, at("*"));
      else found.push(`${path === "" ? "the value" : path} has varying keys`);
      return;
    }
    if (old.kind === "map") return;
    for (const [name, field] of next.fields) {
      const known = old.fields.get(name);
      if (known === undefined) found.push(`${at(name)} is new`);
      else {
        if (field.isOptional && !known.isOptional) found.push(`${at(name)} may be missing`);
        compare(known.shape, field.shape, at(name));
      }
    }
    if (next.rest === undefined) return;
    if (old.rest === undefined) found.push(`${at("*")} is new`);
    else compare(old.rest, next.rest, at("*"));
  };

  compare(before, after, "");
  return found.length <= MAX_SHOWN
    ? found
    : [...found.slice(0, MAX_SHOWN), `${found.length - MAX_SHOWN} more`];
}

const KINDS = { boolean: "a boolean", null: "null", number: "a number", string: "a string" } as const;
