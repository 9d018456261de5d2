import type { Json } from "../kernel/json.ts";
import type { Tool } from "../model/tool.ts";
import { printShapes } from "./print-shapes.ts";
import { nameRepeatedObjects } from "./repeated-objects.ts";
import { shapeOfSchema } from "./schema-to-shape.ts";
import { allowsEmptyObject, type Definition, OPEN_OBJECT, type Shape } from "./shape.ts";
import { toolTypeNames } from "./type-names.ts";

/** The types of one tool, as text. */
export interface ToolTypes {
  /** Exported declarations: the input, the output where one is declared, then what they refer to. */
  readonly texts: readonly string[];
  /** Names of the declarations, in the same order. */
  readonly names: readonly string[];
  readonly input: string;
  /** `any` where the tool declares no output. */
  readonly output: string;
  /** True when the tool can be called without arguments. */
  readonly isInputOptional: boolean;
  /** What was odd, a sentence each. */
  readonly messages: readonly string[];
}

/** Works out and prints the types of a tool. Never throws: types that cannot be printed become free ones. */
export async function toolTypes(tool: Tool): Promise<ToolTypes> {
  const names = toolTypeNames(tool.export);
  const messages: string[] = [];
  const taken = new Set([names.input, names.output]);
  const shared: Parameters<typeof shapeOfSchema>[0]["shared"] = new Map();
  const walk = (
    schema: Json,
    role: "input" | "value",
    rootName: string,
    side: string,
  ): ReturnType<typeof shapeOfSchema> =>
    shapeOfSchema({
      schema,
      role,
      rootName,
      taken,
      shared,
      report: (message) => {
        if (messages.length < MAX_MESSAGES) messages.push(`${side}: ${message}`);
      },
    });

  const input = walk(tool.inputSchema, "input", names.input, "Arguments");
  input.root.shape = argumentsShape(input.root.shape, (message) => messages.push(message));
  if (input.root.comment === tool.description.trim()) input.root.comment = "";
  const output =
    tool.outputSchema === undefined ? undefined : walk(tool.outputSchema, "value", names.output, "Output");

  const declarations = [
    ...new Set([
      input.root,
      ...(output ? [output.root] : []),
      ...input.definitions,
      ...(output?.definitions ?? []),
    ]),
  ];
  const repeated = nameRepeatedObjects(declarations, taken);
  const types = {
    input: names.input,
    output: output === undefined ? "any" : names.output,
    isInputOptional: allowsEmptyObject(input.root.shape),
  };
  try {
    const texts = await printShapes(declarations, repeated, new Set([input.root]));
    return { ...types, texts, names: declarations.map((one) => one.name), messages };
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    messages.push(`The types could not be printed and are left open: ${reason}`);
    const free = [`export type ${names.input} = Record<string, unknown>;`];
    if (output !== undefined) free.push(`export type ${names.output} = unknown;`);
    return {
      ...types,
      isInputOptional: true,
      texts: free,
      names: output === undefined ? [names.input] : [names.input, names.output],
      messages,
    };
  }
}

/** A schema that is odd in more places than this is odd altogether. */
const MAX_MESSAGES = 20;

/** Arguments are always an object (MCP, `tools/call`); a schema that says otherwise is not followed. */
function argumentsShape(shape: Shape, report: (message: string) => void): Shape {
  if (isObjectLike(shape, new Set())) return shape;
  if (shape.kind !== "unknown") report("Arguments: The schema describes no object; any object is accepted.");
  return OPEN_OBJECT;
}

function isObjectLike(shape: Shape, seen: Set<Definition>): boolean {
  switch (shape.kind) {
    case "object":
    case "mapped":
      return true;
    case "union":
      return shape.members.every((member) => isObjectLike(member, seen));
    case "intersection":
      return shape.members.some((member) => isObjectLike(member, seen));
    case "named":
      if (seen.has(shape.definition)) return true;
      seen.add(shape.definition);
      return isObjectLike(shape.definition.shape, seen);
    default:
      return false;
  }
}
