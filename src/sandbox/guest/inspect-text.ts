const CONTROL =
  /[\u0000-\u001f\u007f-\u009f\\]|[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g;
const SHORT: Readonly<Record<string, string>> = {
  "\b": "\\b",
  "\t": "\\t",
  "\n": "\\n",
  "\f": "\\f",
  "\r": "\\r",
  "\v": "\\x0B",
  "\\": "\\\\",
};

/** A text in quotes: single ones unless it holds them, then double ones, then backticks. */
export function quoted(text: string): string {
  const hasSingle = text.includes("'");
  const quote = !hasSingle
    ? "'"
    : !text.includes('"')
      ? '"'
      : !text.includes("`") && !text.includes("${")
        ? "`"
        : "'";
  const inner = text.replace(CONTROL, escaped);
  return `${quote}${quote === "'" && hasSingle ? inner.replaceAll("'", "\\'") : inner}${quote}`;
}

/** A member's name as it stands in an object literal. */
export function quotedKey(key: string): string {
  return /^[a-zA-Z_][a-zA-Z_0-9]*$/.test(key) ? key : quoted(key);
}

function escaped(character: string): string {
  const short = SHORT[character];
  if (short !== undefined) return short;
  const code = character.charCodeAt(0).toString(16);
  return code.length > 2 ? `\\u${code}` : `\\x${code.toUpperCase().padStart(2, "0")}`;
}
