/** What one call of {@link inspect} carries through its recursion. */
export interface InspectState {
  readonly depth: number;
  /** Objects on the way from the root. */
  readonly parents: object[];
  /** Numbers of objects that hold themselves. */
  readonly circles: Map<object, number>;
  indentation: number;
  /** Level of the object formatted last; decides what goes on one line. */
  level: number;
}

/** Node's defaults: a line is at most 80 wide when parts are put on one, and three inner levels share a line. */
const LINE_WIDTH = 80;
const BREAK_LENGTH = 128;
const COMPACT_LEVELS = 3;

interface Block {
  readonly base: string;
  readonly open: string;
  readonly close: string;
  readonly parts: readonly string[];
  /** The array, when the parts are its items: long ones are set in columns. */
  readonly list: object | undefined;
  readonly level: number;
}

/** Puts the parts of an object on one line where they fit, else on lines of their own. */
export function layOut(state: InspectState, block: Block): string {
  const { base, open, close, level } = block;
  const isLongList = block.list !== undefined && block.parts.length > 6;
  const parts = isLongList ? inColumns(state, block.parts, block.list as ArrayLike<unknown>) : block.parts;
  if (state.level - level < COMPACT_LEVELS && parts.length === block.parts.length) {
    const start = parts.length + state.indentation + open.length + base.length + 10;
    const total = parts.reduce((sum, part) => sum + part.length, parts.length + start);
    const line = parts.join(", ");
    if (total <= LINE_WIDTH && !line.includes("\n")) return `${base}${open} ${line} ${close}`;
  }
  const indent = `\n${" ".repeat(state.indentation)}`;
  return `${base}${open}${indent}  ${parts.join(`,${indent}  `)}${indent}${close}`;
}

function inColumns(
  state: InspectState,
  parts: readonly string[],
  list: ArrayLike<unknown>,
): readonly string[] {
  const hasMore = list.length > 100 && parts.length > 100;
  const shown = hasMore ? parts.slice(0, -1) : parts;
  const lengths = shown.map((part) => part.length);
  const total = lengths.reduce((sum, length) => sum + length + 2, 0);
  const longest = lengths.reduce((most, length) => Math.max(most, length), 0);
  const widest = longest + 2;
  if (widest * 3 + state.indentation >= BREAK_LENGTH) return parts;
  if (total / widest <= 5 && longest > 6) return parts;
  const bias = Math.sqrt(widest - total / parts.length);
  const biased = Math.max(widest - 3 - bias, 1);
  const columns = Math.min(
    Math.round(Math.sqrt(2.5 * biased * shown.length) / biased),
    Math.floor((LINE_WIDTH - state.indentation) / widest),
    COMPACT_LEVELS * 4,
    15,
  );
  if (columns <= 1) return parts;
  const widths: number[] = [];
  for (let column = 0; column < columns; column += 1) {
    let width = 0;
    for (let row = column; row < shown.length; row += columns) width = Math.max(width, lengths[row] ?? 0);
    widths.push(width + 2);
  }
  const isNumeric = Array.from(list).every((item) => typeof item === "number" || typeof item === "bigint");
  const lines: string[] = [];
  for (let start = 0; start < shown.length; start += columns) {
    const row = shown.slice(start, start + columns);
    lines.push(
      row
        .map((part, column) => {
          const isLast = column === row.length - 1;
          const width = (widths[column] ?? 0) - (isLast ? 2 : 0);
          const text = isLast ? part : `${part}, `;
          return isNumeric ? text.padStart(width) : isLast ? text : text.padEnd(width);
        })
        .join(""),
    );
  }
  if (hasMore) lines.push(parts.at(-1) ?? "");
  return lines;
}
