import { visibleText } from "../../kernel/text.ts";
import type { ScriptSource } from "../../model/bundle.ts";

/** A longer line is cut around the column. */
const MAX_WIDTH = 120;
const WIDTH_BEFORE = 60;

/** The line of a script and a caret below the column, if the place is in that script. */
export function excerptOf(
  source: ScriptSource,
  place: { readonly file: string | null; readonly line: number | null; readonly column: number | null },
): string | null {
  const line =
    place.file === source.name && place.line !== null ? source.text.split("\n")[place.line - 1] : undefined;
  if (line === undefined) return null;
  const text = visibleText(line.replaceAll("\t", " ").replace(/\r$/, ""));
  const at = Math.max(0, (place.column ?? 1) - 1);
  const start = at > MAX_WIDTH - WIDTH_BEFORE / 3 ? at - WIDTH_BEFORE : 0;
  const shown = text.slice(start, start + MAX_WIDTH);
  return place.column === null ? shown : `${shown}\n${" ".repeat(at - start)}^`;
}
