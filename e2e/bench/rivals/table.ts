import { loadavg } from "node:os";
import { report } from "../options.ts";
import type { Gateway } from "./gateways.ts";
import { goals, type Measured } from "./goals.ts";
import { kinds } from "./kinds.ts";
import { spreadOf, formatSpread } from "./spread.ts";
import { kindNames, roundsKey, type Round } from "./turns.ts";

/** Prints each gateway's results and each goal. */
export function printTables(gateways: readonly Gateway[], measured: Measured): void {
  const load = loadavg().map((one) => one.toFixed(1));
  report("load average of the machine: 1, 5, 15 minutes", load.join(", "));
  for (const gateway of gateways)
    for (const kind of kindNames) {
      const rounds = measured.rounds.get(roundsKey(gateway, kind)) ?? [];
      if (rounds.length > 0) report(`${gateway.name}: ${kinds[kind].what}`, describe(rounds));
    }
  for (const [what, most, unit, digits, readValue] of goals) {
    const spread = readValue(measured);
    const figure = spread === undefined ? "not measured" : `${formatSpread(spread, digits)}${unit}`;
    const verdict = spread !== undefined && spread.median > most ? ": not met" : "";
    report(what, `${figure}; goal ${most}${unit}${verdict}`);
  }
}

/** Describes rounds: CPU time, requests per second, latencies and memory. */
function describe(rounds: readonly Round[]): string {
  const median = (figure: (round: Round) => number, digits = 0): string => {
    const spread = spreadOf(rounds.map(figure));
    return spread === undefined ? "" : spread.median.toFixed(digits);
  };
  const all = spreadOf(rounds.map((round) => round.totalMicros));
  const parts = Object.keys(rounds[0]?.micros ?? {});
  const cpuByPart = parts.map((part) => `${part} ${median((round) => round.micros[part] ?? 0)}`);
  const cpu = all === undefined || parts.length === 0 ? [] : [`${formatSpread(all)} µs of CPU`];
  const pace = `${median((round) => round.perSecond)}/s`;
  const times = `p50 ${median((round) => round.p50Ms, 1)} ms, p99 ${median((round) => round.p99Ms, 1)} ms`;
  const memory = parts.length === 0 ? [] : [`${median((round) => round.memory / 1_048_576)} MiB`];
  return [...cpu, ...(parts.length > 1 ? [cpuByPart.join(", ")] : []), pace, times, ...memory].join("; ");
}
