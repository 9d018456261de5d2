import { type Document, parseDocument } from "yaml";

/** What stands between the two lines `---` of a SKILL.md. */
export interface FrontMatter {
  /** Fields whose value is one text. Nothing is converted: `1.10` and `no` stay as they stand. */
  readonly fields: ReadonlyMap<string, string>;
  /** Fields of the map `metadata`. */
  readonly metadata: ReadonlyMap<string, string>;
  /** Sentences. */
  readonly problems: readonly string[];
}

/**
 * Reads the front matter of a SKILL.md as leniently as its meaning allows: a field that is no YAML costs itself alone, and
 * is read as the text that stands there when it has one line. People write `description: Use when: …`.
 */
export function readFrontMatter(text: string): FrontMatter {
  const lines = text.replace(/^\ufeff/, "").split(/\r\n|\n|\r/);
  if (text.trim() === "") return nothing("The file is empty.");
  if (lines[0]?.trimEnd() !== "---")
    return nothing(linkProblem(text) ?? "It does not begin with a line `---`, so it has no front matter.");
  const end = lines.findIndex((line, index) => index > 0 && line.trimEnd() === "---");
  if (end < 0) return readFields(lines.slice(1), ["The front matter is not closed by a second line `---`."]);
  return readFields(lines.slice(1, end), []);
}

function nothing(problem: string): FrontMatter {
  return { fields: new Map(), metadata: new Map(), problems: [problem] };
}

/** Git on Windows writes a symbolic link as a file that holds its path. */
function linkProblem(text: string): string | undefined {
  return /^(?:\.\.?\/)[^\s\0]+$/.test(text.trim())
    ? `It holds nothing but the path ${text.trim()}: this looks like a symbolic link that was checked out as text.`
    : undefined;
}

function readFields(lines: readonly string[], problems: string[]): FrontMatter {
  const fields = new Map<string, string>();
  let metadata: ReadonlyMap<string, string> = new Map();
  for (const { key, text, rest } of chunksOf(lines)) {
    if (fields.has(key) || (key === "metadata" && metadata.size > 0)) {
      problems.push(`The field ${JSON.stringify(key)} stands twice; the first one counts.`);
      continue;
    }
    const value = parseValue(text, key);
    if (typeof value === "string") fields.set(key, value);
    else if (value instanceof Map && key === "metadata") metadata = textsOf(value);
    else if (value === undefined) {
      problems.push(`The field ${JSON.stringify(key)} is no YAML; put its value in quotes.`);
      if (rest !== undefined) fields.set(key, rest);
    }
  }
  return { fields, metadata, problems };
}

/** The front matter cut at its top-level keys. `rest` is the value as it stands, for a field of one line. */
function chunksOf(
  lines: readonly string[],
): readonly { key: string; text: string; rest: string | undefined }[] {
  const chunks: { key: string; lines: string[]; rest: string }[] = [];
  for (const line of lines) {
    const head = /^([A-Za-z_][\w-]*)\s*:(?:\s+(.*))?$/.exec(line);
    if (head) chunks.push({ key: head[1] ?? "", lines: [line], rest: (head[2] ?? "").trim() });
    else chunks.at(-1)?.lines.push(line);
  }
  return chunks.map(({ key, lines: own, rest }) => ({
    key,
    text: own.join("\n"),
    rest: own.slice(1).every((line) => line.trim() === "") ? rest : undefined,
  }));
}

/** The value of one field, every scalar as text; `undefined` where it is no YAML. Aliases, a bomb's fuse, are none. */
function parseValue(text: string, key: string): unknown {
  try {
    const document: Document = parseDocument(text, { schema: "failsafe", logLevel: "silent" });
    if (document.errors.length > 0) return undefined;
    const map: unknown = document.toJS({ mapAsMap: true, maxAliasCount: 0 });
    const value: unknown = map instanceof Map ? map.get(key) : undefined;
    return value === null ? "" : value;
  } catch {
    return undefined;
  }
}

function textsOf(map: ReadonlyMap<unknown, unknown>): ReadonlyMap<string, string> {
  const texts = new Map<string, string>();
  for (const [key, value] of map)
    if (typeof key === "string" && typeof value === "string") texts.set(key, value);
  return texts;
}
