import type { Shape } from "@modelgate/testkit";
import type { Area } from "./area.ts";
import type { Outcome } from "./books.ts";
import type { Seen } from "./clients.ts";

/** What a fault came to in one area. */
export interface Result {
  readonly area: Area;
  readonly seen: Seen;
  readonly outcome: Outcome;
}

/** A fault's row: what the clients of each area saw, and what all of them together cost. */
export function rowOf(fault: string, areas: readonly Area[], results: readonly Result[]): readonly string[] {
  const requests = results.reduce((all, { seen }) => all + seen.requests, 0);
  const sum = (what: "lost" | "double"): string => {
    const parts = results.filter(({ outcome }) => outcome[what] > 0);
    const all = parts.reduce((sum, { outcome }) => sum + outcome[what], 0);
    return all === 0 ? "0" : `${all} (${parts.map(({ area }) => area.name).join(", ")})`;
  };
  const diverging = results.flatMap(({ area, outcome: { books } }) =>
    books === "agree" ? [] : [`${area.name}: ${books}`],
  );
  const restMs = Math.max(...results.map(({ outcome }) => outcome.restMs));
  return [
    fault,
    String(requests),
    ...areas.map((area) => seenIn(results.find((result) => result.area === area))),
    sum("lost"),
    sum("double"),
    diverging.length === 0 ? "agree" : diverging.join("; "),
    `${(restMs / 1_000).toFixed(1)} s`,
    new Date().toISOString().slice(0, 10),
  ];
}

function seenIn(result: Result | undefined): string {
  if (result === undefined) return "";
  const { failures, left } = result.seen;
  const words = [...failures]
    .toSorted(([, some], [, others]) => others - some)
    .map(([what, count]) => `${count} × ${what}`);
  if (left > 0) words.push(`${left} left`);
  return words.length === 0 ? "–" : words.join(", ");
}

type Cells = readonly string[];

/** The head of the faults' table: each layout of the services has one of its own. */
export function faultsHead(areas: readonly Area[], shape: Shape): Cells {
  const names = areas.map(({ name }) => name);
  return [
    shape === "one" ? "fault, in one process" : "fault",
    "requests",
    ...names,
    "lost events",
    "double charges",
    "books",
    "at rest after",
    "seen on",
  ];
}

/** A table as Markdown. */
export function asTable(head: Cells, rows: readonly Cells[]): string {
  return [head, head.map(() => "---"), ...rows].map((line) => `| ${line.join(" | ")} |`).join("\n");
}

/**
 * A document with these rows in the table whose head begins with the same cell: each takes the place of the row that begins as
 * it does, in the order of `names`. Rows of other names go.
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
  return document.replace(table, asTable(head, ordered));
}
