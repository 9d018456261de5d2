import { parse } from "@babel/parser";

/**
 * The layers of `docs/architecture.md` as one table. A folder that does not stand here is a violation, so that
 * nobody adds one without saying where it belongs.
 */
const LAYERS: ReadonlyMap<string, number> = new Map([
  // L0: what everything stands on.
  ["kernel", 0],
  // L1: pure core, without input or output.
  ["model", 1],
  ["catalog", 1],
  ["render", 1],
  ["policy", 1],
  ["masking", 1],
  ["budget", 1],
  ["schema", 1],
  ["syntax", 1],
  ["learning", 1],
  ["search", 1],
  ["extract", 1],
  ["sampling", 1],
  ["tokens", 1],
  ["vendors", 1],
  // L2: adapters, each to one thing outside; none knows another.
  ["config", 2],
  ["mcp", 2],
  ["protocol", 2],
  ["tree", 2],
  ["bundle", 2],
  ["check", 2],
  ["sandbox", 2],
  ["journal", 2],
  ["skills", 2],
  ["trust", 2],
  ["models", 2],
  ["ledger", 2],
  // L3: the engine.
  ["broker", 3],
  ["builtin", 3],
  ["engine", 3],
  // L4: edges.
  ["cli", 4],
  ["serve", 4],
  ["demo", 4],
  ["index.ts", 4],
  ["cli.ts", 4],
]);

/** The one folder that imports a package of others; a name that ends in `*` stands for all that begin so. */
const PACKAGES: readonly (readonly [name: string, folder: string])[] = [
  ["@babel/parser", "syntax"],
  ["@jitl/*", "sandbox"],
  ["@modelcontextprotocol/client", "mcp"],
  ["@modelcontextprotocol/server", "protocol"],
  ["ajv", "schema"],
  ["ajv-formats", "schema"],
  ["chokidar", "config"],
  ["commander", "cli"],
  ["core-js-pure", "sandbox"],
  ["env-paths", "trust"],
  ["esbuild", "bundle"],
  ["gpt-tokenizer", "tokens"],
  ["json-schema-to-typescript", "render"],
  ["jsonc-parser", "config"],
  ["@energetic-ai/*", "models"],
  ["p-limit", "engine"],
  ["quickjs-*", "sandbox"],
  ["smol-toml", "config"],
  ["ts-morph", "check"],
  ["write-file-atomic", "kernel"],
  ["yaml", "skills"],
  ["zod", "config"],
];

const ADAPTERS = 2;
const PURE_CORE = 1;

/** One import of a file, whatever its form; types count too. */
interface Import {
  readonly specifier: string;
  readonly line: number;
  readonly isReExport: boolean;
}

/**
 * All that breaks the law, a sentence each.
 * @param files texts by slashed path below `src/`
 */
export function violations(files: ReadonlyMap<string, string>): readonly string[] {
  const imports = new Map([...files].map(([path, text]) => [path, importsOf(path, text)] as const));
  const single = [...imports].flatMap(([path, found]) =>
    found
      .flatMap((found) => {
        const sentence = violation(path, found);
        return sentence === undefined ? [] : [`src/${path}:${found.line} ${sentence}`];
      })
      .concat(
        LAYERS.has(folderOf(path))
          ? []
          : [`src/${path}:1 is in no layer: add ${folderOf(path)} to the table.`],
      ),
  );
  return [...single, ...circles(imports)];
}

/** Files that import each other in a circle, types too: whoever reads one has to read all. One sentence a circle. */
function circles(imports: ReadonlyMap<string, readonly Import[]>): readonly string[] {
  const found: string[] = [];
  const done = new Set<string>();
  const way: string[] = [];
  const walk = (path: string): void => {
    if (way.includes(path)) {
      const circle = [...way.slice(way.indexOf(path)), path].map((file) => `src/${file}`);
      found.push(`${circle.join(" imports ")}: move what they share to a file of its own.`);
    }
    if (done.has(path) || way.includes(path)) return;
    way.push(path);
    for (const { specifier } of imports.get(path) ?? [])
      if (specifier.startsWith(".")) walk(joined(path, specifier));
    way.pop();
    done.add(path);
  };
  for (const path of imports.keys()) walk(path);
  return found;
}

function violation(path: string, { specifier, isReExport }: Import): string | undefined {
  const folder = folderOf(path);
  const layer = LAYERS.get(folder);
  if (layer === undefined) return undefined;
  if (isReExport && path !== "index.ts") return `re-exports ${specifier}; only src/index.ts does that.`;
  if (specifier.startsWith(".")) return relativeViolation(path, folder, layer, specifier);
  if (specifier.startsWith("node:")) {
    return layer === PURE_CORE
      ? `imports ${specifier}, but ${folder} is pure: it reaches the system through kernel only.`
      : undefined;
  }
  const name = specifier.split("/", specifier.startsWith("@") ? 2 : 1).join("/");
  const owner = PACKAGES.find(([known]) =>
    known.endsWith("*") ? name.startsWith(known.slice(0, -1)) : name === known,
  )?.[1];
  if (owner === undefined) return `imports ${name}, which belongs to no folder: add it to the table.`;
  return owner === folder ? undefined : `imports ${name}, which only ${owner} may import.`;
}

function relativeViolation(
  path: string,
  folder: string,
  layer: number,
  specifier: string,
): string | undefined {
  const target = folderOf(joined(path, specifier));
  if (target === folder) return undefined;
  const targetLayer = LAYERS.get(target);
  if (targetLayer === undefined) return `imports ${specifier}, which is in no layer.`;
  if (targetLayer > layer)
    return `imports ${target} (L${targetLayer}) from ${folder} (L${layer}); imports go down only.`;
  if (targetLayer === ADAPTERS && layer === ADAPTERS)
    return `imports ${target} from ${folder}; adapters never import each other.`;
  return undefined;
}

/** The folder below `src/`, or the file's own name where it lies in `src/` itself. */
function folderOf(path: string): string {
  return path.split("/", 1)[0] ?? path;
}

function joined(path: string, specifier: string): string {
  return new URL(specifier, `file:///${path}`).pathname.slice(1);
}

function importsOf(path: string, text: string): readonly Import[] {
  const tree = parse(text, {
    sourceType: "module",
    sourceFilename: path,
    plugins: ["typescript", "explicitResourceManagement"],
    createImportExpressions: true,
  });
  const found: Import[] = [];
  visit(tree.program, (node) => {
    const source =
      node.source ??
      (node.type === "TSImportType" ? node.argument : undefined) ??
      node.moduleReference?.expression;
    if (typeof source?.value !== "string" || !IMPORTING.has(node.type)) return;
    found.push({
      specifier: source.value,
      line: node.loc?.start.line ?? 1,
      isReExport: node.type === "ExportAllDeclaration" || node.type === "ExportNamedDeclaration",
    });
  });
  return found;
}

const IMPORTING: ReadonlySet<string> = new Set([
  "ImportDeclaration",
  "ImportExpression",
  "TSImportType",
  "TSImportEqualsDeclaration",
  "ExportAllDeclaration",
  "ExportNamedDeclaration",
]);

interface AnyNode {
  readonly type: string;
  readonly loc?: { readonly start: { readonly line: number } } | null;
  readonly value?: unknown;
  readonly source?: AnyNode | null;
  readonly argument?: AnyNode | null;
  readonly moduleReference?: { readonly expression?: AnyNode };
}

function visit(node: unknown, onNode: (node: AnyNode) => void): void {
  if (Array.isArray(node)) for (const item of node) visit(item, onNode);
  if (typeof node !== "object" || node === null || !("type" in node)) return;
  onNode(node as AnyNode);
  for (const [key, value] of Object.entries(node)) if (key !== "loc") visit(value, onNode);
}
