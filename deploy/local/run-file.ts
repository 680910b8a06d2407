import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** What a running `npm start` tells gatectl, and a second one: readable by its owner only. */
export interface RunFile {
  readonly pid: number;
  readonly edgeUrl: string;
  readonly controlUrl: string;
  readonly redisUrl: string;
  readonly natsUrl: string;
  readonly secret: string;
}

const nameIn = (folder: string): string => join(folder, "run.json");

/** The process that runs a suite on this data folder now, if there is one. */
export function runningOn(folder: string): number | undefined {
  try {
    const { pid }: RunFile = JSON.parse(readFileSync(nameIn(folder), "utf8"));
    process.kill(pid, 0);
    return pid;
  } catch {
    return undefined;
  }
}

export function writeRunFile(folder: string, run: RunFile): void {
  mkdirSync(folder, { recursive: true });
  rmSync(nameIn(folder), { force: true });
  writeFileSync(nameIn(folder), `${JSON.stringify(run, undefined, 2)}\n`, { mode: 0o600 });
}

export function removeRunFile(folder: string): void {
  rmSync(nameIn(folder), { force: true });
}
