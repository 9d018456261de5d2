import type { McpfsError } from "../kernel/errors.ts";
import type { RenameModule } from "./filter.ts";
import { configError, fieldName, type JsonPath, type JsonText } from "./json-text.ts";
import { expandVariables, foreignVariableForm, type UsedVariable, type VariableSource } from "./variables.ts";

/** A file that an entry names, read, or why that was not possible. */
export type Loaded<T> =
  | { readonly kind: "ok"; readonly value: T }
  | { readonly kind: "problem"; readonly sentence: string; readonly hint: string };

/** The files that entries name, by absolute path; the parser itself reads none. */
export interface ReferencedFiles {
  readonly envFile: (path: string) => Loaded<Readonly<Record<string, string>>>;
  readonly renameModule: (path: string) => Loaded<RenameModule>;
}

/** What the parser needs besides the text. */
export interface ConfigContext extends VariableSource {
  /** Absolute path of the file, for messages. */
  readonly path: string;
  readonly files: ReferencedFiles;
}

/** Reads the texts of one entry: replaces variables, and collects what is wrong instead of stopping at it. */
export interface EntryReader {
  readonly context: ConfigContext;
  /** `raw` with its variables replaced; `isPath` also replaces a leading `~`. Empty where that is a problem. */
  readonly text: (raw: string, path: JsonPath, isPath?: boolean) => string;
  /** Notes that the value at `path` (within the entry) is wrong: `sentence` goes on after the field's name. */
  readonly problem: (path: JsonPath, sentence: string, hint: string) => void;
  /** Notes something odd that does no harm. */
  readonly warn: (path: JsonPath, sentence: string) => void;
  readonly used: () => readonly UsedVariable[];
  /** All that is wrong, as one error at the place of the first, or `undefined`. */
  readonly error: () => McpfsError | undefined;
}

/** Creates the reader of the entry at `at` of the file. */
export function createEntryReader(options: {
  readonly document: JsonText;
  readonly at: JsonPath;
  readonly context: ConfigContext;
  readonly warnings: string[];
}): EntryReader {
  const { document, at, context, warnings } = options;
  const problems: { readonly path: JsonPath; readonly sentence: string; readonly hint: string }[] = [];
  const used: UsedVariable[] = [];
  let hasForeignForm = false;
  const reader: EntryReader = {
    context,
    problem: (path, sentence, hint) => {
      problems.push({ path: [...at, ...path], sentence: `${fieldName([...at, ...path])} ${sentence}`, hint });
    },
    warn: (path, sentence) => {
      const { line, column } = document.keyPositionOf([...at, ...path]);
      warnings.push(`${context.path}:${line}:${column}: ${fieldName([...at, ...path])} ${sentence}`);
    },
    text: (raw, path, isPath = false) => {
      const form = foreignVariableForm(raw);
      if (form !== undefined && !hasForeignForm) {
        hasForeignForm = true;
        reader.warn(path, `holds ${form}, which stays as it is; a variable is written \${NAME}.`);
      }
      const home = isPath ? /^~(?=$|\/)|^~(?=\\)/.exec(raw)?.[0] : undefined;
      const expansion = expandVariables(home === undefined ? raw : raw.slice(1), context);
      if (expansion.kind === "problem") {
        reader.problem(path, `${expansion.sentence}.`, expansion.hint);
        return "";
      }
      used.push(...expansion.used);
      if (expansion.text.includes("\0")) {
        reader.problem(path, "holds a NUL character.", "No program takes one; remove it.");
        return "";
      }
      return (home === undefined ? "" : context.homeDir) + expansion.text;
    },
    used: () => used,
    error: () => {
      const first = problems[0];
      if (first === undefined) return undefined;
      return configError({
        file: context.path,
        position: document.positionOf(first.path),
        sentence: problems.map((problem) => problem.sentence).join(" "),
        hint: [...new Set(problems.map((problem) => problem.hint))].join(" "),
      });
    },
  };
  return reader;
}
