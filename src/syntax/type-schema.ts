import type { JsonObject } from "../kernel/json.ts";
import { createTypeFinder, type FoundType, type LoadModule, type TypeModule } from "./module-types.ts";
import { mergedObjects } from "./object-schema.ts";
import { createStructuralTypes } from "./structural-types.ts";
import {
  type Binding,
  enumOf,
  pathOf,
  type ReadType,
  type Reference,
  type Scope,
  type TypeNode,
  unsayable,
  WRITE_OUT,
} from "./type-node.ts";
import { utilityType } from "./utility-types.ts";

/** Says types as JSON Schema (2020-12), without a compiler: what takes inference is an error, never a guess. */
export interface TypeReader {
  /** @throws McpfsError SCRIPT_ERROR with `data` `{module, offset}`: the module's name and the UTF-16 offset of what cannot be said */
  readonly schemaOf: (type: TypeNode, module: TypeModule) => Promise<JsonObject>;
  /**
   * Of a type by its name; `undefined` where no such type is in sight.
   * @param offset of the name
   * @throws McpfsError as {@link TypeReader.schemaOf} does
   */
  readonly schemaOfName: (
    name: string,
    module: TypeModule,
    offset: number,
  ) => Promise<JsonObject | undefined>;
}

/** More is a program, and no shape of an answer. */
const MAX_NODES = 5_000;
const MAX_DEPTH = 100;

/** Creates the reader of one bundle's types. */
export function createTypeReader(load: LoadModule): TypeReader {
  const finder = createTypeFinder(load);
  return {
    schemaOf: async (type, module) => {
      const walk = createWalk(finder.find);
      return walk.finish(await walk.type(type, { module, parameters: new Map() }));
    },
    schemaOfName: async (name, module, offset) => {
      const found = await finder.find([name], module);
      if (found === undefined) return undefined;
      const walk = createWalk(finder.find);
      const scope: Scope = { module, parameters: new Map() };
      return walk.finish(await walk.named(found, [], { scope, offset }));
    },
  };
}

interface Walk {
  readonly type: (node: TypeNode, scope: Scope) => Promise<JsonObject>;
  readonly named: (
    found: FoundType,
    given: readonly TypeNode[],
    at: { readonly scope: Scope; readonly offset: number },
  ) => Promise<JsonObject>;
  readonly finish: (schema: JsonObject) => JsonObject;
}

/** One walk over one type and all that it names. */
function createWalk(find: ReturnType<typeof createTypeFinder>["find"]): Walk {
  /** Named types that are being read, and those that contain themselves. */
  const entries = new Map<string, { isRecursive: boolean; readonly name: string }>();
  const scopes = new Map<Scope, number>();
  const definitions = new Map<string, JsonObject>();
  let nodes = 0;
  let depth = 0;

  const type: Walk["type"] = async (node, scope) => {
    nodes += 1;
    depth += 1;
    if (nodes > MAX_NODES || depth > MAX_DEPTH)
      unsayable(node, scope, "The type is too large for one answer.", "Ask for a part of it.");
    const schema =
      node.type === "TSTypeReference" ? await reference(node, scope) : await structural(node, scope);
    depth -= 1;
    return schema;
  };

  const reference = async (node: Reference, scope: Scope): Promise<JsonObject> => {
    const path = pathOf(node.typeName);
    const given = node.typeParameters?.params ?? [];
    const [name = ""] = path;
    const parameter = path.length === 1 ? scope.parameters.get(name) : undefined;
    if (parameter !== undefined) return await type(parameter.type, parameter.scope);
    const found = await find(path, scope.module);
    if (found !== undefined) return await named(found, given, { scope, offset: node.start ?? 0 });
    const known = path.length === 1 ? await utilityType(name, { node, scope }, flatType) : undefined;
    if (known !== undefined) return known;
    const hint = NO_DATA.get(name) ?? "Declare it in the script, or import it from a file of the workspace.";
    return unsayable(node, scope, `The type ${path.join(".")} is not in sight, or is no data in JSON.`, hint);
  };

  const named: Walk["named"] = async ({ module, declaration }, given, { scope, offset }) => {
    const name = declaration.id?.name ?? "";
    if (declaration.type === "ClassDeclaration")
      return unsayable({ start: offset }, scope, `${name} is a class, and no data in JSON.`, WRITE_OUT);
    if (declaration.type === "TSEnumDeclaration") return enumOf(declaration, { scope, offset });
    const bound = given.map((argument) => bindingOf(argument, scope));
    const parameters = new Map(
      (declaration.typeParameters?.params ?? []).flatMap((parameter, at) => {
        const fallback = parameter.default as TypeNode | null | undefined;
        const binding =
          bound[at] ?? (fallback && { type: fallback, scope: { module, parameters: new Map() } });
        return binding ? [[parameter.name as unknown as string, binding] as const] : [];
      }),
    );
    const key = [module.name, declaration.start, ...bound.map(keyOfBinding)].join(" ");
    const before = entries.get(key);
    if (before !== undefined) {
      before.isRecursive = true;
      return { $ref: `#/$defs/${before.name}` };
    }
    const entry = { isRecursive: false, name: freeDefinition(name) };
    entries.set(key, entry);
    const schema = await declared(declaration, { module, parameters });
    if (entry.isRecursive) {
      definitions.set(entry.name, schema);
      return { $ref: `#/$defs/${entry.name}` };
    }
    entries.delete(key);
    return schema;
  };

  /** The same text means something else where the parameters in it do. */
  const keyOfBinding = ({ type, scope }: Binding): string => {
    const number = scope.parameters.size === 0 ? 0 : (scopes.get(scope) ?? scopes.size + 1);
    if (number > 0) scopes.set(scope, number);
    return `${scope.module.name}:${type.start}:${number}`;
  };

  const declared = async (
    declaration: Extract<
      FoundType["declaration"],
      { readonly type: "TSInterfaceDeclaration" | "TSTypeAliasDeclaration" }
    >,
    scope: Scope,
  ): Promise<JsonObject> => {
    if (declaration.type === "TSTypeAliasDeclaration") return await type(declaration.typeAnnotation, scope);
    const own = await type(
      { ...declaration.body, type: "TSTypeLiteral", members: declaration.body.body } as unknown as TypeNode,
      scope,
    );
    const parents: JsonObject[] = [];
    for (const parent of declaration.extends ?? []) {
      const node = {
        ...parent,
        type: "TSTypeReference",
        typeName: parent.expression,
      } as unknown as Reference;
      parents.push(flat(await type(node, scope)));
    }
    if (parents.length === 0) return own;
    return (
      mergedObjects([...parents, own]) ??
      unsayable(declaration, scope, "An interface can extend objects only.", WRITE_OUT)
    );
  };

  /** What a reference to a definition stands for, once that is known. */
  const flat = (schema: JsonObject): JsonObject => {
    const name = typeof schema.$ref === "string" ? schema.$ref.slice("#/$defs/".length) : undefined;
    return (name === undefined ? undefined : definitions.get(name)) ?? schema;
  };

  const freeDefinition = (name: string): string => {
    const taken = new Set([...entries.values()].map((entry) => entry.name));
    let free = name;
    for (let number = 2; taken.has(free); number += 1) free = `${name}_${number}`;
    return free;
  };

  const flatType: ReadType = async (node, scope) => flat(await type(node, scope));
  const structural = createStructuralTypes({ type, flat });

  return {
    type,
    named,
    finish: (schema) =>
      definitions.size === 0 ? schema : { ...schema, $defs: Object.fromEntries(definitions) },
  };
}

/** What an argument stands for: what its own name is bound to, where it is nothing but a parameter. */
function bindingOf(type: TypeNode, scope: Scope): Binding {
  const isName = type.type === "TSTypeReference" && !type.typeParameters;
  const path = isName ? pathOf(type.typeName) : [];
  return (path.length === 1 ? scope.parameters.get(path[0] ?? "") : undefined) ?? { type, scope };
}

/** Names of the language that people take for data. */
const NO_DATA: ReadonlyMap<string, string> = new Map([
  ["Date", "JSON has no dates: use string, and say the form in a comment behind the member."],
  ["Map", "Use Record<string, …>."],
  ["Set", "Use a list."],
  ["Promise", "Name the type that it resolves to."],
]);
