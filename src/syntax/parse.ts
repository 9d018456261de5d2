import { type ParseResult, parse } from "@babel/parser";

/** A script's syntax tree, with every comment. */
export type Parsed = ParseResult;
/** A statement at the top level of a script. */
export type Statement = Parsed["program"]["body"][number];

/** What every node of the tree has: its type and its range of UTF-16 offsets. */
export interface SyntaxNode {
  readonly type: string;
  readonly start: number;
  readonly end: number;
}

/**
 * Parses TypeScript as a module in which a top-level `return` is legal. Errors that the parser can step over are
 * left to the bundler, which reports them with better words.
 * @returns `undefined` where the text cannot be read at all, or is nested too deeply
 */
export function parseScript(text: string): Parsed | undefined {
  try {
    return parse(text, {
      sourceType: "module",
      allowReturnOutsideFunction: true,
      createParenthesizedExpressions: true,
      errorRecovery: true,
      plugins: ["typescript", "decorators", "decoratorAutoAccessors", "explicitResourceManagement"],
    });
  } catch (error) {
    if (error instanceof SyntaxError || error instanceof RangeError) return undefined;
    throw error;
  }
}

/** Visits `node` and all below it in the order of the text; what `enter` answers `false` to is not entered. */
export function walk(node: unknown, enter: (node: SyntaxNode) => boolean): void {
  if (Array.isArray(node)) {
    for (const item of node) walk(item, enter);
  } else if (isNode(node) && enter(node)) {
    for (const [key, child] of Object.entries(node)) if (!SKIPPED_KEYS.has(key)) walk(child, enter);
  }
}

/** Keys of a node that hold no children, or the same comments again. */
const SKIPPED_KEYS = new Set(["loc", "extra", "leadingComments", "innerComments", "trailingComments"]);

function isNode(value: unknown): value is SyntaxNode {
  return typeof value === "object" && value !== null && "type" in value && "start" in value;
}

/** True for a node with statements of its own, in which `return` and `await` mean something else. */
export function isFunctionLike(node: SyntaxNode): boolean {
  return FUNCTION_TYPES.has(node.type);
}

const FUNCTION_TYPES = new Set([
  "FunctionDeclaration",
  "FunctionExpression",
  "ArrowFunctionExpression",
  "ObjectMethod",
  "ClassMethod",
  "ClassPrivateMethod",
  "StaticBlock",
]);

/** The expression inside any number of parentheses. */
export function withoutParentheses(node: SyntaxNode): SyntaxNode {
  let inner = node;
  while (inner.type === "ParenthesizedExpression" && "expression" in inner && isNode(inner.expression))
    inner = inner.expression;
  return inner;
}
