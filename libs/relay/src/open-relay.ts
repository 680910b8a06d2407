import { openOutbox, type Outbox } from "@modelgate/accounts";
import { sharedCatalog } from "@modelgate/catalog";
import { openChannels } from "@modelgate/channels";
import {
  BufferBudget,
  BoundedMap,
  idSource,
  sharedBus,
  sharedPart,
  sharedRedis,
  sharedRefusedCalls,
  type RefusedCalls,
  type ServiceContext,
} from "@modelgate/platform";
import type { RelayDeps } from "./deps.ts";
import type { RelayEnv } from "./env.ts";
import { DetachedAnswers } from "./detached-answers.ts";
import type { JsonLimits } from "./bodies/read-json.ts";
import { openRenewals, openSettlements, type Settlements } from "./money/settlements.ts";
import { showTopCallers } from "./money/top-callers.ts";
import { openCreatedIds } from "./vendor-stores/created-ids.ts";

/** Dependencies of the calls of one service. */
export interface ServiceRelay {
  readonly relay: RelayDeps;
  /** Outbox for events that are not part of a settlement. */
  readonly outbox: Outbox;
  readonly body: JsonLimits;
  readonly refused: Pick<RefusedCalls, "add">;
  /** Throws an Error if the service cannot serve calls now. */
  ready(): void;
}

interface ProcessRelay {
  readonly deps: Omit<RelayDeps, "limits" | "log">;
  readonly outbox: Outbox;
  readonly settlements: Settlements;
}

/**
 * Opens the dependencies that all services of a process share. They are closed in reverse order, so that settlements
 * finish before the outbox and Redis are closed.
 */
const sharedRelay = sharedPart<RelayEnv, ProcessRelay>(async (shared, env) => {
  const { log } = shared;
  const redis = await sharedRedis(shared, env);
  const bus = await sharedBus(shared, env);
  const catalog = await sharedCatalog(shared, env);
  const channels = shared.use(
    await openChannels({
      redis,
      log,
      limits: env.attempts,
      affinityMs: env.affinityMs,
      leaseMs: env.channelLeaseMs,
      fastestDecayMs: env.fastestDecayMs,
    }),
  );
  const outbox = shared.use(openOutbox({ redis, bus, log }));
  const settlements = shared.use(openSettlements({ redis, outbox, log }));
  const renewals = shared.use(openRenewals({ redis, log, leaseMs: env.limits.leaseMs }));
  const detachedAnswers = shared.use(new DetachedAnswers(env.detachedAnswers));
  shared.defer(() => settlements.limitRetries()); // before all parts that may wait for settlements
  showTopCallers(env.metricsTop);
  return {
    deps: {
      redis,
      catalog,
      channels,
      settlements,
      renewals,
      modelsWithHiddenOutput: new BoundedMap(),
      createdIds: openCreatedIds({ redis, log, lifetimeMs: env.createdIdLifetimeMs }),
      detachedAnswers,
      budget: new BufferBudget(env.buffers.bytes, env.buffers.shares),
      newCallId: idSource("call"),
    },
    outbox,
    settlements,
  };
});

/** Opens the dependencies of a service's calls. The process closes them. */
export async function openRelay(
  env: RelayEnv,
  { shared, log, ending }: Pick<ServiceContext<unknown>, "shared" | "log" | "ending">,
): Promise<ServiceRelay> {
  const { deps, outbox, settlements } = await sharedRelay(shared, env);
  ending.addEventListener("abort", () => settlements.limitRetries()); // the drain may wait for settlements
  const { redis, catalog, budget } = deps;
  return {
    relay: { ...deps, log, limits: env.limits },
    outbox,
    body: { ...env.body, ...env.pace, budget },
    refused: await sharedRefusedCalls(shared, env),
    ready() {
      if (redis.status !== "ready") throw new Error("redis is unavailable");
      if (!catalog.ready) throw new Error("no configuration yet");
    },
  };
}
