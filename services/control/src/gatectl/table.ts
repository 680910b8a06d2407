import { formatUsd, parseNanos } from "@modelgate/contracts";
import { field } from "../field.ts";

/** Column of a table: its heading, and a function that returns the text of a row's cell. */
export type Column = readonly [head: string, cell: (row: unknown) => string];

/** Renders rows under headings. Each column is as wide as its longest cell. Returns `none` if there are no rows. */
export function table(rows: unknown, columns: readonly Column[], none: string): string {
  const list: readonly unknown[] = Array.isArray(rows) ? rows : [rows];
  if (list.length === 0) return none;
  const cells = [columns.map(([head]) => head), ...list.map((row) => columns.map(([, cell]) => visible(cell(row))))];
  const widths = columns.map((_, at) => Math.max(...cells.map((line) => line[at]?.length ?? 0)));
  return cells
    .map((line) =>
      line
        .map((cell, at) => cell.padEnd(widths[at] ?? 0))
        .join("  ")
        .trimEnd(),
    )
    .join("\n");
}

/**
 * Escapes control characters and characters that change the text direction, so that a terminal does not execute them.
 */
export function visible(text: string): string {
  return text.replaceAll(/[\p{Cc}\u{202a}-\u{202e}\u{2066}-\u{2069}]/gu, (character) =>
    character === "\t" ? character : `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}

/** Returns a cell function that shows a field as text, "-" if it is absent. */
export function fieldCell(name: string): (row: unknown) => string {
  return (row) => {
    const value = field(row, name);
    if (value === undefined || value === null) return "-";
    if (Array.isArray(value)) return value.join(", ");
    return typeof value === "string" ? value : JSON.stringify(value);
  };
}

/** Returns a cell function that shows a field in nano-dollars as dollars. */
export function dollarsCell(name: string): (row: unknown) => string {
  return (row) => {
    const nanos = field(row, name);
    return typeof nanos === "string" ? `$${formatUsd(parseNanos(nanos))}` : "-";
  };
}
