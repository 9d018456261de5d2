/**
 * Matches a name against a pattern of `*` (any characters, also none) and `?` (one character); all else stands
 * for itself, upper and lower case differ. Own code, since path globs of packages give `/`, `[` and `{` a
 * meaning, and tool names may hold any of them. Takes time in proportion to pattern × name, whatever the pattern.
 * @returns what each `*` stood for (the shortest that fits, from the left), or `undefined` where it does not match
 */
export function matchGlob(pattern: string, name: string): readonly string[] | undefined {
  const text = [...name];
  const [head = [], ...parts] = pattern.split("*").map((part) => [...part]);
  if (!fits(head, text, 0)) return undefined;
  const tail = parts.pop();
  if (tail === undefined) return head.length === text.length ? [] : undefined;
  const captures: string[] = [];
  let position = head.length;
  for (const part of parts) {
    let start = position;
    while (!fits(part, text, start)) {
      start += 1;
      if (start > text.length) return undefined;
    }
    captures.push(text.slice(position, start).join(""));
    position = start + part.length;
  }
  const start = text.length - tail.length;
  if (start < position || !fits(tail, text, start)) return undefined;
  return [...captures, text.slice(position, start).join("")];
}

function fits(part: readonly string[], text: readonly string[], start: number): boolean {
  if (start + part.length > text.length) return false;
  return part.every((character, index) => character === "?" || character === text[start + index]);
}
