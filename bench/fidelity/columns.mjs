import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parse } from "@babel/parser";
import { compile } from "json-schema-to-typescript";
import { buildCatalog } from "../../dist/catalog/build.js";
import { normalizeTools } from "../../dist/catalog/normalize.js";
import { renderServer } from "../../dist/render/server-files.js";
import { renderWorkspace } from "../../dist/render/workspace-files.js";

/*
 * A column is {name, files: Map, heads: Map of server → lines, types: Map of tool key → {input, output}, texts: Map of tool
 * key → text that a model reads, notes}. `input` and `output` are names of types in the server's head.
 */

const HEAD = [
  "type In<F extends (input: any) => unknown> = Exclude<Parameters<F>[0], undefined>;",
  "type Out<F extends (...input: any) => unknown> = ReturnType<F> extends Promise<infer O> ? O : never;",
];

/** A config that says nothing: every tool is allowed, under its own name, with the output that it declares. */
const EVERYTHING = {
  isEnabled: true,
  purpose: "",
  filter: { isAllowed: () => true, rename: (raw) => raw },
  outputs: { schemaOf: () => undefined, learning: () => ({ isOn: false, enums: new Set() }) },
};

/** The wrappers that mcpfs writes, and all that stands beside them. */
export async function ownColumn(servers) {
  const catalog = buildCatalog(
    servers.map(({ name, tools }) => ({
      entry: { name, ...EVERYTHING },
      tools: normalizeTools(name, tools).tools,
    })),
    { servers: new Map(), files: new Map() },
  );
  const files = new Map(renderWorkspace({ catalog: { servers: [] }, skills: [], skillCount: 0 }));
  for (const path of [...files.keys()]) if (!path.endsWith(".ts")) files.delete(path);
  const column = { name: "mcpfs", files, heads: new Map(), types: new Map(), texts: new Map(), notes: [] };
  let statements = 0;
  for (const server of catalog.servers) {
    const rendered = await renderServer(server);
    for (const [path, text] of rendered.files) files.set(path, text);
    const head = [...HEAD, `import * as s from "../servers/${server.folder}/index.js";`];
    for (const [index, tool] of server.tools.entries()) {
      const key = `${server.name}/${tool.raw}`;
      const text = rendered.files.get(tool.file);
      statements += strayStatements(text, tool.export);
      head.push(
        `type I${index} = In<typeof s.${tool.export}>; type O${index} = Out<typeof s.${tool.export}>;`,
      );
      column.types.set(key, { input: `I${index}`, output: `O${index}` });
      column.texts.set(key, text);
    }
    column.heads.set(server.name, head);
  }
  column.strayStatements = statements;
  return column;
}

/** Statements of a wrapper that are neither a type nor its one line of call. */
function strayStatements(text, name) {
  const { program } = parse(text, { sourceType: "module", plugins: ["typescript"] });
  const isType = ({ type, declaration, importKind }) =>
    importKind === "type" ||
    ["TSTypeAliasDeclaration", "TSInterfaceDeclaration"].includes(
      type === "ExportNamedDeclaration" ? declaration?.type : type,
    );
  const isCall = ({ declaration }) => {
    const [only, ...others] = declaration?.declarations ?? [];
    const { callee, arguments: given = [] } = only?.init ?? {};
    return (
      others.length === 0 &&
      only?.id.name === name &&
      callee?.type === "Identifier" &&
      given.length === 1 &&
      given[0].type === "StringLiteral"
    );
  };
  const isImport = ({ type, source }) => type === "ImportDeclaration" && source.value === "../../client.js";
  return program.body.filter((node) => !isType(node) && !isCall(node) && !isImport(node)).length;
}

/** json-schema-to-typescript as it comes, one interface a type and one line of call. */
export async function libraryColumn(servers) {
  const files = new Map();
  const column = {
    name: "json-schema-to-typescript",
    files,
    heads: new Map(),
    types: new Map(),
    texts: new Map(),
    notes: [],
  };
  let failures = 0;
  for (const { name, tools } of servers) {
    const head = [];
    for (const [index, tool] of tools.entries()) {
      const print = async (schema, typeName) => {
        // Its root would be named after these.
        const { title: _title, $id: _id, ...rest } = schema;
        try {
          return await compile(structuredClone(rest), typeName, LIBRARY_OPTIONS);
        } catch {
          failures += 1;
          return `export type ${typeName} = unknown;\n`;
        }
      };
      const input = await print(tool.inputSchema ?? {}, "ToolInput");
      const output = tool.outputSchema === undefined ? "" : await print(tool.outputSchema, "ToolOutput");
      const path = `tools/${name}/t${index}`;
      files.set(`${path}.ts`, `${input}${output}`);
      const alias = output === "" ? "" : `, ToolOutput as O${index}`;
      head.push(`import type { ToolInput as I${index}${alias} } from "../${path}.js";`);
      column.types.set(`${name}/${tool.name}`, { input: `I${index}`, output: `O${index}` });
      const result = output === "" ? "any" : "ToolOutput";
      const comment = String(tool.description ?? "").replaceAll("*/", "* /");
      column.texts.set(
        `${name}/${tool.name}`,
        `${input}${output}/** ${comment} */\nexport const ${identifier(tool.name)} = (input: ToolInput): Promise<${result}> => callMCPTool("${name}__${tool.name}", input);\n`,
      );
    }
    column.heads.set(name, head);
  }
  if (failures > 0) column.notes.push(`${failures} schemas made the library throw; their type is unknown.`);
  return column;
}

const LIBRARY_OPTIONS = {
  additionalProperties: false,
  bannerComment: "",
  format: false,
  $refOptions: { resolve: { external: false, http: false, file: false } },
};

function identifier(name) {
  return name.replace(/[^A-Za-z0-9_$]/g, "_").replace(/^(?=\d)/, "_");
}

/** `  get(id: string, "a b"?: number[]): Promise<X>;` → `{ "id": string; "a b"?: number[] }` */
function objectOfParameters(method) {
  const list = method.slice(method.indexOf("(") + 1, method.lastIndexOf("): Promise<"));
  const fields = [];
  let depth = 0;
  let quote = "";
  let field = "";
  for (const character of `${list},`) {
    if (quote !== "") quote = character === quote ? "" : quote;
    else if (character === '"' || character === "'") quote = character;
    else if ("<[{(".includes(character)) depth += 1;
    else if (">]})".includes(character)) depth -= 1;
    if (character !== "," || depth > 0 || quote !== "") {
      field += character;
      continue;
    }
    const parts = /^\s*(.+?)(\??): (.*)$/s.exec(field);
    if (parts !== null) fields.push(`${JSON.stringify(parts[1])}${parts[2]}: ${parts[3]}`);
    field = "";
  }
  return `{ ${fields.join("; ")} }`;
}

/** What `mcporter emit-ts --include-optional` writes, installed for this run only. @returns a string where that cannot be done */
export async function mcporterColumn(servers) {
  const folder = mkdtempSync(join(tmpdir(), "mcpfs-mcporter-"));
  try {
    writeFileSync(join(folder, "package.json"), '{"private":true}');
    const install = ["install", "mcporter@0.9.0", "--no-audit", "--no-fund", "--ignore-scripts", "--silent"];
    execFileSync("npm", install, {
      cwd: folder,
      stdio: "ignore",
      timeout: 240_000,
      shell: process.platform === "win32",
    });
    const { handleEmitTs } = await import(join(folder, "node_modules/mcporter/dist/cli/emit-ts-command.js"));
    const emitted = new Map([
      ["mcporter.d.ts", 'declare module "mcporter" { export type CallResult = unknown; }\n'],
    ]);
    const column = {
      name: "mcporter 0.9.0 emit-ts",
      files: new Map(),
      /** What it wrote, compiled by itself: a syntax error anywhere keeps tsc from looking at types. */
      apart: emitted,
      heads: new Map(),
      types: new Map(),
      texts: new Map(),
      notes: [],
    };
    mkdirSync(join(folder, "out"));
    const log = console.log;
    let lost = 0;
    for (const [index, { name, tools }] of servers.entries()) {
      const out = join(folder, "out", `s${index}.ts`);
      const runtime = {
        getDefinition: () => ({ name, command: { kind: "stdio", command: "node", args: [] } }),
        listTools: async () => structuredClone(tools),
      };
      console.log = () => {};
      try {
        await handleEmitTs(runtime, [name, "--out", out, "--include-optional"]);
      } finally {
        console.log = log;
      }
      const text = readFileSync(out, "utf8");
      emitted.set(`emitted/s${index}.ts`, text);
      const methods = text.split("\n").filter((line) => /^ {2}[^\s/*].*\): Promise<.*>;$/.test(line));
      if (methods.length !== tools.length) lost += tools.length;
      const head = [];
      for (const [at, tool] of tools.entries()) {
        head.push(
          `type I${at} = ${methods.length === tools.length ? objectOfParameters(methods[at]) : "unknown"}; type O${at} = unknown;`,
        );
        column.types.set(`${name}/${tool.name}`, { input: `I${at}`, output: `O${at}` });
      }
      column.heads.set(name, head);
      column.texts.set(name, text);
    }
    column.notes.push(
      "It gives a function of many parameters, judged here as an object of them; it types hardly any output and nothing below the first level of an input.",
    );
    if (lost > 0) column.notes.push(`${lost} tools are not found in what it wrote.`);
    return column;
  } catch (error) {
    return `mcporter 0.9.0 could not be installed here (${String(error.message).split("\n")[0]}); its column is left out.`;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
