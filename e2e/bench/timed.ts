import { report } from "./options.ts";

/** Runs a function six times, and reports the first duration separately because caches are empty. */
export async function time(name: string, run: () => Promise<unknown>): Promise<void> {
  const taken: number[] = [];
  let cpuMs = 0;
  for (let turn = 0; turn < 6; turn++) {
    const [startedAt, before] = [performance.now(), process.cpuUsage()];
    const result = await run();
    taken.push(typeof result === "number" ? result : performance.now() - startedAt);
    const { user, system } = process.cpuUsage(before);
    cpuMs = (user + system) / 1_000;
  }
  const [first, ...rest] = taken;
  report(`  ${name}`, `${spreadOf(rest)}, first ${ms(first)}, CPU here ${ms(cpuMs)}`);
}

/** Formats the median and the maximum of durations. */
export function spreadOf(times: readonly number[]): string {
  const sorted = times.toSorted((left, right) => left - right);
  return `${ms(sorted[Math.floor((sorted.length - 1) / 2)])}, slowest ${ms(sorted.at(-1))}`;
}

/** Formats milliseconds. */
export function ms(value = 0): string {
  return `${value.toFixed(1)} ms`;
}
