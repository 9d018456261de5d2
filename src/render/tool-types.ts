import type { Json } from "../kernel/json.ts";
import type { Tool } from "../model/tool.ts";
import { rebuilt } from "./definitions.ts";
import { type DeclarationGroup, printShapes } from "./print-shapes.ts";
import { dropRepeatedComments } from "./repeated-comments.ts";
import { nameRepeatedObjects } from "./repeated-objects.ts";
import { shapeOfSchema } from "./schema-to-shape.ts";
import { allowsEmptyObject, type Definition, OPEN_OBJECT, type Shape, UNKNOWN } from "./shape.ts";
import { toolTypeNames } from "./type-names.ts";

/** The types of one tool, as text. */
export interface ToolTypes {
  /** Exported declarations: the input, the output where one is declared, then what they refer to. */
  readonly texts: readonly string[];
  /** Names of the declarations, in the same order. */
  readonly names: readonly string[];
  /** `undefined` for a tool without arguments, which needs no type of its own. */
  readonly input: string | undefined;
  /** `any` where the tool declares no output and none was observed. */
  readonly output: string;
  /** True when the tool can be called without arguments. */
  readonly isInputOptional: boolean;
  /** What was odd, a sentence each. */
  readonly messages: readonly string[];
}

/** Prints the types of tools, in the same order. Never throws: types that cannot be printed become free ones. */
export async function toolTypes(tools: readonly Tool[]): Promise<readonly ToolTypes[]> {
  const types: ToolTypes[] = [];
  for (let start = 0; start < tools.length; start += CHUNK)
    types.push(...(await printPlans(tools.slice(start, start + CHUNK).map(planOrFree))));
  return types;
}

/** Tools in one call of the library: more save little time and hold more memory. */
const CHUNK = 16;

/** What is known of a tool's types before they are printed. */
interface TypePlan extends Omit<ToolTypes, "texts" | "names"> {
  /** The name of the input, whether it is printed or not. */
  readonly inputName: string;
  readonly group: DeclarationGroup;
}

async function printPlans(plans: readonly TypePlan[]): Promise<readonly ToolTypes[]> {
  try {
    const texts = await printShapes(plans.map(({ group }) => group));
    return plans.map(({ group, inputName: _, ...plan }, index) => ({
      ...plan,
      texts: texts[index] ?? [],
      names: group.exported.map(({ name }) => name),
    }));
  } catch (error) {
    // One tool's types must not cost the others theirs.
    if (plans.length > 1) return (await Promise.all(plans.map((plan) => printPlans([plan])))).flat();
    const reason = error instanceof Error ? error.message : String(error);
    return plans.map((plan) => freeTypes(plan, reason));
  }
}

function freeTypes(
  plan: Pick<TypePlan, "inputName" | "output" | "messages">,
  reason: string,
): ToolTypes & TypePlan {
  const input: Definition = { name: plan.inputName, shape: OPEN_OBJECT, comment: "" };
  const output: Definition = { name: plan.output, shape: UNKNOWN, comment: "" };
  const exported = plan.output === "any" ? [input] : [input, output];
  return {
    ...plan,
    input: plan.inputName,
    isInputOptional: true,
    texts: [
      `export type ${plan.inputName} = Record<string, unknown>`,
      `export type ${plan.output} = unknown`,
    ].slice(0, exported.length),
    names: exported.map(({ name }) => name),
    messages: [...plan.messages, `The types could not be worked out and are left open: ${reason}`],
    group: { exported, local: [], input },
  };
}

/** A schema can still be too deep for the call stack where definitions are compared. */
function planOrFree(tool: Tool): TypePlan {
  try {
    return planTypes(tool);
  } catch (error) {
    const { input, output } = toolTypeNames(tool.export);
    const isFree = outputSchemaOf(tool) === undefined;
    const names = { inputName: input, output: isFree ? "any" : output, messages: [] };
    return freeTypes(names, error instanceof Error ? error.message : String(error));
  }
}

/** Works out the shapes of a tool's arguments and output. */
function planTypes(tool: Tool): TypePlan {
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
  const outputSchema = outputSchemaOf(tool);
  const output = outputSchema === undefined ? undefined : walk(outputSchema, "value", names.output, "Output");
  if (output !== undefined && tool.outputSchema === undefined) markObserved(output.root);

  const hasInput = !takesNothing(input.root.shape);
  const declarations = [
    ...new Set([
      ...(hasInput ? [input.root] : []),
      ...(output ? [output.root] : []),
      ...input.definitions,
      ...(output?.definitions ?? []),
    ]),
  ];
  const repeated = nameRepeatedObjects(declarations, taken);
  dropRepeatedComments([...declarations, ...repeated]);
  return {
    input: hasInput ? names.input : undefined,
    inputName: names.input,
    output: output === undefined ? "any" : names.output,
    isInputOptional: allowsEmptyObject(input.root.shape),
    messages,
    group: { exported: declarations, local: repeated, input: input.root },
  };
}

/** The schema of the type that the wrapper returns: what is declared, else what was observed. */
function outputSchemaOf(tool: Tool): Json | undefined {
  return tool.outputSchema ?? tool.learned;
}

/** What no answer has shown yet is `any`, as the whole was before: a script must not be held up by a list that was empty. */
function markObserved(root: Definition): void {
  const free = (part: Shape): Shape => (part.kind === "unknown" ? { kind: "any" } : part);
  root.shape = rebuilt({ kind: "array", item: root.shape }, free);
  if (root.shape.kind === "array") root.shape = root.shape.item;
  root.comment = "observed, not promised";
}

/** True for the object without fields that may have none. */
function takesNothing(shape: Shape): boolean {
  return shape.kind === "object" && shape.fields.size === 0 && shape.rest === undefined;
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
