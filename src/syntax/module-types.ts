import { type Parsed, type Statement, type SyntaxNode, walk } from "./parse.ts";

/** A declaration that gives a type a name. */
export type TypeDeclaration = Extract<
  Statement,
  {
    readonly type:
      | "TSInterfaceDeclaration"
      | "TSTypeAliasDeclaration"
      | "TSEnumDeclaration"
      | "ClassDeclaration";
  }
>;

/** A file whose types are read. */
export interface TypeModule {
  /** As a bundler names it. */
  readonly name: string;
  readonly text: string;
  readonly parsed: Parsed;
}

/** A type's declaration, and the file in which the names in it mean something. */
export interface FoundType {
  readonly module: TypeModule;
  readonly declaration: TypeDeclaration;
}

/** Gives the module that `specifier` means in `from`; `undefined` where there is none that could be read. */
export type LoadModule = (specifier: string, from: TypeModule) => Promise<TypeModule | undefined>;

/** What a module says of the names of types. */
interface ModuleNames {
  readonly declared: ReadonlyMap<string, TypeDeclaration>;
  readonly imported: ReadonlyMap<string, Origin>;
  /** Names of namespaces → the module behind each. */
  readonly spaces: ReadonlyMap<string, string>;
  readonly exported: ReadonlyMap<string, Origin>;
  readonly stars: readonly string[];
}

/** Where a name comes from; without a specifier it is the module's own under another name. */
interface Origin {
  readonly specifier: string | undefined;
  readonly name: string;
}

/** A chain of exports that is longer is a circle. */
const MAX_STEPS = 50;

/** Finds the declarations of types by name, through imports and exports. */
export function createTypeFinder(load: LoadModule): {
  /** @param path `["Invoice"]`, or `["crm", "QueryOutput"]` behind a namespace */
  readonly find: (path: readonly string[], module: TypeModule) => Promise<FoundType | undefined>;
} {
  const known = new Map<TypeModule, ModuleNames>();
  const namesOf = (module: TypeModule): ModuleNames => {
    const names = known.get(module) ?? readNames(module.parsed);
    known.set(module, names);
    return names;
  };

  const follow = async (
    { specifier, name }: Origin,
    from: TypeModule,
    steps: number,
  ): Promise<FoundType | undefined> => {
    if (specifier === undefined) return await inside(name, from, steps);
    const module = await load(specifier, from);
    return module && (await exportOf(name, module, steps));
  };

  const inside = async (name: string, module: TypeModule, steps: number): Promise<FoundType | undefined> => {
    const { declared, imported } = namesOf(module);
    const declaration = declared.get(name);
    if (declaration !== undefined) return { module, declaration };
    const origin = imported.get(name);
    return origin && steps < MAX_STEPS ? await follow(origin, module, steps + 1) : undefined;
  };

  const exportOf = async (
    name: string,
    module: TypeModule,
    steps: number,
  ): Promise<FoundType | undefined> => {
    if (steps >= MAX_STEPS) return undefined;
    const { exported, declared, stars } = namesOf(module);
    const origin = exported.get(name);
    if (origin !== undefined) return await follow(origin, module, steps + 1);
    const declaration = declared.get(name);
    if (declaration !== undefined) return { module, declaration };
    for (const specifier of stars) {
      const found = await follow({ specifier, name }, module, steps + 1);
      if (found !== undefined) return found;
    }
    return undefined;
  };

  return {
    find: async ([first = "", ...rest], module) => {
      const [member] = rest;
      if (member === undefined) return await inside(first, module, 0);
      const specifier = rest.length === 1 ? namesOf(module).spaces.get(first) : undefined;
      return specifier === undefined ? undefined : await follow({ specifier, name: member }, module, 0);
    },
  };
}

function readNames({ program }: Parsed): ModuleNames {
  const declared = new Map<string, TypeDeclaration>();
  const imported = new Map<string, Origin>();
  const spaces = new Map<string, string>();
  const exported = new Map<string, Origin>();
  const stars: string[] = [];
  for (const statement of program.body) {
    if (statement.type === "ImportDeclaration") {
      const specifier = statement.source.value;
      for (const item of statement.specifiers) {
        if (item.type === "ImportNamespaceSpecifier") spaces.set(item.local.name, specifier);
        else if (item.type === "ImportDefaultSpecifier")
          imported.set(item.local.name, { specifier, name: "default" });
        else imported.set(item.local.name, { specifier, name: nameOf(item.imported) });
      }
    } else if (statement.type === "ExportAllDeclaration") stars.push(statement.source.value);
    else if (statement.type === "ExportNamedDeclaration") {
      const specifier = statement.source?.value;
      for (const item of statement.specifiers)
        if (item.type === "ExportSpecifier")
          exported.set(nameOf(item.exported), { specifier, name: item.local.name });
    }
  }
  // Also those inside of functions: a script with a top-level return is built as one.
  walk(program.body, (node) => {
    if (isTypeDeclaration(node) && node.id && !declared.has(node.id.name)) declared.set(node.id.name, node);
    return true;
  });
  return { declared, imported, spaces, exported, stars };
}

function isTypeDeclaration(node: SyntaxNode): node is SyntaxNode & TypeDeclaration {
  return TYPE_DECLARATIONS.has(node.type);
}

const TYPE_DECLARATIONS = new Set([
  "TSInterfaceDeclaration",
  "TSTypeAliasDeclaration",
  "TSEnumDeclaration",
  "ClassDeclaration",
]);

function nameOf(
  node: { readonly type: string } & ({ readonly name: string } | { readonly value: string }),
): string {
  return "name" in node ? node.name : node.value;
}
