import { readdirSync, readFileSync } from "node:fs";
import { cpuMicros, memory } from "../measure.ts";

/** A gateway under measurement, each before the same stub. */
export interface Gateway extends AsyncDisposable {
  readonly name: string;
  readonly address: string;
  readonly headers: Readonly<Record<string, string>>;
  /** The processes of its own code, by part; empty where it runs elsewhere. */
  readonly parts: Readonly<Record<string, readonly number[]>>;
  /** The servers that it needs, in the same way. */
  readonly servers: Readonly<Record<string, readonly number[]>>;
  /** Whether it speaks what ours does, the messages wire among it. */
  readonly isOurs: boolean;
}

/** CPU of each part and server of a gateway so far, microseconds. */
export function cpuOf({ parts, servers }: Gateway): Readonly<Record<string, number>> {
  return Object.fromEntries(
    Object.entries({ ...parts, ...servers }).map(([part, pids]) => [
      part,
      pids.flatMap(withChildren).map(cpuMicros).reduce(sum, 0),
    ]),
  );
}

/** Memory of the processes of a gateway, without its servers: resident memory by default, bytes. */
export function memoryOf({ parts }: Gateway, of = (pid: number) => memory(pid).now): number {
  const pids = new Set(Object.values(parts).flat().flatMap(withChildren));
  return Array.from(pids, of).reduce(sum, 0);
}

function sum(left: number, right: number): number {
  return left + right;
}

/** A process and those that it started. */
export function withChildren(pid: number): readonly number[] {
  const children = readdirSync("/proc")
    .map(Number)
    .filter((other) => parentOf(other) === pid);
  return [pid, ...children.flatMap(withChildren)];
}

function parentOf(pid: number): number | undefined {
  if (!Number.isInteger(pid)) return undefined;
  try {
    return Number(readFileSync(`/proc/${pid}/stat`, "utf8").split(") ")[1]?.split(" ")[1]);
  } catch {
    return undefined; // it has ended meanwhile
  }
}
