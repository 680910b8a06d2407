import { openOutbox } from "@modelgate/accounts";
import { openCatalog } from "@modelgate/catalog";
import { openChannels } from "@modelgate/channels";
import { BufferBudget, idSource, openBus, openRedis, type Environment, type Logger } from "@modelgate/platform";
import { openRenewals, openSettlements, SpokenWires, type RelayDeps } from "@modelgate/relay";
import type { variables } from "./env.ts";
import { openCompactionSeal, type CompactionSeal } from "./responses/compaction-seal.ts";
import { openResponseStore, type ResponseStore } from "./responses/response-store.ts";

/** What the text service's endpoints work with. */
export interface Deps extends AsyncDisposable {
  readonly relay: RelayDeps;
  readonly body: {
    readonly maxBytes: number;
    readonly silenceMs: number;
    readonly totalMs: number;
    readonly depth: number;
    readonly budget: BufferBudget;
  };
  /** Ids of answers that another wire's vendor gave; the wire's own prefix comes before it. */
  readonly newAnswerId: () => string;
  readonly responses: ResponseStore;
  readonly compactions: CompactionSeal;
  /** Throws why the service cannot serve now. */
  ready(): void;
}

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
      budget,
      log,
      newCallId: idSource("call"),
      limits: {
        outputTokens: env.HOLD_OUTPUT_TOKENS,
        leaseMs: env.HOLD_LEASE_MS,
        outboxBound: env.OUTBOX_BOUND,
        heartbeatMs: env.HEARTBEAT_MS,
        answerBytes: env.ANSWER_BYTES,
      },
    },
    newAnswerId: idSource("answer"),
    responses: openResponseStore(redis, { lifetimeMs: env.RESPONSE_LIFETIME_MS, mostBytes: env.RESPONSE_BYTES }),
    compactions: openCompactionSeal(env.MODELGATE_SECRET),
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
