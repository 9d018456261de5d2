import { docComment, lineComment } from "./comment-text.ts";
import type { Head, LibrarySchema } from "./library-schema.ts";
import { literalText } from "./type-names.ts";
import type { Block, TypeNode } from "./type-node.ts";

/**
 * Reads what the library printed by a grammar that knows nothing but types, puts the names and comments back, and
 * lays it out: small objects on one line, no empty lines, no noise. Anything else in the output (a statement, a
 * call, an import) is no type and is refused.
 * @returns the text of each declaration's type, in order
 * @throws SyntaxError for output that is not one interface of types
 */
export function typeTexts(output: string, placeholders: Omit<LibrarySchema, "schema">): readonly TypeText[] {
  const parser = createParser(tokensOf(output), placeholders.blocks);
  for (const word of ["export", "interface", "Root"]) parser.expect(word);
  const root = parser.block();
  parser.expectEnd();
  return root.members.map(({ key, node }): TypeText => {
    const layout = createLayout(placeholders);
    return {
      name: placeholders.heads.get(key)?.text ?? "",
      text: layout.print(node, ""),
      isObject: node.kind === "block" && !layout.isRecord(node) && !layout.isMapped(node),
    };
  });
}

/** One declaration's type as text, without its name and comment. */
export interface TypeText {
  readonly name: string;
  readonly text: string;
  /** True for `{ … }`, which an interface can hold. */
  readonly isObject: boolean;
}

/** Comments of the library (`@minItems`) are skipped like spaces. */
const TOKEN =
  /(?:\s|\/\*[\s\S]*?\*\/)*(?:("(?:[^"\\]|\\.)*"|-?\d+(?:\.\d+)?(?:e[+-]?\d+)?n?|[A-Za-z_$][\w$]*|\.\.\.|[{}()[\]<>|&?:,])|$)/y;

function tokensOf(text: string): readonly string[] {
  const tokens: string[] = [];
  TOKEN.lastIndex = 0;
  for (;;) {
    const match = TOKEN.exec(text);
    if (match === null) throw new SyntaxError("Unexpected text in the output of the schema library.");
    if (match[1] === undefined) return tokens;
    tokens.push(match[1]);
  }
}

interface Parser {
  readonly expect: (token: string) => void;
  readonly expectEnd: () => void;
  readonly block: () => Block;
}

function createParser(tokens: readonly string[], blocks: ReadonlyMap<string, Block>): Parser {
  let next = 0;
  const take = (token: string): boolean => {
    if (tokens[next] !== token) return false;
    next += 1;
    return true;
  };
  const expect = (token: string): void => {
    if (!take(token))
      throw new SyntaxError(
        `The schema library printed ${tokens[next] ?? "nothing"} where ${token} belongs.`,
      );
  };
  const expectEnd = (): void => {
    if (next < tokens.length) throw new SyntaxError("The schema library printed more than one interface.");
  };

  const type = (): TypeNode => {
    take("|");
    return listOf("|", () => listOf("&", postfix));
  };
  const listOf = (operator: "|" | "&", part: () => TypeNode): TypeNode => {
    const first = part();
    const members = [first];
    while (take(operator)) members.push(part());
    return members.length === 1 ? first : { kind: "list", operator, members };
  };
  const postfix = (): TypeNode => {
    let node = primary();
    while (tokens[next] === "[" && tokens[next + 1] === "]") {
      next += 2;
      node = { kind: "array", item: node };
    }
    return node;
  };
  const primary = (): TypeNode => {
    if (take("(")) {
      const inner = type();
      expect(")");
      return inner;
    }
    if (tokens[next] === "{") return block();
    if (take("[")) return tuple();
    const text = tokens[next] ?? "";
    if (!/^["\w$-]/.test(text))
      throw new SyntaxError(`The schema library printed ${text || "nothing"} where a type belongs.`);
    next += 1;
    if (text === "Record") {
      for (const word of ["<", "string", ",", "never", ">"]) expect(word);
      return { kind: "word", text: "Record<string, never>" };
    }
    const ready = blocks.get(text);
    if (ready !== undefined) return ready;
    return { kind: "word", text: text.startsWith('"') ? literalText(JSON.parse(text) as string) : text };
  };
  const tuple = (): TypeNode => {
    const items: TypeNode[] = [];
    let rest: TypeNode | undefined;
    while (!take("]")) {
      if (take("...")) {
        const spread = postfix();
        rest = spread.kind === "array" ? spread.item : spread;
      } else items.push(type());
      if (!take(",") && tokens[next] !== "]") expect("]");
    }
    return { kind: "tuple", items, rest };
  };
  const block = (): Block => {
    expect("{");
    const members: { key: string; isOptional: boolean; node: TypeNode }[] = [];
    while (!take("}")) {
      let key = tokens[next] ?? "";
      next += 1;
      if (key === "[") {
        key = "[key: string]";
        for (const word of ["k", ":", "string", "]"]) expect(word);
      } else if (!/^p\d+$/.test(key))
        throw new SyntaxError(`The schema library printed ${key} where a name belongs.`);
      const isOptional = take("?");
      expect(":");
      members.push({ key, isOptional, node: type() });
    }
    return { kind: "block", members };
  };
  return { expect, expectEnd, block };
}

/** A field with its comment: behind it where both are short enough for one line, else above. */
function commented(text: string, comment: string, indent: string): readonly string[] {
  const line = lineComment(comment);
  const isBehind = line !== "" && text !== "" && text.length <= MAX_FIELD && !text.includes("\n");
  const rows = isBehind ? [`${text} ${line}`] : [line === "" ? docComment(comment, indent) : line, text];
  return rows.filter((row) => row !== "");
}

/** Columns that a field may take with a comment behind it. */
const MAX_FIELD = 70;

/**
 * From so many values on, `["a","b"][number]` instead of `"a"|"b"`: `","` is one token for a model, `"|"` are two (o200k), and
 * lists of hundreds of values exist.
 */
const LONG_ENUM = 10;

interface Layout {
  readonly print: (node: TypeNode, indent: string) => string;
  readonly isRecord: (block: Block) => boolean;
  readonly isMapped: (block: Block) => boolean;
}

/** Objects without comments that fit into this many columns stand on one line. */
const MAX_LINE = 100;

function createLayout({ heads, names }: Omit<LibrarySchema, "schema">): Layout {
  const headOf = (key: string): Head => heads.get(key) ?? { kind: "key", text: key, comment: "" };
  const isRecord = (block: Block): boolean =>
    block.members.length === 1 && block.members[0]?.key === "[key: string]";
  const isMapped = (block: Block): boolean =>
    block.members.length === 1 && headOf(block.members[0]?.key ?? "").text.startsWith("[key in ");

  const print = (node: TypeNode, indent: string): string => {
    switch (node.kind) {
      case "word":
        return names.get(node.text) ?? node.text;
      case "array": {
        const item = print(node.item, indent);
        return node.item.kind === "list" && !item.endsWith("][number]") ? `(${item})[]` : `${item}[]`;
      }
      case "tuple": {
        const items = node.items.map((item) => printItem(item, indent));
        if (node.rest !== undefined) items.push(`...${print({ kind: "array", item: node.rest }, indent)}`);
        return `[${items.join(", ")}]`;
      }
      case "list":
        return printList(node, indent);
      case "block":
        return printBlock(node, indent);
    }
  };

  const printList = ({ operator, members }: Extract<TypeNode, { kind: "list" }>, indent: string): string => {
    const texts = members.filter((member) => member.kind === "word" && member.text.startsWith('"'));
    const isLong = operator === "|" && texts.length >= LONG_ENUM;
    const parts = members
      .filter((member) => !isLong || !texts.includes(member))
      .map((member) => {
        const text = print(member, indent);
        return member.kind === "list" && operator === "&" ? `(${text})` : text;
      });
    if (isLong) parts.unshift(`[${texts.map((text) => print(text, indent)).join()}][number]`);
    return parts.join(operator);
  };

  const printItem = (item: TypeNode, indent: string): string => {
    const member = item.kind === "block" ? item.members[0] : undefined;
    if (member === undefined) return print(item, indent);
    const text = print(member.node, indent);
    if (!member.isOptional) return text;
    return member.node.kind === "list" ? `(${text})?` : `${text}?`;
  };

  const printBlock = (block: Block, indent: string): string => {
    const [first] = block.members;
    if (first !== undefined && isRecord(block)) {
      const value = print(first.node, indent);
      // A record of a named type may be that very type, which only an index signature can say.
      if (!mentionsName(first.node)) return `Record<string, ${value}>`;
    }
    const deeper = `${indent} `;
    const lines = block.members.map(({ key, isOptional, node }): { comment: string; text: string } => {
      const head = headOf(key);
      if (head.kind === "note") return { comment: head.comment, text: "" };
      return { comment: head.comment, text: `${head.text}${isOptional ? "?" : ""}: ${print(node, deeper)}` };
    });
    if (lines.every((line) => line.comment === "" && !line.text.includes("\n"))) {
      const line = `{ ${lines.map((one) => one.text).join("; ")} }`;
      if (indent.length + line.length <= MAX_LINE) return line;
    }
    const rows = lines.flatMap(({ comment, text }) => commented(text, comment, deeper));
    return ["{", ...rows.map((row) => deeper + row), `${indent}}`].join("\n");
  };

  const mentionsName = (node: TypeNode): boolean => {
    switch (node.kind) {
      case "word":
        return names.has(node.text);
      case "array":
        return mentionsName(node.item);
      case "tuple":
        return node.items.some(mentionsName) || (node.rest !== undefined && mentionsName(node.rest));
      case "list":
        return node.members.some(mentionsName);
      case "block":
        return node.members.some((member) => mentionsName(member.node));
    }
  };
  return { print, isRecord, isMapped };
}
