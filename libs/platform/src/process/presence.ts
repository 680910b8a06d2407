import { randomUUID } from "node:crypto";
import { readFileSync } from "node:fs";
import { hostname } from "node:os";
import { join } from "node:path";
import { Type, type Static } from "typebox";
import { withoutUndefined, recordParser } from "@modelgate/contracts";
import { runOnSharedTick } from "../shared-tick.ts";
import type { Redis } from "../redis.ts";
import { openSubscriber } from "../redis-subscriber.ts";

/**
 * Redis pub/sub channel for announcements. They are published, not stored, because each write to Redis makes the ledger
 * search all shards for work (`WorkCheck`).
 */
const announcementChannel = "processes";
const announceMs = 5_000;
/** Time in ms without an announcement after which a process is assumed to be gone. */
const goneAfterMs = 20_000;
/** Time in ms without an announcement after which a process is no longer listed. */
const listedMs = 3_600_000;
const maxListed = 1_000;

const Announcement = Type.Object({
  /** Random id, created at the start of the process. */
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
type Announcement = Static<typeof Announcement>;
const readAnnouncement = recordParser("process", Announcement);

/** Status of a process, from its last announcement. */
export interface ProcessStatus extends Omit<Announcement, "at" | "ends"> {
  /** Time of the last announcement (RFC 3339). */
  readonly seenAt: string;
  readonly isGone: boolean;
}

/** Content of a process's announcements. */
export interface AnnouncedProcess {
  readonly services: readonly string[];
  /** Returns the reasons why services cannot serve now, by service name. */
  problems(): Promise<Readonly<Record<string, string>>>;
}

/** Version of the running release. */
export const version = readVersion();

/** Announces on Redis that a process runs, until the result is disposed. Ignores errors while Redis is unavailable. */
export function announceProcess(redis: Redis, own: AnnouncedProcess): AsyncDisposable {
  const id = randomUUID();
  const startedAt = new Date().toISOString();
  const announce = async (ends?: true): Promise<void> => {
    const announcement: Announcement = {
      id,
      services: [...own.services],
      version,
      host: hostname(),
      pid: process.pid,
      startedAt,
      at: Date.now(),
      problems: ends === true ? {} : await own.problems(),
      ...withoutUndefined({ ends }),
    };
    await redis.publish(announcementChannel, JSON.stringify(announcement));
  };
  let running = announce().catch(() => undefined);
  const timer = runOnSharedTick(announceMs, () => {
    running = announce().catch(() => undefined);
  });
  return {
    async [Symbol.asyncDispose]() {
      timer[Symbol.dispose]();
      await running;
      if (redis.status === "ready") await announce(true).catch(() => undefined);
    },
  };
}

/** Processes that were announced since the subscription. */
export interface ProcessList extends Disposable {
  /** Returns the running processes first, then those that are gone. */
  list(nowMs?: number): readonly ProcessStatus[];
}

/** Subscribes to the announcements of processes. Rejects if Redis refuses the subscription. */
export async function watchProcesses(redis: Redis): Promise<ProcessList> {
  const announced = new Map<string, Announcement>();
  const subscriber = openSubscriber(redis);
  subscriber.on("error", () => undefined);
  subscriber.on("message", (_: string, text: string) => {
    const announcement = readAnnouncement(text);
    announced.delete(announcement.id);
    if (announcement.ends !== true) announced.set(announcement.id, announcement);
    const [first] = announced.keys();
    if (announced.size > maxListed && first !== undefined) announced.delete(first);
  });
  await subscriber.subscribe(announcementChannel);
  return {
    list(nowMs = Date.now()) {
      for (const { id, at } of announced.values()) if (nowMs - at > listedMs) announced.delete(id);
      return Array.from(announced.values(), ({ at, ends: _over, ...announcement }) => ({
        ...announcement,
        seenAt: new Date(at).toISOString(),
        isGone: nowMs - at > goneAfterMs,
      })).toSorted(
        (left, right) => Number(left.isGone) - Number(right.isGone) || (left.startedAt < right.startedAt ? -1 : 1),
      );
    },
    [Symbol.dispose]: () => subscriber.disconnect(),
  };
}

function readVersion(): string {
  const text = readFileSync(join(import.meta.dirname, "../../package.json"), "utf8");
  return recordParser("package", Type.Object({ version: Type.String() }))(text).version;
}
