import { freeName } from "./identifier.ts";
import { moduleNames } from "./imports.ts";
import { type Parsed, parseScript, type SyntaxNode } from "./parse.ts";
import { isWorkspaceName, relativeSpecifier, withoutExtension, workspacePath } from "./specifier.ts";
import { applyEdits, placeOf, type TextEdit } from "./text-edits.ts";
import { readTopLevel, type TopLevel } from "./top-level.ts";
import { type SkillModuleOptions, usesArgs, wrapScript } from "./wrap-script.ts";

/** A skill's module, or why the script cannot become one. */
export type SkillModule =
  | { readonly kind: "module"; readonly text: string }
  | { readonly kind: "problem"; readonly message: string; readonly line: number | null };

/**
 * Turns a script into a module that exports functions and does nothing when it is imported. A script that exports functions
 * keeps its text; any other becomes the body of one async function. The default export is a function in each case, so that
 * the skill can also be run by itself. Imports lead from the skill's folder, those of the workspace in the form
 * `../../servers/x`.
 */
export function toSkillModule(text: string, options: SkillModuleOptions): SkillModule {
  const parsed = parseScript(text);
  if (!parsed || (parsed.errors?.length ?? 0) > 0)
    return { kind: "problem", message: "The script does not parse.", line: null };
  const top = readTopLevel(parsed);
  const links = linkEdits(parsed, options);
  const hasFunction = top.exportedFunctions.length > 0;
  const isFunctionDefault = top.defaultExport !== undefined && top.defaultExport.kind !== "value";
  if (top.firstEffect === undefined && (hasFunction || isFunctionDefault))
    return { kind: "module", text: keepFunctions(text, top, links, options) };
  if (top.firstEffect !== undefined && hasFunction)
    return {
      kind: "problem",
      message: `The script exports ${top.exportedFunctions.join(", ")} and also does something by itself: whoever imported the skill would run it.`,
      line: placeOf(text, top.firstEffect.start).line,
    };
  return { kind: "module", text: wrapScript(text, parsed, top, links, options) };
}

/** Imports as they lead from the skill's folder. */
function linkEdits(parsed: Parsed, options: SkillModuleOptions): readonly TextEdit[] {
  return moduleNames(parsed).flatMap(({ specifier, start, end }) => {
    const target = specifier.startsWith(".") ? workspacePath(specifier, options.scriptFolder) : undefined;
    if (target === undefined) return [];
    // `./servers/crm.js` is understood by the bundler, and not by an editor.
    const path = isWorkspaceName(target) ? withoutExtension(target) : target;
    return [{ start, end, insert: JSON.stringify(relativeSpecifier(options.skillFolder, path)) }];
  });
}

/** A script of functions: its text stays; the default export becomes a function with a name of its own. */
function keepFunctions(
  text: string,
  top: TopLevel,
  links: readonly TextEdit[],
  options: SkillModuleOptions,
): string {
  const found = top.defaultExport;
  if (found === undefined) {
    const main =
      top.exportedFunctions.find((name) => name === options.functionName) ?? top.exportedFunctions[0];
    return `${ended(applyEdits(text, links))}\nexport default ${main};\n`;
  }
  const { start } = found.node;
  const name = freeName(options.functionName, top.names);
  switch (found.kind) {
    case "name": {
      const isExported = top.exportedFunctions.includes(found.name);
      return ended(applyEdits(text, links)) + (isExported ? "" : `\nexport { ${found.name} };\n`);
    }
    case "declaration": {
      const isNamed = found.name !== "";
      const edits = [{ start, end: found.value.start, insert: "export " }];
      if (!isNamed) edits.push(nameEdit(text, found.value, name));
      return `${ended(applyEdits(text, [...links, ...edits]))}\nexport default ${isNamed ? found.name : name};\n`;
    }
    case "expression": {
      const edits = [...links, { start, end: found.value.start, insert: `export const ${name} = ` }];
      return `${ended(applyEdits(text, edits))}\nexport default ${name};\n`;
    }
    case "value": {
      // The value was computed when the script ran; a skill computes it when it is called, not when it is imported.
      const open = `export default async (${usesArgs(found.value, top) ? "args?: any" : ""}) => (`;
      const edits = [
        { start, end: found.value.start, insert: open },
        { start: found.value.end, end: found.value.end, insert: ")" },
      ];
      return ended(applyEdits(text, [...links, ...edits]));
    }
  }
}

/** Names an anonymous function declaration: `function (x)` → `function name(x)`. */
function nameEdit(text: string, declaration: SyntaxNode, name: string): TextEdit {
  const head = /^(?:async\s+)?function\s*\*?/.exec(text.slice(declaration.start, declaration.end))?.[0] ?? "";
  const at = declaration.start + head.length;
  return { start: at, end: at, insert: `${head.endsWith(" ") ? "" : " "}${name}` };
}

function ended(text: string): string {
  return text.endsWith("\n") ? text : `${text}\n`;
}
