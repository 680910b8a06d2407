import { openOutbox, type Outbox } from "@modelgate/accounts";
import { openCatalog } from "@modelgate/catalog";
import { openChannels } from "@modelgate/channels";
import {
  BufferBudget,
  idSource,
  openBus,
  openRedis,
  variable,
  type BudgetShares,
  type Environment,
  type Logger,
  type PaceLimits,
  type stateVariables,
  secretsOf,
} from "@modelgate/platform";
import type { RelayDeps } from "./deps.ts";
import { HeardOut } from "./call/heard-out.ts";
import type { JsonLimits } from "./bodies/read-json.ts";
import { openRenewals } from "./money/renewals.ts";
import { openSettlements } from "./money/settlements.ts";
import { UnseenOutput } from "./money/unseen-output.ts";
import { openMadeIds } from "./vendor-stores/made-ids.ts";

/** What every service reads that calls vendors, each bound by its name; a service may give another default. */
export const relayVariables = {
  /** Largest body, decompressed. */
  BODY_BYTES: variable.integer({ fallback: 64 * 1024 * 1024, min: 1_024 }),
  /** Longest silence while a body arrives. */
  BODY_SILENCE_MS: variable.integer({ fallback: 30_000, min: 10 }),
  /** Longest time for a whole body, however steadily it drips. */
  BODY_TOTAL_MS: variable.integer({ fallback: 600_000, min: 100 }),
  /** Time after which a body must have arrived, on average, at the floor at least: one that drips is refused (408). */
  BODY_GRACE_MS: variable.integer({ fallback: 10_000, min: 10 }),
  BODY_FLOOR_BYTES_PER_SECOND: variable.integer({ fallback: 1_024, min: 0 }),
  /** Bodies of one account, and of one token, that may be arriving at the same time. */
  ARRIVING_PER_ACCOUNT: variable.integer({ fallback: 1_000, min: 1 }),
  ARRIVING_PER_TOKEN: variable.integer({ fallback: 500, min: 1 }),
  /** Deepest nesting of a body. */
  BODY_DEPTH: variable.integer({ fallback: 256, min: 8, max: 5_000 }),
  /**
   * Most values of a body, however deep, and most members of all its objects. Real requests stay far below: 300,000
   * tokens of embeddings, as many as vendors take at once, are as many values; 10,000 messages have 60,000 members.
   */
  BODY_VALUES: variable.integer({ fallback: 500_000, min: 100 }),
  BODY_MEMBERS: variable.integer({ fallback: 100_000, min: 100 }),
  /** Most members of a body's own object: the fields of a request, of which no vendor knows a hundred. */
  BODY_FIELDS: variable.integer({ fallback: 1_000, min: 100 }),
  /** Bytes of bodies and answers that the process holds at once. */
  BUFFER_BYTES: variable.integer({ fallback: 512 * 1024 * 1024, min: 1_024 }),
  /** Percent of these bytes that one account, and one token, may hold; a token's only body may always be as large as bodies may. */
  BUFFER_ACCOUNT_PERCENT: variable.integer({ fallback: 50, min: 1, max: 100 }),
  BUFFER_TOKEN_PERCENT: variable.integer({ fallback: 25, min: 1, max: 100 }),
  /** Largest answer that is not a stream: 2,048 embeddings of 3,072 floats in JSON are some 130 MB at most. */
  ANSWER_BYTES: variable.integer({ fallback: 128 * 1024 * 1024, min: 1_024 }),
  /** Output tokens held for where neither the client nor the catalogue sets a bound. */
  HOLD_OUTPUT_TOKENS: variable.integer({ fallback: 16_384, min: 1 }),
  /** Output tokens of a text stream held for at first, and in each further step while it runs. */
  HOLD_STEP_TOKENS: variable.integer({ fallback: 2_048, min: 256 }),
  /** Calls of vendor-side tools held for, and told to the vendor as their bound, where the client sets none. */
  HOLD_TOOL_CALLS: variable.integer({ fallback: 16, min: 1, max: 1_000 }),
  /** Input tokens held for with each of those calls. */
  HOLD_TOOL_TOKENS: variable.integer({ fallback: 4_096, min: 0, max: 1_000_000 }),
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
  /** How long an account may refer to what a vendor made for it in the vendor's store: containers, files, items. */
  MADE_ID_LIFETIME_MS: variable.integer({ fallback: 30 * 24 * 3_600_000, min: 1_000 }),
  /** Answers that are waited for though their clients have left, and how long each: they tell what is to be paid. */
  LEFT_ANSWERS: variable.integer({ fallback: 256, min: 0, max: 100_000 }),
  LEFT_ANSWER_MS: variable.integer({ fallback: 60_000, min: 10 }),
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
  const catalog = opening.use(await openCatalog({ redis, secrets: secretsOf(env), log }));
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
  const heardOut = opening.use(new HeardOut({ most: env.LEFT_ANSWERS, ms: env.LEFT_ANSWER_MS }));
  const budget = new BufferBudget(env.BUFFER_BYTES, sharesOf(env));
  const open = opening.move();
  return {
    relay: {
      redis,
      catalog,
      channels,
      settlements,
      renewals,
      unseen: new UnseenOutput(),
      madeIds: openMadeIds({ redis, log, lifetimeMs: env.MADE_ID_LIFETIME_MS }),
      heardOut,
      budget,
      log,
      newCallId: idSource("call"),
      limits: limitsOf(env),
    },
    outbox,
    body: {
      maxBytes: env.BODY_BYTES,
      ...paceOf(env),
      totalMs: env.BODY_TOTAL_MS,
      depth: env.BODY_DEPTH,
      values: env.BODY_VALUES,
      members: env.BODY_MEMBERS,
      topMembers: env.BODY_FIELDS,
      budget,
    },
    ready() {
      if (redis.status !== "ready") throw new Error("redis is away");
      if (!catalog.ready) throw new Error("no configuration yet");
    },
    [Symbol.asyncDispose]: () => open.disposeAsync(),
  };
}

/** What one account and one token may take of what the process holds. */
export function sharesOf(env: Environment<typeof relayVariables>): BudgetShares {
  return {
    accountPercent: env.BUFFER_ACCOUNT_PERCENT,
    tokenPercent: env.BUFFER_TOKEN_PERCENT,
    accountBodies: env.ARRIVING_PER_ACCOUNT,
    tokenBodies: env.ARRIVING_PER_TOKEN,
  };
}

/** How fast bodies must arrive; how long they may take is another matter. */
export function paceOf(env: Environment<typeof relayVariables>): Omit<PaceLimits, "totalMs"> {
  return {
    silenceMs: env.BODY_SILENCE_MS,
    graceMs: env.BODY_GRACE_MS,
    floorBytesPerSecond: env.BODY_FLOOR_BYTES_PER_SECOND,
  };
}

/** The bounds of a call's life, as the environment names them. */
function limitsOf(env: Environment<typeof relayVariables>): RelayDeps["limits"] {
  return {
    outputTokens: env.HOLD_OUTPUT_TOKENS,
    stepTokens: env.HOLD_STEP_TOKENS,
    toolCalls: env.HOLD_TOOL_CALLS,
    toolTokens: env.HOLD_TOOL_TOKENS,
    leaseMs: env.HOLD_LEASE_MS,
    outboxBound: env.OUTBOX_BOUND,
    heartbeatMs: env.HEARTBEAT_MS,
    answerBytes: env.ANSWER_BYTES,
  };
}
