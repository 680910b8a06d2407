import { formatUsd, parseNanos } from "@modelgate/contracts";
import { field } from "../field.ts";

/** Column of a table: its heading, and a function that returns the text of a row's cell. */
export type Column = readonly [head: string, cell: (row: unknown) => string];

/** Maximum width of a table, in characters. */
const maxWidth = 120;
const gap = "  ";

/**
 * Renders rows under headings, one line per row, if the lines have at most `maxWidth` characters; otherwise as a block
 * for each row, with a line for each cell. Returns `none` if there are no rows.
 */
export function table(rows: unknown, columns: readonly Column[], none: string): string {
  const cells = cellsOf(rows, columns);
  if (cells.length === 1) return none;
  const widths = widthsOf(cells);
  const width = widths.reduce((sum, each) => sum + each, gap.length * (columns.length - 1));
  return width > maxWidth ? blocks(cells) : cells.map((line) => alignedLine(line, widths)).join("\n");
}

/** Returns the headings, and the cells of each row. */
function cellsOf(rows: unknown, columns: readonly Column[]): readonly (readonly string[])[] {
  const list: readonly unknown[] = Array.isArray(rows) ? rows : [rows];
  return [columns.map(([head]) => head), ...list.map((row) => columns.map(([, cell]) => visible(cell(row))))];
}

function widthsOf(cells: readonly (readonly string[])[]): readonly number[] {
  return (cells[0] ?? []).map((_, at) => Math.max(...cells.map((line) => line[at]?.length ?? 0)));
}

function alignedLine(line: readonly string[], widths: readonly number[]): string {
  return line
    .map((cell, at) => cell.padEnd(widths[at] ?? 0))
    .join(gap)
    .trimEnd();
}

/** Renders each row as lines of a heading and a cell. Long cells continue on further lines. */
function blocks([heads = [], ...rows]: readonly (readonly string[])[]): string {
  const headWidth = Math.max(...heads.map((head) => head.length));
  const cellWidth = maxWidth - headWidth - gap.length;
  const lines = (cell: string): readonly string[] => cell.match(new RegExp(`.{1,${cellWidth}}`, "gsu")) ?? [""];
  return rows
    .map((row) =>
      row
        .flatMap((cell, at) =>
          lines(cell).map((part, first) => alignedLine([first === 0 ? (heads[at] ?? "") : "", part], [headWidth])),
        )
        .join("\n"),
    )
    .join("\n\n");
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
