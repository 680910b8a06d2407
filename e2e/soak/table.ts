import type { RunningLoad } from "./load.ts";
import type { Outcome } from "./outcome.ts";
import type { Finding, SeriesKind } from "./series.ts";

/** What the clients of an area saw, and what became of their money. */
export interface AreaResult {
  readonly name: string;
  readonly load: RunningLoad;
  readonly outcome: Outcome;
}

/** What a soak came to. */
export interface SoakResult {
  readonly minutes: number;
  readonly calls: number;
  readonly areas: readonly AreaResult[];
  readonly findings: readonly Finding[];
}

const rowOf = (cells: readonly string[]): string => `| ${cells.join(" | ")} |`;

/** The two tables of a soak as Markdown: calls by area, and slopes. */
export function soakTables({ areas, findings }: SoakResult): string {
  const calls = [
    ["area", "requests", "went wrong", "whole answers", "charged calls", "books"],
    Array(6).fill("---"),
    ...areas.map(({ name, load, outcome }) => [
      name,
      String(load.seen.requests),
      wrongOf(load),
      String(outcome.whole),
      String(outcome.charged),
      outcome.books,
    ]),
  ];
  const slopes = [
    ["figure", "after warm-up", "at the end", "slope per 1,000 calls", "99 % interval", "tolerated", "real"],
    Array(7).fill("---"),
    ...findings.map(({ name, kind, first, last, slope, real }) => [
      name,
      shown(kind, first),
      shown(kind, last),
      slope === undefined ? "too few readings" : shown(kind, slope.slope),
      slope === undefined ? "–" : `${shown(kind, slope.low)} to ${shown(kind, slope.high)}`,
      kind.tolerance === undefined ? "not judged" : shown(kind, kind.tolerance),
      real ? "**yes**" : "no",
    ]),
  ];
  return `${calls.map(rowOf).join("\n")}\n\n${slopes.map(rowOf).join("\n")}`;
}

function wrongOf({ seen, unsent }: RunningLoad): string {
  const words = [...seen.failures].map(([what, count]) => `${count} × ${what}`);
  if (unsent > 0) words.push(`${unsent} not sent`);
  return words.length === 0 ? "–" : words.join(", ");
}

function shown({ unit }: SeriesKind, value: number): string {
  if (unit !== "B") return `${Number(value.toFixed(2))}`;
  const size = Math.abs(value);
  if (size >= 1_048_576) return `${(value / 1_048_576).toFixed(1)} MiB`;
  return size >= 1_024 ? `${(value / 1_024).toFixed(1)} KiB` : `${value.toFixed(0)} B`;
}

const begin = "<!-- npm run soak writes from here -->";
const end = "<!-- to here -->";

/** A document with its tables replaced; the words around them stay. Throws where the document has no place for them. */
export function withTables(document: string, head: string, result: SoakResult): string {
  const [from, to] = [document.indexOf(begin), document.indexOf(end)];
  if (from < 0 || to < from) throw new Error("the document has no place for the tables");
  return `${document.slice(0, from + begin.length)}\n\n${head}\n\n${soakTables(result)}\n\n${document.slice(to)}`;
}
