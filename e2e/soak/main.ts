import { readFileSync, writeFileSync } from "node:fs";
import { availableParallelism, loadavg } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { areas } from "../chaos/areas/index.ts";
import { openSoakSuite, payerOf } from "./house.ts";
import { startLoad } from "./load.ts";
import { isSound, readOutcome } from "./outcome.ts";
import { openReadings } from "./readings.ts";
import { judge } from "./series.ts";
import { soakTables, withTables, type SoakResult } from "./table.ts";

/**
 * The soak: every area at a modest rate for as long as it is asked for, and what grew meanwhile. Prints two tables, writes
 * them to SOAK.md with `--write`, and ends with 1 where a slope is real, a request failed, or the books do not agree.
 */
const { values } = parseArgs({
  options: {
    minutes: { type: "string", default: "60" },
    rate: { type: "string", default: "10" },
    write: { type: "boolean", default: false },
  },
});
const [minutes, rate] = [Number(values.minutes), Number(values.rate)];
if (!(minutes > 0) || !(rate > 0)) throw new Error("--minutes and --rate are numbers above 0");

/** Each area's share of the rate: a video and a session are several requests each. */
const shares = { text: 0.5, media: 0.15, audio: 0.2, video: 0.05, realtime: 0.1 } as const;
const serviceNames = ["edge", ...areas.map(({ name }) => name), "ledger", "control"] as const;
/** Readings a soak has, at least; and the longest pause between two. */
const readings = 150;
const longestPauseMs = 15_000;

await using suite = await openSoakSuite();
const pids = Object.fromEntries([
  ...serviceNames.map((name) => [name, suite.process(name).pid] as const),
  ["NATS", suite.backends.nats.pid()] as const,
]);
await using figures = await openReadings({ pids, ...suite.backends });
const loads = areas.map((area) => ({
  name: area.name,
  load: startLoad({
    area,
    perSecond: rate * shares[area.name],
    edgeUrl: suite.edgeUrl,
    key: payerOf(area.name).key,
  }),
}));
const callsSoFar = (): number => loads.reduce((sum, { load }) => sum + load.seen.requests, 0);
const busy: number[] = [];
const end = Date.now() + minutes * 60_000;
const pauseMs = Math.min(longestPauseMs, (minutes * 60_000) / readings);
while (Date.now() < end) {
  await new Promise((resolve) => setTimeout(resolve, Math.min(pauseMs, Math.max(0, end - Date.now()))));
  await figures.read(callsSoFar());
  busy.push(loadavg()[0] ?? 0);
}
await Promise.all(loads.map(({ load }) => load.stop()));

const results = [];
for (const { name, load } of loads)
  results.push({ name, load, outcome: await readOutcome(suite, payerOf(name).accountId, load.seen) });
const result: SoakResult = { minutes, calls: callsSoFar(), areas: results, findings: figures.series.map(judge) };

const load = (busy.reduce((sum, each) => sum + each, 0) / busy.length).toFixed(1);
const head = `${new Date().toISOString().slice(0, 10)}: ${minutes} minutes, ${result.calls} requests (${rate} a second asked for), ${availableParallelism()} cores at a mean load of ${load}, ${busy.length} readings.`;
process.stdout.write(`${head}\n\n${soakTables(result)}\n`);
if (values.write) {
  const file = join(import.meta.dirname, "../SOAK.md");
  writeFileSync(file, withTables(readFileSync(file, "utf8"), head, result));
}
const wrong = results.some(({ load: { seen }, outcome }) => seen.failures.size > 0 || !isSound(outcome));
process.exitCode = wrong || result.findings.some(({ real }) => real) ? 1 : 0;
