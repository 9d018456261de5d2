/** Replaces `text` from `start` up to `end` (UTF-16 offsets of the original) by `insert`. */
export interface TextEdit {
  readonly start: number;
  readonly end: number;
  readonly insert: string;
}

/** Applies edits that do not overlap, in any order; edits at one place keep their order. */
export function applyEdits(text: string, edits: readonly TextEdit[]): string {
  let done = "";
  let from = 0;
  for (const edit of [...edits].sort((a, b) => a.start - b.start)) {
    done += text.slice(from, edit.start) + edit.insert;
    from = edit.end;
  }
  return done + text.slice(from);
}

/** A place in a text as editors and errors name it: line and column from 1, columns in UTF-16 units. */
export interface Place {
  readonly line: number;
  readonly column: number;
}

/** The place of a UTF-16 offset. Line ends are those of the language, `\r\n` counting once. */
export function placeOf(text: string, offset: number): Place {
  let line = 1;
  let lineStart = 0;
  for (const end of text.matchAll(LINE_END)) {
    const next = end.index + end[0].length;
    if (next > offset) break;
    line += 1;
    lineStart = next;
  }
  return { line, column: offset - lineStart + 1 };
}

/** The UTF-16 offset of a place; the end of the text for a place beyond it. */
export function offsetOf(text: string, place: Place): number {
  let line = 1;
  let lineStart = 0;
  for (const end of text.matchAll(LINE_END)) {
    if (line === place.line) break;
    line += 1;
    lineStart = end.index + end[0].length;
  }
  return line < place.line ? text.length : Math.min(lineStart + place.column - 1, text.length);
}

/** The lines of a script, without their ends. */
export function linesOf(text: string): readonly string[] {
  return text.split(LINE_END);
}

const LINE_END = /\r\n|[\n\r\u2028\u2029]/g;
