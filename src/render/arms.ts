import type { Field, ObjectShape, Shape } from "./shape.ts";
import { NEVER } from "./shape.ts";

/** More fields than this would cost more than the mistake that they prevent. */
const MAX_ADDED = 8;

/**
 * TypeScript lets `{ line: 1, position: 2 }` pass as `{ line: number } | { position: number }`, though neither arm allows
 * both. Arms that no tag tells apart say so themselves: `{ line: number; position?: never }`.
 * @param isExclusive by arm: true where no value of it may have fields of the others
 */
export function tellApart(arms: readonly Shape[], isExclusive: readonly boolean[]): readonly Shape[] {
  const objects = arms.filter((arm): arm is ObjectShape => arm.kind === "object" && arm.fields.size > 0);
  if (objects.length < 2 || hasTag(objects)) return arms;
  const names = new Set(objects.flatMap((arm) => [...arm.fields.keys()]));
  const others = arms.map((arm, index) =>
    arm.kind === "object" && arm.fields.size > 0 && arm.rest === undefined && isExclusive[index] === true
      ? [...names].filter((name) => !arm.fields.has(name))
      : [],
  );
  if (others.flat().length > MAX_ADDED) return arms;
  return arms.map((arm, index) => (arm.kind === "object" ? withNever(arm, others[index] ?? []) : arm));
}

function withNever(arm: ObjectShape, names: readonly string[]): ObjectShape {
  if (names.length === 0) return arm;
  const absent = names.map((name): [string, Field] => [
    name,
    { shape: NEVER, isRequired: false, comment: "" },
  ]);
  return { ...arm, fields: new Map([...arm.fields, ...absent]) };
}

/** True when one field tells all arms apart: TypeScript then looks at the right one. */
function hasTag(arms: readonly ObjectShape[]): boolean {
  const [first] = arms;
  if (first === undefined) return false;
  return [...first.fields.keys()].some((name) => {
    const values = arms.map((arm) => arm.fields.get(name)?.shape);
    return (
      values.every((shape) => shape?.kind === "literal") &&
      new Set(values.map((shape) => (shape?.kind === "literal" ? shape.value : undefined))).size ===
        arms.length
    );
  });
}
