import { appendFileSync, readFileSync } from "node:fs";
import { loadavg } from "node:os";
import { join } from "node:path";

/** Runs so far, a line of the table each: when, at which load, and the figures. */
const file = join(import.meta.dirname, "../history.md");
/** From this on a figure counts as worse. */
const tolerance = 1.1;

/** Adds a run to the history; gives the figures that are worse than in the run before, each in a sentence. */
export function remember(figures: Readonly<Record<string, number>>): readonly string[] {
  const worse = worseThan(lastRun(readFileSync(file, "utf8")), figures);
  const date = new Date().toISOString().slice(0, "2026-01-31T10:00".length);
  const text = Object.entries(figures).map(([name, micros]) => `${name} = ${Math.round(micros)}`);
  appendFileSync(file, `| ${date} | ${(loadavg()[0] ?? 0).toFixed(1)} | ${text.join("; ")} |\n`);
  return worse;
}

/** The figures of the newest run in the history's text. */
export function lastRun(text: string): Readonly<Record<string, number>> {
  const cells = text.trimEnd().split("\n").at(-1)?.split("|")[3] ?? "";
  return Object.fromEntries(
    Array.from(cells.matchAll(/([^;=]+) = (\d+)/g), ([, name = "", micros]) => [name.trim(), Number(micros)]),
  );
}

/** Says which figures have grown by more than a tenth. */
export function worseThan(
  before: Readonly<Record<string, number>>,
  now: Readonly<Record<string, number>>,
): readonly string[] {
  return Object.entries(now).flatMap(([name, micros]) => {
    const old = before[name];
    if (old === undefined || old === 0 || micros <= old * tolerance) return [];
    return [`${name}: ${Math.round(micros)} µs, was ${old} µs (+${Math.round((micros / old - 1) * 100)} %)`];
  });
}
