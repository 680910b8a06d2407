import { appendFileSync, readFileSync } from "node:fs";
import { loadavg } from "node:os";
import { join } from "node:path";

/** Runs so far, a line of the table each: when, at which load, and the figures. */
const file = join(import.meta.dirname, "../history.md");
/** From this on a figure counts as worse: all of them are better when they are lower. */
const tolerance = 1.1;

/** Figures by name. */
export type Figures = Readonly<Record<string, number>>;

/** The figures that are worse than in the newest run of the history, each in a sentence. */
export function compare(figures: Figures): readonly string[] {
  return worseThan(lastRun(readFileSync(file, "utf8")), figures);
}

/** Adds a run to the history. */
export function remember(figures: Figures): void {
  const date = new Date().toISOString().slice(0, "2026-01-31T10:00".length);
  const text = Object.entries(figures).map(([name, value]) => `${name} = ${Number(value.toFixed(2))}`);
  appendFileSync(file, `| ${date} | ${(loadavg()[0] ?? 0).toFixed(1)} | ${text.join("; ")} |\n`);
}

/** The figures of the newest run in the history's text. */
export function lastRun(text: string): Figures {
  const cells = text.trimEnd().split("\n").at(-1)?.split("|")[3] ?? "";
  return Object.fromEntries(
    Array.from(cells.matchAll(/([^;=]+) = (-?[\d.]+)/g), ([, name = "", value]) => [name.trim(), Number(value)]),
  );
}

/** Says which figures have grown by more than a tenth. */
export function worseThan(before: Figures, now: Figures): readonly string[] {
  return Object.entries(now).flatMap(([name, value]) => {
    const old = before[name];
    if (old === undefined || old <= 0 || value <= old * tolerance) return [];
    return [`${name}: ${Number(value.toFixed(2))}, was ${old} (+${Math.round((value / old - 1) * 100)} %)`];
  });
}
