import { fork } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Load, LoadResult } from "./load.ts";

/** Unit of times in /proc/<pid>/stat on Linux. */
const ticksPerSecond = 100;

/** Returns the user and system time of a process in microseconds. */
export function readCpuMicros(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ")[1]?.split(" ") ?? [];
  return ((Number(fields[11]) + Number(fields[12])) * 1_000_000) / ticksPerSecond;
}

/** Returns the resident memory of a process in bytes: now, and its maximum so far. */
export function readMemory(pid: number): { readonly now: number; readonly peak: number } {
  const status = readFileSync(`/proc/${pid}/status`, "utf8");
  const field = (name: string): number => Number(new RegExp(`^${name}:\\s+(\\d+) kB$`, "m").exec(status)?.[1]) * 1_024;
  return { now: field("VmRSS"), peak: field("VmHWM") };
}

/** Returns the memory of a process in bytes, with its share of shared pages (proc(5), smaps_rollup). */
export function readProportionalMemory(pid: number): number {
  const sizes = readFileSync(`/proc/${pid}/smaps_rollup`, "utf8");
  return Number(/^Pss:\s+(\d+) kB$/m.exec(sizes)?.[1]) * 1_024;
}

/** Resets the maximum memory of a process (proc(5), clear_refs). Returns its current memory in bytes. */
export function resetPeak(pid: number): number {
  writeFileSync(`/proc/${pid}/clear_refs`, "5");
  return readMemory(pid).now;
}

/** Runs a load in a separate process. */
export function runLoad(load: Load): Promise<LoadResult> {
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

/** Runs a load, and measures the CPU time of processes in microseconds. */
export async function runMeasuredLoad(
  load: Load,
  pids: Readonly<Record<string, number>>,
): Promise<{ readonly result: LoadResult; readonly cpu: Readonly<Record<string, number>> }> {
  const before = Object.fromEntries(Object.entries(pids).map(([name, pid]) => [name, readCpuMicros(pid)]));
  const result = await runLoad(load);
  const cpu = Object.fromEntries(
    Object.entries(pids).map(([name, pid]) => [name, readCpuMicros(pid) - (before[name] ?? 0)]),
  );
  return { result, cpu };
}
