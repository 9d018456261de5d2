import type { JsonObject } from "../kernel/json.ts";
import {
  allPartial,
  allRequired,
  pickedMembers,
  recordOf,
  withoutMembers,
  withoutNull,
  wordsIn,
} from "./object-schema.ts";
import { type ReadType, type Reference, type Scope, unsayable, WRITE_OUT } from "./type-node.ts";

/**
 * The types of the language that make one object type of another, and its names for lists; `undefined` for any other name.
 * @param read gives the schema of an argument, not a reference to it
 */
export async function utilityType(
  name: string,
  { node, scope }: { readonly node: Reference; readonly scope: Scope },
  read: ReadType,
): Promise<JsonObject | undefined> {
  const given = node.typeParameters?.params ?? [];
  const argument = async (at: number): Promise<JsonObject> => {
    const wanted = given[at];
    return wanted ? await read(wanted, scope) : unsayable(node, scope, `${name} needs a type.`, WRITE_OUT);
  };
  switch (name) {
    case "integer":
      return { type: "integer" };
    case "Array":
    case "ReadonlyArray":
      return { type: "array", items: await argument(0) };
    case "Readonly":
      return await argument(0);
    case "NonNullable":
      return withoutNull(await argument(0));
    case "Record":
      return recordOf(await argument(0), await argument(1));
    case "Partial":
      return allPartial(await argument(0));
    case "Required":
      return allRequired(await argument(0));
    case "Pick":
      return pickedMembers(await argument(0), wordsIn(await argument(1)));
    case "Omit":
      return withoutMembers(await argument(0), wordsIn(await argument(1)));
    default:
      return undefined;
  }
}
