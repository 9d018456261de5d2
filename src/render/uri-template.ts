/** One part of a URI template (RFC 6570). */
export type TemplatePart =
  | { readonly kind: "text"; readonly text: string }
  | {
      readonly kind: "expression";
      readonly operator: "" | "+" | "#" | "." | "/" | "?" | "&";
      readonly names: readonly string[];
    };

const EXPRESSION = /^([+#./?&]?)([A-Za-z0-9_.%-]+\*?(?:,[A-Za-z0-9_.%-]+\*?)*)$/;

/**
 * The parts of a template, or `undefined` for what is not understood: prefixes (`{name:3}`), reserved operators, lone braces.
 * A value is one text, so `{path*}` means the same as `{path}`.
 */
export function parseUriTemplate(template: string): readonly TemplatePart[] | undefined {
  const parts: TemplatePart[] = [];
  for (const [index, piece] of template.split(/\{([^{}]*)\}/).entries()) {
    if (index % 2 === 0) {
      if (/[{}]/.test(piece)) return undefined;
      if (piece !== "") parts.push({ kind: "text", text: piece });
      continue;
    }
    const found = EXPRESSION.exec(piece);
    if (found === null) return undefined;
    const [, operator = "", list = ""] = found;
    parts.push({
      kind: "expression",
      operator: operator as Extract<TemplatePart, { kind: "expression" }>["operator"],
      names: list.split(",").map((name) => name.replace("*", "")),
    });
  }
  return parts;
}
