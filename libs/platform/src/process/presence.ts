import { randomUUID } from "node:crypto";
import { readFileSync } from "node:fs";
import { hostname } from "node:os";
import { join } from "node:path";
import { Type, type Static } from "typebox";
import { stored } from "@modelgate/contracts";
import type { Redis } from "../redis.ts";

/** One hash of all processes, by an id that each makes for itself. */
const processesKey = "processes";
/** How often a process says that it is there. */
const beatMs = 5_000;
/** A process that has said nothing for so long is gone. */
const goneAfterMs = 20_000;
/** How long one that went without a word is shown. */
const keptMs = 3_600_000;

/** What a process says of itself. */
const Beat = Type.Object({
  services: Type.Array(Type.String()),
  version: Type.String(),
  host: Type.String(),
  pid: Type.Integer(),
  startedAt: Type.String(),
  at: Type.Integer(),
  problems: Type.Record(Type.String(), Type.String()),
});
type Beat = Static<typeof Beat>;
const readBeat = stored("process", Beat);

/** A process as the others see it. */
export interface SeenProcess extends Omit<Beat, "at"> {
  readonly id: string;
  /** RFC 3339. */
  readonly seenAt: string;
  /** It has said nothing for a while, and did not say that it ends. */
  readonly isGone: boolean;
}

/** What a process knows of itself. */
export interface ProcessSelf {
  readonly services: readonly string[];
  /** Why services of it cannot serve now, by name. */
  problems(): Promise<Readonly<Record<string, string>>>;
}

/** The release that runs here. */
export const version = ownVersion();

/** Says again and again in Redis that a process is there, until disposed; a Redis that is away is no matter. */
export function announceProcess(redis: Redis, self: ProcessSelf): AsyncDisposable {
  const id = randomUUID();
  const startedAt = new Date().toISOString();
  const beat = async (): Promise<void> => {
    const said: Beat = {
      services: [...self.services],
      version,
      host: hostname(),
      pid: process.pid,
      startedAt,
      at: Date.now(),
      problems: await self.problems(),
    };
    await redis.hset(processesKey, id, JSON.stringify(said));
  };
  let going = beat().catch(() => undefined);
  const timer = setInterval(() => {
    going = beat().catch(() => undefined);
  }, beatMs);
  timer.unref();
  return {
    async [Symbol.asyncDispose]() {
      clearInterval(timer);
      await going;
      if (redis.status === "ready") await redis.hdel(processesKey, id).catch(() => undefined);
    },
  };
}

/** The processes that are there, and those that went without a word in the last hour, which stand last. */
export async function readProcesses(redis: Redis, nowMs = Date.now()): Promise<readonly SeenProcess[]> {
  const beats = Object.entries(await redis.hgetall(processesKey)).map(([id, text]) => ({ id, ...readBeat(text) }));
  const old = beats.filter(({ at }) => nowMs - at > keptMs).map(({ id }) => id);
  if (old.length > 0) await redis.hdel(processesKey, ...old);
  return beats
    .filter(({ at }) => nowMs - at <= keptMs)
    .map(({ at, ...beat }) => ({ ...beat, seenAt: new Date(at).toISOString(), isGone: nowMs - at > goneAfterMs }))
    .toSorted((one, other) => Number(one.isGone) - Number(other.isGone) || (one.startedAt < other.startedAt ? -1 : 1));
}

function ownVersion(): string {
  const text = readFileSync(join(import.meta.dirname, "../../package.json"), "utf8");
  return stored("package", Type.Object({ version: Type.String() }))(text).version;
}
