import type { Place } from "./text-edits.ts";

/**
 * How places in a rewritten script differ from those in the original. All that was added stands on line 1 or behind the last
 * line, so that lines keep their numbers.
 */
export interface LineShift {
  /** Characters added in front of line 1. */
  readonly prefixLength: number;
  /** Text that was moved into that prefix, one piece for each line on which some stood. */
  readonly moves: readonly Move[];
  /** Lines of the original. */
  readonly lineCount: number;
}

/** A piece of the prefix, and the place in the original at which it stood. */
export interface Move extends Place {
  /** Offset in the prefix. */
  readonly start: number;
  readonly length: number;
}

/** The place in the original script, or `undefined` for what was added. */
export function originalPlace(shift: LineShift, place: Place): Place | undefined {
  if (place.line > shift.lineCount) return undefined;
  if (place.line > 1) return place;
  const offset = place.column - 1;
  if (offset >= shift.prefixLength) return { line: 1, column: place.column - shift.prefixLength };
  const move = shift.moves.find(({ start, length }) => start <= offset && offset < start + length);
  return move && { line: move.line, column: move.column + offset - move.start };
}
