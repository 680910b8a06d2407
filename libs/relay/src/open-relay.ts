import { openOutbox, type Outbox } from "@modelgate/accounts";
import { openCatalog } from "@modelgate/catalog";
import { openChannels } from "@modelgate/channels";
import {
  BufferBudget,
  idSource,
  openBus,
  openRedis,
  variable,
  type Environment,
  type Logger,
  type stateVariables,
} from "@modelgate/platform";
import type { RelayDeps } from "./deps.ts";
import type { JsonLimits } from "./read-json.ts";
import { openRenewals } from "./renewals.ts";
import { openSettlements } from "./settlements.ts";
import { SpokenWires } from "./spoken-wires.ts";
import { UnseenOutput } from "./unseen-output.ts";

/** What every service reads that calls vendors, each bound by its name; a service may give another default. */
export const relayVariables = {
  /** Largest body, decompressed. */
  BODY_BYTES: variable.integer({ fallback: 64 * 1024 * 1024, min: 1_024 }),
  /** Longest silence while a body arrives. */
  BODY_SILENCE_MS: variable.integer({ fallback: 30_000, min: 10 }),
  /** Longest time for a whole body, however steadily it drips. */
  BODY_TOTAL_MS: variable.integer({ fallback: 600_000, min: 100 }),
  /** Deepest nesting of a body. */
  BODY_DEPTH: variable.integer({ fallback: 256, min: 8, max: 5_000 }),
  /** Bytes of bodies and answers that the process holds at once. */
  BUFFER_BYTES: variable.integer({ fallback: 512 * 1024 * 1024, min: 1_024 }),
  /** Largest answer that is not a stream. */
  ANSWER_BYTES: variable.integer({ fallback: 32 * 1024 * 1024, min: 1_024 }),
  /** Output tokens held for where neither the client nor the catalogue sets a bound. */
  HOLD_OUTPUT_TOKENS: variable.integer({ fallback: 16_384, min: 1 }),
  /** Output tokens of a text stream held for at first, and in each further step while it runs. */
  HOLD_STEP_TOKENS: variable.integer({ fallback: 2_048, min: 256 }),
  /** Lease of a hold; a service that dies leaves its calls to the sweep after it. */
  HOLD_LEASE_MS: variable.integer({ fallback: 60_000, min: 1_000 }),
  /** Events that may wait in one shard's outbox before calls are refused. */
  OUTBOX_BOUND: variable.integer({ fallback: 100_000, min: 1 }),
  /** Attempts of one call, and the time after which no further one begins. */
  ATTEMPTS: variable.integer({ fallback: 4, min: 1, max: 100 }),
  ATTEMPT_BUDGET_MS: variable.integer({ fallback: 60_000, min: 1 }),
  /** Lease of a seat of a channel or key; it comes back after this when the service dies. */
  CHANNEL_LEASE_MS: variable.integer({ fallback: 30_000, min: 300 }),
  /** How long a conversation's channel is remembered after its last call. */
  AFFINITY_MS: variable.integer({ fallback: 6 * 3_600_000, min: 1_000 }),
  /** Silence of a vendor after which a stream gets a sign of life. */
  HEARTBEAT_MS: variable.integer({ fallback: 15_000, min: 10 }),
};

/** What calls run with, open. */
export interface OpenRelay extends AsyncDisposable {
  readonly relay: RelayDeps;
  /** For events that a settlement does not tell. */
  readonly outbox: Outbox;
  /** Bounds of JSON bodies. */
  readonly body: JsonLimits;
  /** Throws why the service cannot serve now. */
  ready(): void;
}

/** Opens everything once; disposed in reverse, so that settlements are in before the outbox and Redis close. */
export async function openRelay(
  env: Environment<typeof relayVariables & typeof stateVariables>,
  log: Logger,
): Promise<OpenRelay> {
  await using opening = new AsyncDisposableStack();
  const redis = await openRedis(env.REDIS_URL, log, env.REDIS_TIMEOUT_MS);
  opening.defer(() => redis.disconnect());
  const bus = opening.use(
    await openBus(env.NATS_URL, log, { replicas: env.NATS_REPLICAS, keepBytes: env.NATS_KEEP_BYTES }),
  );
  const catalog = opening.use(await openCatalog({ redis, secret: env.MODELGATE_SECRET, log }));
  const channels = opening.use(
    await openChannels({
      redis,
      log,
      limits: { mostAttempts: env.ATTEMPTS, budgetMs: env.ATTEMPT_BUDGET_MS },
      affinityMs: env.AFFINITY_MS,
      leaseMs: env.CHANNEL_LEASE_MS,
    }),
  );
  const outbox = opening.use(openOutbox({ redis, bus, log }));
  const settlements = opening.use(openSettlements({ redis, outbox, log }));
  const renewals = opening.use(openRenewals({ redis, log, leaseMs: env.HOLD_LEASE_MS }));
  const budget = new BufferBudget(env.BUFFER_BYTES);
  const open = opening.move();
  return {
    relay: {
      redis,
      catalog,
      channels,
      settlements,
      renewals,
      spoken: new SpokenWires(),
      unseen: new UnseenOutput(),
      budget,
      log,
      newCallId: idSource("call"),
      limits: limitsOf(env),
    },
    outbox,
    body: {
      maxBytes: env.BODY_BYTES,
      silenceMs: env.BODY_SILENCE_MS,
      totalMs: env.BODY_TOTAL_MS,
      depth: env.BODY_DEPTH,
      budget,
    },
    ready() {
      if (redis.status !== "ready") throw new Error("redis is away");
      if (!catalog.ready) throw new Error("no configuration yet");
    },
    [Symbol.asyncDispose]: () => open.disposeAsync(),
  };
}

/** The bounds of a call's life, as the environment names them. */
function limitsOf(env: Environment<typeof relayVariables>): RelayDeps["limits"] {
  return {
    outputTokens: env.HOLD_OUTPUT_TOKENS,
    stepTokens: env.HOLD_STEP_TOKENS,
    leaseMs: env.HOLD_LEASE_MS,
    outboxBound: env.OUTBOX_BOUND,
    heartbeatMs: env.HEARTBEAT_MS,
    answerBytes: env.ANSWER_BYTES,
  };
}
