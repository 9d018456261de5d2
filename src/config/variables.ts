/** Where the values of variables come from. */
export interface VariableSource {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly platform: NodeJS.Platform;
  readonly homeDir: string;
  /** The folder of `mcpfs.json`: `${workspaceFolder}`. */
  readonly root: string;
}

/** A variable that was replaced by its value. */
export interface UsedVariable {
  readonly name: string;
  readonly value: string;
  /** True where the text asked for an input of VS Code, which stands for a key in most files. */
  readonly isInput: boolean;
}

/** A text with its variables replaced, or why that is not possible. */
export type Expansion =
  | { readonly kind: "text"; readonly text: string; readonly used: readonly UsedVariable[] }
  | { readonly kind: "problem"; readonly sentence: string; readonly hint: string };

/**
 * Replaces variables by these rules: `${NAME}` and `${env:NAME}` by the environment's value, which may be empty;
 * `${NAME-text}` by `text` where NAME is not set; `${NAME:-text}` also where it is empty; `text` may hold variables
 * itself. `${workspaceFolder}`, `${workspaceFolderBasename}`, `${userHome}`, `${pathSeparator}` and `${/}` are
 * Cursor's and VS Code's. `${input:search-key}` is the environment's `SEARCH_KEY`. `$${` is the text `${`.
 * Any other `${…}` is a problem: a server that starts with a placeholder for a key fails where nobody looks.
 * `$NAME`, `%NAME%` and `{{NAME}}` stay as they are.
 */
export function expandVariables(text: string, source: VariableSource): Expansion {
  const used: UsedVariable[] = [];
  let result = "";
  let position = 0;
  for (;;) {
    const start = text.indexOf("${", position);
    if (start === -1) return { kind: "text", text: result + text.slice(position), used };
    if (text[start - 1] === "$" && start > position) {
      result += `${text.slice(position, start - 1)}\${`;
      position = start + 2;
      continue;
    }
    const end = closingBrace(text, start + 2);
    if (end === -1) return problem("has a variable without its closing brace", ESCAPE_HINT);
    const value = bodyValue(text.slice(start + 2, end), source, used);
    if (value.kind === "problem") return value;
    result += text.slice(position, start) + value.text;
    position = end + 1;
  }
}

/** Names of the environment's variables that a text refers to, in whatever form; those of its defaults too. */
export function variableNames(text: string): readonly string[] {
  const inputs = Array.from(text.matchAll(/\$\{input:([^\s:{}]+)\}/g), ([, id = ""]) => inputVariable(id));
  const names = Array.from(
    text.matchAll(/\$\{(?:env:)?([A-Za-z_][A-Za-z0-9_]*)(?=\}|:?-)/g),
    ([, name = ""]) => name,
  );
  return [...inputs, ...names.filter((name) => !PLACES.includes(name))];
}

const ESCAPE_HINT = "Write $${ where the text itself is meant.";

/** The `}` that ends the variable whose name starts at `from`: a default may hold variables of its own. */
function closingBrace(text: string, from: number): number {
  let depth = 1;
  for (let position = from; position < text.length; position += 1) {
    if (text.startsWith("${", position)) depth += 1;
    else if (text[position] === "}") depth -= 1;
    if (depth === 0) return position;
  }
  return -1;
}

type Value = { readonly kind: "text"; readonly text: string } | (Expansion & { readonly kind: "problem" });

function bodyValue(body: string, source: VariableSource, used: UsedVariable[]): Value {
  const place = placeOf(body, source);
  if (place !== undefined) return { kind: "text", text: place };
  const input = /^input:([^\s:{}]+)$/.exec(body)?.[1];
  const form = /^(?:env:)?([A-Za-z_][A-Za-z0-9_]*)(?:(:?-)([\s\S]*))?$/.exec(body);
  const name = input === undefined ? form?.[1] : inputVariable(input);
  // The body may hold a key typed in the wrong place, so it is not shown.
  if (name === undefined || name === "") {
    return problem(
      "has a variable of a form that mcpfs does not know",
      `Use \${NAME} or \${NAME:-default}. ${ESCAPE_HINT}`,
    );
  }
  const value = lookUp(name, source);
  const [, , operator, fallback = ""] = form ?? [];
  if (operator !== undefined && (value === undefined || (operator === ":-" && value === ""))) {
    const expanded = expandVariables(fallback, source);
    if (expanded.kind === "text") used.push(...expanded.used);
    return expanded;
  }
  if (value === undefined) {
    return input === undefined
      ? problem(
          `needs the environment variable ${name}, which is not set`,
          `Set ${name}, or give a default: \${${name}:-default}.`,
        )
      : problem(
          `needs the input ${input}, for which the environment variable ${name} is not set`,
          `mcpfs never asks at a terminal: set ${name}.`,
        );
  }
  used.push({ name, value, isInput: input !== undefined });
  return { kind: "text", text: value };
}

function problem(sentence: string, hint: string): Expansion & { readonly kind: "problem" } {
  return { kind: "problem", sentence, hint };
}

/** Words of Cursor and VS Code that are no variables of the environment. */
const PLACES = ["workspaceFolder", "workspaceFolderBasename", "userHome", "pathSeparator"];

function placeOf(body: string, source: VariableSource): string | undefined {
  switch (body) {
    case "workspaceFolder":
      return source.root;
    case "workspaceFolderBasename":
      return source.root.split(/[\\/]/).findLast((part) => part !== "") ?? "";
    case "userHome":
      return source.homeDir;
    case "pathSeparator":
    case "/":
      return source.platform === "win32" ? "\\" : "/";
    default:
      return undefined;
  }
}

/** The environment variable that answers an input of VS Code: `search-key` and `searchKey` are `SEARCH_KEY`. */
export function inputVariable(id: string): string {
  return id
    .replace(/([a-z0-9])([A-Z])/g, "$1_$2")
    .replace(/[^A-Za-z0-9]+/g, "_")
    .toUpperCase();
}

/** On Windows the environment knows no case: `Path` answers `PATH`. */
function lookUp(name: string, source: VariableSource): string | undefined {
  if (Object.hasOwn(source.env, name)) return source.env[name];
  if (source.platform !== "win32") return undefined;
  const key = Object.keys(source.env).find((candidate) => candidate.toLowerCase() === name.toLowerCase());
  return key === undefined ? undefined : source.env[key];
}

/**
 * The first form of another program's variables that `text` holds, as a form and not as the text itself, which may
 * be a key: `$NAME`, `%NAME%` or `{{NAME}}`. Small letters after a `$` and percent-encoded bytes are not meant.
 */
export function foreignVariableForm(text: string): string | undefined {
  if (/\$[A-Z_][A-Z0-9_]*/.test(text)) return "$NAME";
  if (/%(?![0-9A-Fa-f]{2}%)[A-Za-z_][A-Za-z0-9_]*%/.test(text)) return "%NAME%";
  return /\{\{\s*[\w.-]+\s*\}\}/.test(text) ? "{{NAME}}" : undefined;
}
