import type { Shape } from "@modelgate/testkit";
import type { Area } from "./area.ts";
import type { AreaResult } from "./run-faults.ts";

type Cells = readonly string[];

/** Creates the row of a fault, with the failures that clients of each area saw. */
export function rowOf(fault: string, results: readonly AreaResult[]): Cells {
  const sum = (what: "lostEvents" | "unchargedAnswers" | "doubleCharges"): string => {
    const parts = results.filter((result) => result[what] > 0);
    const total = parts.reduce((all, result) => all + result[what], 0);
    return total === 0 ? "0" : `${total} (${parts.map(({ area }) => area.name).join(", ")})`;
  };
  const diverging = results.flatMap(({ area, books }) => (books === "agree" ? [] : [`${area.name}: ${books}`]));
  const settledMs = Math.max(...results.map((result) => result.settledMs));
  return [
    fault,
    String(results.reduce((all, { statistics }) => all + statistics.requests, 0)),
    ...results.map(({ statistics }) => failuresOf(statistics)),
    sum("lostEvents"),
    sum("unchargedAnswers"),
    sum("doubleCharges"),
    diverging.length === 0 ? "agree" : diverging.join("; "),
    `${(settledMs / 1_000).toFixed(1)} s`,
    today(),
  ];
}

/** Describes the failures that clients saw; `–` for none. */
export function failuresOf({ failures, disconnected, unsent }: AreaResult["statistics"]): string {
  const words = [...failures].toSorted(([, a], [, b]) => b - a).map(([what, count]) => `${count} × ${what}`);
  if (disconnected > 0) words.push(`${disconnected} disconnected`);
  if (unsent > 0) words.push(`${unsent} not sent`);
  return words.length === 0 ? "–" : words.join(", ");
}

/** Creates the head of the table, which differs between layouts. */
export function faultsHead(areas: readonly Area[], shape: Shape): Cells {
  const first = shape === "one" ? "fault, in one process" : "fault";
  const names = areas.map(({ name }) => name);
  return [
    first,
    "requests",
    ...names,
    "lost events",
    "uncharged answers",
    "double charges",
    "books",
    "at rest after",
    "seen on",
  ];
}

/** Returns the current day (UTC). */
export function today(): string {
  return new Date().toISOString().slice(0, 10);
}

/** Renders a Markdown table. */
export function asTable(head: Cells, rows: readonly Cells[]): string {
  const escape = (cell: string): string => cell.replaceAll("|", "\\|").replaceAll(/\s+/g, " ");
  return [head, head.map(() => "---"), ...rows].map((line) => `| ${line.map(escape).join(" | ")} |`).join("\n");
}

/**
 * Inserts rows into the table whose head has the same first cell. A row replaces the one with the same name; others are
 * removed if they are not in `names`.
 */
export function withRows(
  document: string,
  { head, rows, names }: { readonly head: Cells; readonly rows: readonly Cells[]; readonly names: Cells },
): string {
  const [table = ""] = new RegExp(`^\\| ${head[0]} .*(?:\\n\\|.*)*`, "m").exec(document) ?? [];
  const cellsOf = (line: string): Cells =>
    line
      .split("|")
      .slice(1, -1)
      .map((cell) => cell.trim());
  const all = new Map([...table.split("\n").slice(2).map(cellsOf), ...rows].map((row) => [row[0] ?? "", row]));
  const ordered = names.flatMap((name) => {
    const row = all.get(name);
    return row === undefined ? [] : [row];
  });
  return document.replace(table, () => asTable(head, ordered));
}

const [begin, end] = ["writes from here -->", "<!-- to here -->"];

/** Replaces the generated part of a document. Throws if it is missing. */
export function replaceGeneratedPart(document: string, text: string): string {
  const [from, to] = [document.indexOf(begin), document.indexOf(end)];
  if (from < 0 || to < from) throw new Error("the document has no place for the table");
  return `${document.slice(0, from + begin.length)}\n\n${text}\n\n${document.slice(to)}`;
}
