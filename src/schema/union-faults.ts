import type { ErrorObject } from "ajv";

/**
 * Of a union (`anyOf`, `oneOf`) the validator reports the faults of every branch, though only one was meant. This keeps those of the
 * branch that was meant: the one whose tags fit, else the one of the right kind, else the one with the fewest faults. Where all
 * branches want another plain value, one fault names them all: `must be string or null`.
 */
export function meantFaults(errors: readonly ErrorObject[]): readonly ErrorObject[] {
  const first = firstErrors(errors);
  const places = new Map<string, number>();
  for (const { instancePath } of first) if (!places.has(instancePath)) places.set(instancePath, places.size);
  const placeOf = ({ instancePath }: ErrorObject): number => places.get(instancePath) ?? 0;
  return meantOf(first).toSorted((a, b) => placeOf(a) - placeOf(b));
}

/** A long list of wrong rows has an error for each, and for each branch of a union; the first few say it all. */
const MAX_ERRORS = 200;

/** The first of many, whole unions only: the error of a union stands behind those of its branches. */
function firstErrors(errors: readonly ErrorObject[]): readonly ErrorObject[] {
  if (errors.length <= MAX_ERRORS) return errors;
  const first = errors.slice(0, MAX_ERRORS);
  const lastUnion = first.findLastIndex(isUnion);
  return lastUnion === -1 ? first : first.slice(0, lastUnion + 1);
}

function meantOf(errors: readonly ErrorObject[]): readonly ErrorObject[] {
  const union = outermostUnion(errors);
  if (union === undefined) return errors;
  const inside = errors.filter((error) => error !== union && branchOf(union, error) !== undefined);
  const outside = errors.filter((error) => error !== union && !inside.includes(error));
  // Behind a reference the places of the branches are not told.
  if (inside.length === 0) return [...meantOf(outside), union];
  const branches = [...groupByBranch(union, inside).values()].map(meantOf);
  const merged = mergedFault(union, branches);
  const kept = merged === undefined ? (meantBranch(union, branches) ?? []) : [merged];
  return [...meantOf(outside), ...kept];
}

function isUnion({ keyword }: ErrorObject): boolean {
  return keyword === "anyOf" || keyword === "oneOf";
}

function outermostUnion(errors: readonly ErrorObject[]): ErrorObject | undefined {
  return errors
    .filter(isUnion)
    .reduce<ErrorObject | undefined>(
      (outer, error) =>
        outer === undefined || error.schemaPath.length < outer.schemaPath.length ? error : outer,
      undefined,
    );
}

/** The number of the branch that an error comes from. */
function branchOf(union: ErrorObject, { schemaPath, instancePath }: ErrorObject): string | undefined {
  if (!schemaPath.startsWith(`${union.schemaPath}/`)) return undefined;
  // Items of a list share a schema, so the value's own place counts as well.
  const isWithin = instancePath === union.instancePath || instancePath.startsWith(`${union.instancePath}/`);
  return isWithin ? schemaPath.slice(union.schemaPath.length + 1).split("/", 1)[0] : undefined;
}

function groupByBranch(
  union: ErrorObject,
  errors: readonly ErrorObject[],
): ReadonlyMap<string, readonly ErrorObject[]> {
  const groups = new Map<string, ErrorObject[]>();
  for (const error of errors) {
    const branch = branchOf(union, error) ?? "";
    groups.set(branch, [...(groups.get(branch) ?? []), error]);
  }
  return groups;
}

/** One fault for branches that each want another type, or another value. */
function mergedFault(
  union: ErrorObject,
  branches: readonly (readonly ErrorObject[])[],
): ErrorObject | undefined {
  const only = branches.flatMap((branch) => (branch.length === 1 ? branch : []));
  if (only.length < branches.length || only.some((error) => error.instancePath !== union.instancePath))
    return undefined;
  const values = only.flatMap(({ keyword, params }) => {
    const { allowedValue, allowedValues } = params as { allowedValue?: unknown; allowedValues?: unknown[] };
    return keyword === "const" ? [allowedValue] : keyword === "enum" ? (allowedValues ?? []) : [];
  });
  if (only.every(({ keyword }) => keyword === "const" || keyword === "enum"))
    return { ...union, keyword: "enum", params: { allowedValues: values } };
  if (only.every(({ keyword }) => keyword === "type"))
    return {
      ...union,
      keyword: "type",
      params: { type: only.flatMap(({ params }) => (params as { type: string }).type) },
    };
  return undefined;
}

function meantBranch(
  union: ErrorObject,
  branches: readonly (readonly ErrorObject[])[],
): readonly ErrorObject[] | undefined {
  const isTag = ({ keyword, instancePath }: ErrorObject): boolean =>
    (keyword === "const" || keyword === "enum") && instancePath !== union.instancePath;
  const isKind = ({ keyword, instancePath }: ErrorObject): boolean =>
    keyword === "type" && instancePath === union.instancePath;
  const without = (
    from: readonly (readonly ErrorObject[])[],
    isOther: (error: ErrorObject) => boolean,
  ): readonly (readonly ErrorObject[])[] => {
    const rest = from.filter((branch) => !branch.some(isOther));
    return rest.length === 0 ? from : rest;
  };
  return without(without(branches, isKind), isTag).reduce<readonly ErrorObject[] | undefined>(
    (best, branch) => (best === undefined || branch.length < best.length ? branch : best),
    undefined,
  );
}
