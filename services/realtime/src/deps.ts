import { openContentBook, type ContentBook } from "@modelgate/accounts";
import { idSource, sharedContentRedis, type Redis, type ServiceContext } from "@modelgate/platform";
import { openRelay, type OpenRelay } from "@modelgate/relay";
import type { Env } from "./env.ts";

/** Limits of sessions: times in ms, sizes in bytes, and counts. */
export type SessionLimits = Readonly<Env["sessions"]> & {
  /** Equivalent of `lastUsageMs` for sessions that the end of the process ends. */
  readonly lastUsageAtEndMs: number;
  /** Time, in ms, for which open sessions may continue when the process is told to end. */
  readonly drainMs: number;
};

/** Seconds of audio and tokens of text, of each side, for which money is reserved before each response. */
export type SliceSize = Readonly<Env["slice"]>;

/** Dependencies of sessions. */
export interface Deps extends OpenRelay {
  readonly limits: SessionLimits;
  readonly slice: SliceSize;
  readonly newSessionId: () => string;
  /** Redis for client content, which has the settings of client secrets. */
  readonly content: Redis;
  /** Counts the bytes that accounts store. */
  readonly contentBook: ContentBook;
  /** Aborts when the process ends open sessions. */
  readonly ending: AbortSignal;
}

/** Time, in ms, that remains for settlements after the last session was closed. */
const settlementMs = 1_500;

/** Opens all dependencies. */
export async function openDeps({
  env,
  drainMs,
  farewellMs,
  ending,
  log,
  shared,
}: Pick<ServiceContext<Env>, "drainMs" | "ending" | "env" | "farewellMs" | "log" | "shared">): Promise<Deps> {
  const open = await openRelay(env.relay, { log, shared });
  // Sessions that are closed at the end of a drain must be settled within it.
  const lastUsageAtEndMs = Math.min(env.sessions.lastUsageMs, Math.max(0, farewellMs - settlementMs));
  const content = await sharedContentRedis(shared, { redis: env.relay.redis, content: env.content });
  return {
    ...open,
    ending,
    content,
    contentBook: openContentBook(content, env.content),
    limits: { ...env.sessions, lastUsageAtEndMs, drainMs: drainMs - farewellMs },
    slice: env.slice,
    newSessionId: idSource("session"),
  };
}
