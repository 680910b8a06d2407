import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** Last run of the samples of a client's page. */
export interface ClientRun {
  readonly date: string;
  /** Names and versions of its packages. */
  readonly versions: string;
  /** `works`, `fails: …` or `not run: …`. */
  readonly outcome: string;
}

const file = join(import.meta.dirname, "clients/runs.json");

/** Returns the last runs by page. */
export function readClientRuns(): Record<string, ClientRun> {
  return existsSync(file) ? JSON.parse(readFileSync(file, "utf8")) : {};
}

/** Writes the last runs by page. */
export function writeClientRuns(runs: Readonly<Record<string, ClientRun>>): void {
  const sorted = Object.fromEntries(Object.entries(runs).toSorted(([a], [b]) => a.localeCompare(b, "en")));
  writeFileSync(file, `${JSON.stringify(sorted, undefined, 2)}\n`);
}
