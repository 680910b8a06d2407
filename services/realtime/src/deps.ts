import { openContentQuota, type ContentQuota } from "@modelgate/accounts";
import { idSource, sharedContentRedis, type Redis, type ServiceContext } from "@modelgate/platform";
import { openRelay, type ServiceRelay } from "@modelgate/relay";
import type { Env } from "./env.ts";

/** Limits of sessions: times in ms, sizes in bytes, and counts. */
export type SessionLimits = Readonly<Env["sessions"]> & {
  /** Replacement for `lastUsageMs` when the process ends. */
  readonly maxUsageWaitAtShutdownMs: number;
  /** Time, in ms, for which open sessions may continue after the process got a signal to end. */
  readonly drainMs: number;
};

/** Usage for which money is reserved before each response: seconds of audio and tokens of text. */
export type SliceSize = Readonly<Env["slice"]>;

/** Dependencies of sessions. */
export interface Deps extends ServiceRelay {
  readonly limits: SessionLimits;
  readonly slice: SliceSize;
  readonly newSessionId: () => string;
  /** Redis that stores client content, here the settings of client secrets. */
  readonly content: Redis;
  /** Number of bytes that each account stores, and its limit. */
  readonly contentQuota: ContentQuota;
  /** Signal that is aborted when the process ends open sessions. */
  readonly ending: AbortSignal;
}

/** Opens the stores and the catalog that sessions use, and derives the limits for a shutdown. */
export async function openDeps({
  env,
  drainMs,
  drainErrorMs,
  ending,
  log,
  shared,
}: Pick<ServiceContext<Env>, "drainMs" | "ending" | "env" | "drainErrorMs" | "log" | "shared">): Promise<Deps> {
  const openedRelay = await openRelay(env.relay, { ending, log, shared });
  // During a shutdown, `drainErrorMs` must be enough for the last usage and for the settlements.
  const maxUsageWaitAtShutdownMs = Math.min(
    env.sessions.lastUsageMs,
    Math.max(0, drainErrorMs - env.sessions.settlementMs),
  );
  const content = await sharedContentRedis(shared, { redis: env.relay.redis, content: env.content });
  return {
    ...openedRelay,
    ending,
    content,
    contentQuota: openContentQuota(content, env.content),
    limits: { ...env.sessions, maxUsageWaitAtShutdownMs, drainMs: drainMs - drainErrorMs },
    slice: env.slice,
    newSessionId: idSource("session"),
  };
}
