import { readFileSync, writeFileSync } from "node:fs";
import { availableParallelism, loadavg } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { setTimeout as pause } from "node:timers/promises";
import { Redis } from "ioredis";
import { modelOf } from "../chaos/area.ts";
import { areas } from "../chaos/areas.ts";
import { readOutcome } from "../chaos/books.ts";
import { startClients } from "../chaos/clients.ts";
import { accountsOf, channelOf, openChaosSetup, quickVideo, smallSessions } from "../chaos/setup.ts";
import { asTable, failuresOf, today, replaceGeneratedPart } from "../chaos/table.ts";
import { openReadings } from "./readings.ts";
import { judge, type Finding, type SeriesKind } from "./series.ts";

/**
 * Runs clients of every area at a low rate and measures growth. Exits with 1 if a series grows faster than tolerated, a
 * request failed, an event was lost, a call was charged twice, or the books do not agree.
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

/** Share of the rate per area. A video and a session consist of several requests. */
const shares = { text: 0.5, media: 0.15, audio: 0.2, video: 0.05, realtime: 0.1 } as const;
/** Minimum number of measurements, maximum ms between two, and maximum ms of a vendor's silence. */
const [readings, longestPauseMs, timeoutMs] = [150, 15_000, 60_000];

const vendors = areas.flatMap((area) => area.vendors);
const clientAccounts = areas.map(({ name }) => ({ accountId: `soak-${name}`, key: `sk-soak-0123456789-${name}` }));
// Videos are polled often, and sessions reserve little. Other limits are those of the product.
await using setup = await openChaosSetup({
  engine: "sqlite",
  shape: "apart",
  services: "all",
  // Small limits of size and lifetime, so that stored data stops growing early in the run.
  env: { LOG_LEVEL: "warn", NATS_KEEP_BYTES: String(2 * 1_048_576) },
  envOf: { video: { TASK_LIFETIME_MS: "60000", TASK_KEEP_MS: "60000" } },
  limits: {
    control: { configuration: { pollMs: 2_000 } },
    video: { ...quickVideo, tasks: { ...quickVideo.tasks, pollTimeoutMs: 10_000 } },
    realtime: smallSessions,
  },
  config: {
    groups: { default: { models: ["*"] } },
    models: Object.fromEntries(vendors.map((each) => [modelOf(each, "two"), { kind: each.kind, price: each.price }])),
    channels: vendors.flatMap((vendor) => [
      { ...channelOf(vendor, { channelName: "main", channelCounts: ["two"], priority: 1 }), timeoutMs },
      { ...channelOf(vendor, { channelName: "spare", channelCounts: ["two"] }), timeoutMs },
    ]),
    accounts: accountsOf(clientAccounts, "100000.00"),
  },
});
const { suite } = setup;
const services = ["edge", ...areas.map(({ name }) => name), "ledger", "control"] as const;
const pids = Object.fromEntries<number>([
  ...services.map((name) => [name, suite.process(name).pid] as const),
  ["NATS", suite.backends.nats.pid()],
]);
await using figures = await openReadings({ pids, ...suite.backends });
const loads = areas.map((area, at) => ({
  area,
  accountId: clientAccounts[at]?.accountId ?? "",
  running: startClients({
    area,
    load: { perSecond: rate * shares[area.name] },
    edgeUrl: suite.edgeUrl,
    key: clientAccounts[at]?.key ?? "",
    channelCount: "two",
    disconnects: "never",
    name: `soak-${area.name}-`,
  }),
}));
const callsSoFar = (): number => loads.reduce((sum, { running }) => sum + running.statistics.requests, 0);
const loadAverages: number[] = [];
const end = Date.now() + minutes * 60_000;
const pauseMs = Math.min(longestPauseMs, (minutes * 60_000) / readings);
while (Date.now() < end) {
  await pause(Math.min(pauseMs, Math.max(0, end - Date.now())));
  await figures.read(callsSoFar());
  loadAverages.push(loadavg()[0] ?? 0);
}
await Promise.all(loads.map(({ running }) => running.stop()));

const redis = new Redis(suite.backends.redisUrl);
const rows: string[][] = [];
let isSound = true;
for (const { area, accountId, running } of loads) {
  const { requests, results, failures } = running.statistics;
  // Streams have lost old events, so the books are compared instead.
  const outcome = await readOutcome(suite, redis, accountId, running.statistics, { losesStreams: true });
  const whole = [...results.values()].reduce((sum, result) => sum + result.whole, 0);
  if (
    failures.size > 0 ||
    outcome.lostEvents + outcome.unchargedAnswers > 0 ||
    outcome.doubleCharges > 0 ||
    outcome.books !== "agree"
  )
    isSound = false;
  const { lostEvents, unchargedAnswers, doubleCharges, books } = outcome;
  rows.push([
    area.name,
    String(requests),
    failuresOf(running.statistics),
    ...[whole, lostEvents + unchargedAnswers, doubleCharges].map(String),
    books,
  ]);
}
redis.disconnect();
const findings = figures.series.map(judge);
const load = (loadAverages.reduce((sum, each) => sum + each, 0) / loadAverages.length).toFixed(1);
const report = [
  `${today()}: ${minutes} minutes, ${callsSoFar()} requests (${rate} per second requested), ${availableParallelism()} cores at a mean load of ${load}, ${loadAverages.length} measurements.`,
  asTable(["area", "requests", "failures", "complete answers", "lost events", "double charges", "books"], rows),
  asTable(
    ["value", "after warm-up", "at the end", "slope per 1,000 calls", "99 % interval", "tolerated", "real"],
    findings.map(cellsOf),
  ),
].join("\n\n");
process.stdout.write(`${report}\n`);
if (values.write) {
  const file = join(import.meta.dirname, "../SOAK.md");
  writeFileSync(file, replaceGeneratedPart(readFileSync(file, "utf8"), report));
}
process.exitCode = isSound && !findings.some(({ isReal }) => isReal) ? 0 : 1;

function cellsOf({ name, kind, first, last, slope, isReal }: Finding): readonly string[] {
  return [
    name,
    formatValue(kind, first),
    formatValue(kind, last),
    slope === undefined ? "too few measurements" : formatValue(kind, slope.slope),
    slope === undefined ? "–" : `${formatValue(kind, slope.low)} to ${formatValue(kind, slope.high)}`,
    kind.tolerance === undefined ? "no verdict" : formatValue(kind, kind.tolerance),
    isReal ? "**yes**" : "no",
  ];
}

function formatValue({ unit }: SeriesKind, value: number): string {
  if (unit !== "B") return `${Number(value.toFixed(2))}`;
  const size = Math.abs(value);
  if (size >= 1_048_576) return `${(value / 1_048_576).toFixed(1)} MiB`;
  return size >= 1_024 ? `${(value / 1_024).toFixed(1)} KiB` : `${value.toFixed(0)} B`;
}
