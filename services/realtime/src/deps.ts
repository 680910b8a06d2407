import { openOutbox } from "@modelgate/accounts";
import { openCatalog, type CatalogHandle } from "@modelgate/catalog";
import { openChannels, type Channels } from "@modelgate/channels";
import { idSource, openBus, openRedis, type Environment, type Logger, type Redis } from "@modelgate/platform";
import { openRenewals, openSettlements, SpokenWires, type BillDeps, type Renewals } from "@modelgate/relay";
import type { variables } from "./env.ts";

/** Every bound of a session's life, in milliseconds and bytes. */
export interface SessionLimits {
  readonly sessions: number;
  readonly messageBytes: number;
  readonly bufferedBytes: number;
  readonly stallMs: number;
  readonly pingMs: number;
  readonly idleMs: number;
  readonly longestMs: number;
  readonly firstEventMs: number;
  readonly lastUsageMs: number;
  readonly drainMs: number;
}

/** What a session puts aside for its next response. */
export interface SliceSize {
  readonly audioSeconds: number;
  readonly textTokens: number;
}

/** What sessions are run with; opened once, handed down. */
export interface Deps extends AsyncDisposable {
  readonly redis: Redis;
  readonly catalog: CatalogHandle;
  readonly channels: Channels;
  readonly spoken: SpokenWires;
  readonly bill: BillDeps;
  readonly renewals: Renewals;
  readonly limits: SessionLimits;
  readonly slice: SliceSize;
  readonly newSessionId: () => string;
  readonly log: Logger;
  /** Throws why the service cannot serve now. */
  ready(): void;
}

/** What the end of the process leaves for settlements after the last session was told to go. */
const settlementMs = 1_500;

/** Opens everything once; disposed in reverse, so that settlements are in before the outbox and Redis close. */
export async function openDeps(env: Environment<typeof variables>, log: Logger): Promise<Deps> {
  await using opening = new AsyncDisposableStack();
  const redis = await openRedis(env.REDIS_URL, log, env.REDIS_TIMEOUT_MS);
  opening.defer(() => redis.disconnect());
  const bus = opening.use(openBus(env.NATS_URL, log));
  const catalog = opening.use(await openCatalog({ redis, secret: env.MODELGATE_SECRET, log }));
  const channels = opening.use(
    await openChannels({ redis, log, limits: { mostAttempts: env.ATTEMPTS, budgetMs: env.ATTEMPT_BUDGET_MS } }),
  );
  const outbox = opening.use(openOutbox({ redis, bus, log }));
  const settlements = opening.use(openSettlements({ redis, outbox, log }));
  const renewals = opening.use(openRenewals({ redis, log, leaseMs: env.HOLD_LEASE_MS }));
  const open = opening.move();
  return {
    redis,
    catalog,
    channels,
    spoken: new SpokenWires(),
    bill: {
      redis,
      settlements,
      log,
      newCallId: idSource("call"),
      limits: { leaseMs: env.HOLD_LEASE_MS, outboxBound: env.OUTBOX_BOUND },
    },
    renewals,
    limits: {
      sessions: env.SESSIONS,
      messageBytes: env.MESSAGE_BYTES,
      bufferedBytes: env.BUFFERED_BYTES,
      stallMs: env.STALL_MS,
      pingMs: env.PING_MS,
      idleMs: env.IDLE_MS,
      longestMs: env.LONGEST_MS,
      firstEventMs: env.FIRST_EVENT_MS,
      lastUsageMs: env.LAST_USAGE_MS,
      drainMs: Math.max(0, env.DRAIN_MS - env.LAST_USAGE_MS - settlementMs),
    },
    slice: { audioSeconds: env.HOLD_AUDIO_SECONDS, textTokens: env.HOLD_TEXT_TOKENS },
    newSessionId: idSource("session"),
    log,
    ready() {
      if (redis.status !== "ready") throw new Error("redis is away");
      if (!catalog.ready) throw new Error("no configuration yet");
    },
    [Symbol.asyncDispose]: () => open.disposeAsync(),
  };
}
