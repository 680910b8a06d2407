import { formatUsd, parseNanos, plainNumber } from "@modelgate/contracts";
import { field } from "../field.ts";

/** Column of a table: its heading, and a function for its cells. */
export type Column = readonly [head: string, cell: (row: unknown) => string];

const maxWidth = 120;
const gap = "  ";

/** Maximum length of a word that is not split, such as an id. */
const maxWord = 40;

/**
 * Renders rows in lines of at most `maxWidth` characters. Long cells are wrapped. If that is not enough, each row
 * becomes a block of lines.
 */
export function renderTable(rows: unknown, columns: readonly Column[], none: string): string {
  const cells = cellsOf(rows, columns);
  if (cells.length === 1) return none;
  const widths = fittingWidths(cells);
  return widths === undefined ? renderBlocks(cells) : cells.flatMap((line) => wrappedRow(line, widths)).join("\n");
}

/** Returns widths of the columns that fit into a line; undefined if that is impossible. */
function fittingWidths(cells: readonly (readonly string[])[]): readonly number[] | undefined {
  const longestOf = (lengthOf: (cell: string) => number): readonly number[] =>
    (cells[0] ?? []).map((_, at) => Math.max(...cells.map((line) => lengthOf(line[at] ?? ""))));
  const full = longestOf((cell) => cell.length);
  const least = longestOf((cell) => Math.min(maxWord, Math.max(0, ...cell.split(" ").map((word) => word.length))));
  for (let widest = maxWidth; widest > 0; widest--) {
    const widths = full.map((width, at) => Math.max(least[at] ?? 0, Math.min(width, widest)));
    if (widths.reduce((sum, each) => sum + each, gap.length * (widths.length - 1)) <= maxWidth) return widths;
  }
  return undefined;
}

function wrappedRow(line: readonly string[], widths: readonly number[]): readonly string[] {
  const parts = line.map((cell, at) => wrapText(cell, widths[at] ?? 0));
  const height = Math.max(...parts.map(({ length }) => length));
  return Array.from({ length: height }, (_, row) =>
    alignedLine(
      parts.map((cell) => cell[row] ?? ""),
      widths,
    ),
  );
}

/** Splits a text into lines, at spaces if possible. */
function wrapText(text: string, width: number): readonly string[] {
  if (text.length <= width) return [text];
  return text.match(new RegExp(`\\S.{0,${width - 1}}(?= |$)|\\S.{0,${width - 1}}`, "gsu")) ?? [""];
}

function cellsOf(rows: unknown, columns: readonly Column[]): readonly (readonly string[])[] {
  const list: readonly unknown[] = Array.isArray(rows) ? rows : [rows];
  return [
    columns.map(([head]) => head),
    ...list.map((row) => columns.map(([, cell]) => escapeControlCharacters(cell(row)))),
  ];
}

function alignedLine(line: readonly string[], widths: readonly number[]): string {
  return line
    .map((cell, at) => cell.padEnd(widths[at] ?? 0))
    .join(gap)
    .trimEnd();
}

/** Renders each row as a block, with a line for each cell. */
function renderBlocks([heads = [], ...rows]: readonly (readonly string[])[]): string {
  const headWidth = Math.max(...heads.map((head) => head.length));
  const cellWidth = maxWidth - headWidth - gap.length;
  return rows
    .map((row) =>
      row
        .flatMap((cell, at) =>
          wrapText(cell, cellWidth).map((part, index) =>
            alignedLine([index === 0 ? (heads[at] ?? "") : "", part], [headWidth]),
          ),
        )
        .join("\n"),
    )
    .join("\n\n");
}

/** Escapes control characters and changes of the text direction, so that a terminal does not execute them. */
export function escapeControlCharacters(text: string): string {
  return text.replaceAll(/[\p{Cc}\u{202a}-\u{202e}\u{2066}-\u{2069}]/gu, (character) =>
    character === "\t" ? character : `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}

/** Returns a function that shows a field as text. */
export function fieldCell(name: string): (row: unknown) => string {
  return (row) => {
    const value = field(row, name);
    if (value === undefined || value === null) return "-";
    if (Array.isArray(value)) return value.join(", ");
    if (typeof value === "number") return plainNumber(value);
    return typeof value === "string" ? value : JSON.stringify(value);
  };
}

/** Returns a function that shows a time without fractions of seconds. */
export function timeCell(name: string): (row: unknown) => string {
  const cell = fieldCell(name);
  return (row) => cell(row).replace(/\.\d+Z$/, "Z");
}

/** Returns a function that shows nano-dollars as dollars. */
export function dollarsCell(name: string): (row: unknown) => string {
  return (row) => {
    const nanos = field(row, name);
    return typeof nanos === "string" ? `$${formatUsd(parseNanos(nanos))}` : "-";
  };
}
