import { inspect } from "./inspect.ts";

const INDEX = "(index)";
const VALUES = "Values";

/** `console.table`: rows of objects or arrays in a box; anything else as `console.log` prints it. */
export function formatTable(data: unknown, columns?: readonly string[]): string {
  if (typeof data !== "object" || data === null) return typeof data === "string" ? data : inspect(data);
  const rows =
    data instanceof Map ? [...data] : data instanceof Set ? [...data].entries() : Object.entries(data);
  const names: string[] = [...(columns ?? [])];
  const table: Map<string, string>[] = [];
  let hasValues = false;
  for (const [key, row] of rows) {
    const cells = new Map<string, string>([[INDEX, String(key)]]);
    if (typeof row === "object" && row !== null) {
      for (const [name, value] of Object.entries(row)) {
        if (columns === undefined && !names.includes(name)) names.push(name);
        if (names.includes(name)) cells.set(name, inspect(value, { depth: 0 }));
      }
    } else {
      hasValues = true;
      cells.set(VALUES, inspect(row));
    }
    table.push(cells);
  }
  return box([INDEX, ...names, ...(hasValues ? [VALUES] : [])], table);
}

function box(names: readonly string[], table: readonly ReadonlyMap<string, string>[]): string {
  const widths = names.map(
    (name) => table.reduce((width, row) => Math.max(width, (row.get(name) ?? "").length), name.length) + 2,
  );
  const rule = (left: string, middle: string, right: string): string =>
    left + widths.map((width) => "─".repeat(width)).join(middle) + right;
  const line = (cells: readonly string[]): string =>
    `│${cells.map((cell, index) => ` ${cell}`.padEnd(widths[index] ?? 0)).join("│")}│`;
  return [
    rule("┌", "┬", "┐"),
    line(names),
    rule("├", "┼", "┤"),
    ...table.map((row) => line(names.map((name) => row.get(name) ?? ""))),
    rule("└", "┴", "┘"),
  ].join("\n");
}
