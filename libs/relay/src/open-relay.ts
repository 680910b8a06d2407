import { openOutbox, type Outbox } from "@modelgate/accounts";
import { openCatalog } from "@modelgate/catalog";
import { openChannels } from "@modelgate/channels";
import { BufferBudget, FoundOut, idSource, openBus, openRedis, type Logger } from "@modelgate/platform";
import type { RelayDeps } from "./deps.ts";
import type { RelayEnv } from "./env.ts";
import { HeardOut } from "./call/heard-out.ts";
import type { JsonLimits } from "./bodies/read-json.ts";
import { openRenewals } from "./money/renewals.ts";
import { openSettlements } from "./money/settlements.ts";
import { showTopCallers } from "./money/top-callers.ts";
import { openMadeIds } from "./vendor-stores/made-ids.ts";

/** What calls run with, open. */
export interface OpenRelay extends AsyncDisposable {
  readonly relay: RelayDeps;
  /** For events that are not written by a settlement. */
  readonly outbox: Outbox;
  /** Bounds of JSON bodies. */
  readonly body: JsonLimits;
  /** Throws why the service cannot serve now. */
  ready(): void;
}

/** Opens everything once; disposed in reverse, so that settlements are in before the outbox and Redis close. */
export async function openRelay(env: RelayEnv, log: Logger): Promise<OpenRelay> {
  await using opening = new AsyncDisposableStack();
  const redis = await openRedis(env.redis.url, log, env.redis.timeoutMs);
  opening.defer(() => redis.disconnect());
  const bus = opening.use(await openBus(env.bus.url, log, env.bus.limits));
  const catalog = opening.use(await openCatalog({ redis, secrets: env.secrets, log }));
  const channels = opening.use(
    await openChannels({
      redis,
      log,
      limits: env.attempts,
      affinityMs: env.affinityMs,
      leaseMs: env.channelLeaseMs,
    }),
  );
  const outbox = opening.use(openOutbox({ redis, bus, log }));
  const settlements = opening.use(openSettlements({ redis, outbox, log }));
  const renewals = opening.use(openRenewals({ redis, log, leaseMs: env.limits.leaseMs }));
  showTopCallers(env.metricsTop);
  const heardOut = opening.use(new HeardOut(env.heardOut));
  const budget = new BufferBudget(env.buffers.bytes, env.buffers.shares);
  const open = opening.move();
  return {
    relay: {
      redis,
      catalog,
      channels,
      settlements,
      renewals,
      unseen: new FoundOut(),
      madeIds: openMadeIds({ redis, log, lifetimeMs: env.madeIdLifetimeMs }),
      heardOut,
      budget,
      log,
      newCallId: idSource("call"),
      limits: env.limits,
    },
    outbox,
    body: { ...env.body, ...env.pace, budget },
    ready() {
      if (redis.status !== "ready") throw new Error("redis is away");
      if (!catalog.ready) throw new Error("no configuration yet");
    },
    [Symbol.asyncDispose]: () => open.disposeAsync(),
  };
}
