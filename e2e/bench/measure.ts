import { fork } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Load, LoadResult } from "./load.ts";

/** Clock ticks per second of /proc/<pid>/stat, on every Linux in use. */
const ticksPerSecond = 100;

/** User and system time of a process so far, microseconds. */
export function cpuMicros(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ")[1]?.split(" ") ?? [];
  return ((Number(fields[11]) + Number(fields[12])) * 1_000_000) / ticksPerSecond;
}

/** Resident memory of a process now, and the most that it ever had, bytes. */
export function memory(pid: number): { readonly now: number; readonly peak: number } {
  const status = readFileSync(`/proc/${pid}/status`, "utf8");
  const field = (name: string): number => Number(new RegExp(`^${name}:\\s+(\\d+) kB$`, "m").exec(status)?.[1]) * 1_024;
  return { now: field("VmRSS"), peak: field("VmHWM") };
}

/** Memory of a process with its share of the pages that it has in common with others (proc(5), smaps_rollup), bytes. */
export function proportionalMemory(pid: number): number {
  const sizes = readFileSync(`/proc/${pid}/smaps_rollup`, "utf8");
  return Number(/^Pss:\s+(\d+) kB$/m.exec(sizes)?.[1]) * 1_024;
}

/** Lets the most that a process ever had begin anew (proc(5), clear_refs). Gives what it has now, bytes. */
export function forgetPeak(pid: number): number {
  writeFileSync(`/proc/${pid}/clear_refs`, "5");
  return memory(pid).now;
}

/** Runs a load in its own process. */
export function drive(load: Load): Promise<LoadResult> {
  return new Promise((resolve, reject) => {
    const child = fork(join(import.meta.dirname, "load.ts"), { stdio: "inherit" });
    child.once("message", (result: LoadResult) => resolve(result));
    child.once("error", reject);
    child.once("exit", (code) =>
      code === 0 ? undefined : reject(new Error(`the load ended with ${code ?? "a signal"}`)),
    );
    child.send(load);
  });
}

/** A load, and what each process spent on it, microseconds of CPU. */
export async function driveMeasured(
  load: Load,
  pids: Readonly<Record<string, number>>,
): Promise<{ readonly result: LoadResult; readonly cpu: Readonly<Record<string, number>> }> {
  const before = Object.fromEntries(Object.entries(pids).map(([name, pid]) => [name, cpuMicros(pid)]));
  const result = await drive(load);
  const cpu = Object.fromEntries(
    Object.entries(pids).map(([name, pid]) => [name, cpuMicros(pid) - (before[name] ?? 0)]),
  );
  return { result, cpu };
}
