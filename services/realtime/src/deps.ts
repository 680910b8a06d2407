import { openContentBook, type ContentBook } from "@modelgate/accounts";
import { idSource, sharedContentRedis, type Redis, type ServiceContext } from "@modelgate/platform";
import { openRelay, type OpenRelay } from "@modelgate/relay";
import type { Env } from "./env.ts";

/** Every bound of a session's life, in milliseconds and bytes. */
export type SessionLimits = Readonly<Env["sessions"]> & {
  /** The same as `lastUsageMs`, for sessions that the end of the process ends. */
  readonly lastUsageAtEndMs: number;
  /** Time that open sessions may go on when the process is told to end, ms. */
  readonly drainMs: number;
};

/** Seconds of audio and tokens of text, of each side, that a session holds money for before each response. */
export type SliceSize = Readonly<Env["slice"]>;

/** Dependencies of sessions; opened once, handed down. */
export interface Deps extends OpenRelay {
  readonly limits: SessionLimits;
  readonly slice: SliceSize;
  readonly newSessionId: () => string;
  /** The Redis of clients' content, which has the settings of client secrets. */
  readonly content: Redis;
  /** Counts what accounts keep. */
  readonly contentBook: ContentBook;
  /** Aborted where the process ends what is still open. */
  readonly ending: AbortSignal;
}

/** Time that remains for settlements after the last session was closed, ms. */
const settlementMs = 1_500;

/** Opens everything once. */
export async function openDeps({
  env,
  drainMs,
  farewellMs,
  ending,
  log,
  shared,
}: Pick<ServiceContext<Env>, "drainMs" | "ending" | "env" | "farewellMs" | "log" | "shared">): Promise<Deps> {
  const open = await openRelay(env.relay, { log, shared });
  // Sessions that are closed at the end of a drain must still be settled within it.
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
