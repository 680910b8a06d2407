import { readdirSync, readFileSync } from "node:fs";
import { readCpuMicros, readMemory } from "../measure.ts";

/** Measured gateway. All gateways use the same stub as vendor. */
export interface Gateway extends AsyncDisposable {
  readonly name: string;
  readonly address: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Prefix of model names that selects the vendor. */
  readonly modelPrefix?: string;
  /** Process ids of the gateway's code; empty if it runs on another machine. */
  readonly parts: Readonly<Record<string, readonly number[]>>;
  /** Process ids of the servers that it needs. */
  readonly servers: Readonly<Record<string, readonly number[]>>;
  /** Process of Node whose allocations can be measured. */
  readonly inspectable?: { readonly pid: number; logs(): string };
  readonly isOurs: boolean;
}

/** Returns the CPU time of each part and server in microseconds. */
export function cpuOf({ parts, servers }: Gateway): Readonly<Record<string, number>> {
  return Object.fromEntries(
    Object.entries({ ...parts, ...servers }).map(([part, pids]) => [
      part,
      pids.flatMap(withChildren).map(readCpuMicros).reduce(sum, 0),
    ]),
  );
}

/** Returns the memory of a gateway without its servers, in bytes. */
export function memoryOf({ parts }: Pick<Gateway, "parts">, of = (pid: number) => readMemory(pid).now): number {
  const pids = new Set(Object.values(parts).flat().flatMap(withChildren));
  return Array.from(pids, of).reduce(sum, 0);
}

function sum(left: number, right: number): number {
  return left + right;
}

/** Returns a process and its descendants. */
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
    return undefined; // the process has ended
  }
}
