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
  const sum = (count: (result: Result) => number): string =>
    String(results.reduce((all, result) => all + count(result), 0));
  const diverging = results.flatMap(({ area, outcome: { books } }) =>
    books === "agree" ? [] : [`${area.name}: ${books}`],
  );
  const restMs = Math.max(...results.map(({ outcome }) => outcome.restMs));
  return [
    fault,
    sum(({ seen }) => seen.requests),
    ...areas.map((area) => seenIn(results.find((result) => result.area === area))),
    sum(({ outcome }) => outcome.lost),
    sum(({ outcome }) => outcome.double),
    diverging.length === 0 ? "agree" : diverging.join("; "),
    `${(restMs / 1_000).toFixed(1)} s`,
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

/** All rows as Markdown. */
export function asTable(areas: readonly Area[], rows: readonly (readonly string[])[]): string {
  const head = [
    "fault",
    "requests",
    ...areas.map(({ name }) => name),
    "lost events",
    "double charges",
    "books",
    "at rest after",
  ];
  return [head, head.map(() => "---"), ...rows].map((line) => `| ${line.join(" | ")} |`).join("\n");
}
