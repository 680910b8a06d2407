import { openBus, openRedis, runService } from "@modelgate/platform";
import { startCounting } from "./count-usage.ts";
import { variables } from "./env.ts";
import { counted, published, swept, unpriced, watchShards } from "./ledger-metrics.ts";
import { startRounds } from "./shard-rounds.ts";

await runService(
  "ledger",
  variables,
  (env) => ({
    host: env.HOST,
    port: env.LEDGER_PORT,
    opsPort: env.LEDGER_OPS_PORT,
    logLevel: env.LOG_LEVEL,
    drainMs: env.DRAIN_MS,
  }),
  async ({ env, log }) => {
    await using opening = new AsyncDisposableStack();
    const redis = await openRedis(env.REDIS_URL, log, env.REDIS_TIMEOUT_MS);
    opening.defer(() => redis.disconnect());
    const bus = opening.use(
      await openBus(env.NATS_URL, log, { replicas: env.NATS_REPLICAS, keepBytes: env.NATS_KEEP_BYTES }),
    );
    watchShards(redis);
    opening.use(
      startCounting({
        redis,
        bus,
        log,
        retention: { keepSeconds: env.USAGE_KEEP_DAYS * 86_400, logEntries: env.USAGE_LOG_ENTRIES },
        counted,
        unpriced,
      }),
    );
    opening.use(
      startRounds({
        redis,
        bus,
        log,
        roundMs: env.ROUND_MS,
        leftBehindMs: env.LEFT_BEHIND_MS,
        afterOutageMs: env.AFTER_OUTAGE_MS,
        batch: env.ROUND_BATCH,
        published,
        swept,
      }),
    );
    const open = opening.move();
    return {
      handler: (_request, response) => void response.writeHead(404).end(),
      ready() {
        if (redis.status !== "ready") throw new Error("redis is away");
      },
      [Symbol.asyncDispose]: () => open.disposeAsync(),
    };
  },
);
