import { readdirSync } from "node:fs";
import { connect } from "nats";
import { Redis } from "ioredis";
import { eventStreams } from "@modelgate/contracts";
import { readMemory } from "../bench/measure.ts";
import type { Series, SeriesKind } from "./series.ts";

export interface ReadingPlaces {
  /** Process ids by service. */
  readonly pids: Readonly<Record<string, number>>;
  readonly redisUrl: string;
  readonly natsUrl: string;
}

export interface Readings extends AsyncDisposable {
  /** `calls` is the number of calls so far. */
  read(calls: number): Promise<void>;
  readonly series: readonly Series[];
}

const residentMemory: SeriesKind = { unit: "B", tolerance: 512 * 1_024 };
const descriptors: SeriesKind = { unit: "descriptors", tolerance: 0.5 };
const redisMemory: SeriesKind = { unit: "B", tolerance: 64 * 1_024 };
/** Kind without a tolerance, and so without a verdict: stored events may grow to their maximum size. */
const storedEvents = { unit: "B" } as const satisfies SeriesKind;
const redisKeys: SeriesKind = { unit: "keys", tolerance: 1 };

/** Opens the connections for measurements of processes and stores. */
export async function openReadings({ pids, redisUrl, natsUrl }: ReadingPlaces): Promise<Readings> {
  const redis = new Redis(redisUrl);
  const nats = await connect({ servers: natsUrl });
  const { streams } = await nats.jetstreamManager();
  const series = new Map<string, { name: string; kind: SeriesKind; points: { x: number; y: number }[] }>();
  const note = (name: string, kind: SeriesKind, x: number, y: number): void => {
    const entry = series.get(name) ?? { name, kind, points: [] };
    series.set(name, entry);
    entry.points.push({ x, y });
  };
  return {
    async read(calls) {
      for (const [name, pid] of Object.entries(pids)) {
        note(`${name}: resident memory`, residentMemory, calls, readMemory(pid).now);
        note(`${name}: descriptors`, descriptors, calls, readdirSync(`/proc/${pid}/fd`).length);
      }
      note("Redis: memory in use", redisMemory, calls, Number(fieldOf(await redis.info("memory"), "used_memory")));
      note("Redis: keys", redisKeys, calls, await redis.dbsize());
      const infos = await Promise.all(Object.values(eventStreams).map(({ name }) => streams.info(name)));
      const bytes = infos.reduce((sum, { state }) => sum + state.bytes, 0);
      note("NATS: stored events", storedEvents, calls, bytes);
    },
    get series() {
      return [...series.values()];
    },
    async [Symbol.asyncDispose]() {
      redis.disconnect();
      await nats.close();
    },
  };
}

function fieldOf(info: string, name: string): string {
  return new RegExp(`^${name}:(\\d+)`, "m").exec(info)?.[1] ?? "";
}
