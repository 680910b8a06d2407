import { report } from "./options.ts";

/**
 * Runs a function six times. Reports the first duration separately, because caches are empty then. If `run` returns a
 * number, it is the duration.
 */
export async function measureTime(name: string, run: () => Promise<unknown>): Promise<void> {
  const durations: number[] = [];
  let cpuMs = 0;
  for (let turn = 0; turn < 6; turn++) {
    const [startedAt, before] = [performance.now(), process.cpuUsage()];
    const result = await run();
    durations.push(typeof result === "number" ? result : performance.now() - startedAt);
    const { user, system } = process.cpuUsage(before);
    cpuMs = (user + system) / 1_000;
  }
  const [first, ...rest] = durations;
  report(`  ${name}`, `${formatDurations(rest)}, first ${formatMs(first)}, CPU here ${formatMs(cpuMs)}`);
}

/** Formats the median and the maximum of durations. */
export function formatDurations(times: readonly number[]): string {
  const sorted = times.toSorted((left, right) => left - right);
  return `${formatMs(sorted[Math.floor((sorted.length - 1) / 2)])}, slowest ${formatMs(sorted.at(-1))}`;
}

/** Formats milliseconds. */
export function formatMs(value = 0): string {
  return `${value.toFixed(1)} ms`;
}
