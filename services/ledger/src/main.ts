import { openHolds, outboxLength, shards } from "@modelgate/accounts";
import { Counter, Gauge, openBus, openRedis, runService } from "@modelgate/platform";
import { startCounting } from "./count-usage.ts";
import { variables } from "./env.ts";
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
  async ({ env, log, metrics }) => {
    await using opening = new AsyncDisposableStack();
    const redis = await openRedis(env.REDIS_URL, log, env.REDIS_TIMEOUT_MS);
    opening.defer(() => redis.disconnect());
    const bus = opening.use(openBus(env.NATS_URL, log, { replicas: env.NATS_REPLICAS }));
    const registers = [metrics];
    const counter = (name: string, help: string) => new Counter({ name, help, registers });
    const gauge = (name: string, help: string, ofShard: (shard: string) => Promise<number>) =>
      metrics.registerMetric(
        new Gauge({
          name,
          help,
          registers: [],
          async collect() {
            const parts = await Promise.all(shards.map(ofShard));
            this.set(parts.reduce((sum, part) => sum + part, 0));
          },
        }),
      );
    gauge("modelgate_outbox_events", "events that wait to be published, all shards", (shard) =>
      outboxLength(redis, shard),
    );
    gauge("modelgate_holds_open", "calls whose money is put aside, all shards", (shard) => openHolds(redis, shard));
    opening.use(
      startCounting({
        redis,
        bus,
        log,
        retention: { keepSeconds: env.USAGE_KEEP_DAYS * 86_400, logEntries: env.USAGE_LOG_ENTRIES },
        counted: counter("modelgate_usage_counted_total", "usage events counted into totals"),
        unpriced: new Counter({
          name: "modelgate_usage_unpriced_total",
          help: "usage events with a unit that their model's price does not name: it cost nothing",
          labelNames: ["model", "unit"],
          registers,
        }),
      }),
    );
    opening.use(
      startRounds({
        redis,
        bus,
        log,
        roundMs: env.ROUND_MS,
        leftBehindMs: env.LEFT_BEHIND_MS,
        batch: env.ROUND_BATCH,
        published: counter("modelgate_events_published_total", "events published that their service left behind"),
        swept: counter("modelgate_holds_swept_total", "dead holds settled at their floor"),
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
