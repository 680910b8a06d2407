import { randomUUID } from "node:crypto";
import { readFileSync } from "node:fs";
import { hostname } from "node:os";
import { join } from "node:path";
import { Type, type Static } from "typebox";
import { present, stored } from "@modelgate/contracts";
import { onBeat } from "../beat.ts";
import { openSubscriber, type Redis } from "../redis.ts";

/**
 * Pub/sub channel on which processes announce that they run. Nothing is stored: a write would wake processes that wait
 * for one.
 */
const beats = "processes";
/** Interval between a process's announcements. */
const beatMs = 5_000;
/** Time without an announcement after which a process counts as gone. */
const goneAfterMs = 20_000;
/** Time for which a process without announcements is listed. */
const keptMs = 3_600_000;
/** Maximum number of processes that are kept; beyond it, the one with the oldest announcement is removed. */
const maxKept = 1_000;

/** An announcement of a process. */
const Beat = Type.Object({
  /** Random id that the process created. */
  id: Type.String(),
  services: Type.Array(Type.String()),
  version: Type.String(),
  host: Type.String(),
  pid: Type.Integer(),
  startedAt: Type.String(),
  at: Type.Integer(),
  problems: Type.Record(Type.String(), Type.String()),
  /** True if the process shuts down and must no longer be listed. */
  ends: Type.Optional(Type.Boolean()),
});
type Beat = Static<typeof Beat>;
const readBeat = stored("process", Beat);

/** A process as others see it. */
export interface ProcessStatus extends Omit<Beat, "at" | "ends"> {
  /** RFC 3339. */
  readonly seenAt: string;
  /** True if it has announced neither its presence nor its end for a while. */
  readonly isGone: boolean;
}

/** The data of a process's announcements. */
export interface ProcessSelf {
  readonly services: readonly string[];
  /** Returns the reasons why services cannot serve now, by name. */
  problems(): Promise<Readonly<Record<string, string>>>;
}

/** Version of the running release. */
export const version = ownVersion();

/**
 * Announces at intervals on Redis that a process runs, until disposed; errors are ignored while Redis is unavailable.
 */
export function announceProcess(redis: Redis, self: ProcessSelf): AsyncDisposable {
  const id = randomUUID();
  const startedAt = new Date().toISOString();
  const beat = async (ends?: true): Promise<void> => {
    const announcement: Beat = {
      id,
      services: [...self.services],
      version,
      host: hostname(),
      pid: process.pid,
      startedAt,
      at: Date.now(),
      problems: ends === true ? {} : await self.problems(),
      ...present({ ends }),
    };
    await redis.publish(beats, JSON.stringify(announcement));
  };
  let going = beat().catch(() => undefined);
  const timer = onBeat(beatMs, () => {
    going = beat().catch(() => undefined);
  });
  return {
    async [Symbol.asyncDispose]() {
      timer[Symbol.dispose]();
      await going;
      if (redis.status === "ready") await beat(true).catch(() => undefined);
    },
  };
}

/** Processes that have announced themselves since this one subscribed. */
export interface ProcessList extends Disposable {
  /** Returns the running processes, then those without an announcement in the last hour. */
  list(nowMs?: number): readonly ProcessStatus[];
}

/**
 * Subscribes to the announcements of processes; each is known within seconds. Rejects if Redis refuses the
 * subscription.
 */
export async function watchProcesses(redis: Redis): Promise<ProcessList> {
  const known = new Map<string, Beat>();
  const subscriber = openSubscriber(redis);
  subscriber.on("error", () => undefined);
  subscriber.on("message", (_: string, text: string) => {
    const beat = readBeat(text);
    known.delete(beat.id);
    if (beat.ends !== true) known.set(beat.id, beat);
    const [first] = known.keys();
    if (known.size > maxKept && first !== undefined) known.delete(first);
  });
  await subscriber.subscribe(beats);
  return {
    list(nowMs = Date.now()) {
      for (const { id, at } of known.values()) if (nowMs - at > keptMs) known.delete(id);
      return Array.from(known.values(), ({ at, ends: _over, ...beat }) => ({
        ...beat,
        seenAt: new Date(at).toISOString(),
        isGone: nowMs - at > goneAfterMs,
      })).toSorted(
        (one, other) => Number(one.isGone) - Number(other.isGone) || (one.startedAt < other.startedAt ? -1 : 1),
      );
    },
    [Symbol.dispose]: () => subscriber.disconnect(),
  };
}

function ownVersion(): string {
  const text = readFileSync(join(import.meta.dirname, "../../package.json"), "utf8");
  return stored("package", Type.Object({ version: Type.String() }))(text).version;
}
