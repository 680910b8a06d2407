import { join } from "node:path";
import { openBus, openRedis, operatorHandler, runService, secretsOf } from "@modelgate/platform";
import { callRoutes } from "./api/calls.ts";
import { totalsRoutes } from "./api/totals.ts";
import { verificationRoutes, verifierOf } from "./api/verification.ts";
import { connectBooks } from "./books-connection.ts";
import { variables } from "./env.ts";
import { startForgetting } from "./forget.ts";
import { counted, published, swept, unpriced, watchShards } from "./ledger-metrics.ts";
import { startMoving } from "./move/move-usage.ts";
import { startRecording } from "./record-events.ts";
import { startRounds } from "./shard-rounds.ts";
import { startWatching } from "./watch/watch.ts";

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
    const place = { url: env.BOOKS_URL, file: join(env.MODELGATE_DATA, "books.sqlite") };
    const connection = opening.use(await connectBooks(place, log));
    const redis = await openRedis(env.REDIS_URL, log, env.REDIS_TIMEOUT_MS);
    opening.defer(() => redis.disconnect());
    const bus = opening.use(
      await openBus(env.NATS_URL, log, { replicas: env.NATS_REPLICAS, keepBytes: env.NATS_KEEP_BYTES }),
    );
    watchShards(redis);
    opening.use(startMoving({ redis, connection, log }));
    opening.use(startRecording({ bus, connection, log, counted, unpriced }));
    opening.use(startForgetting({ connection, log, keepDays: env.BOOKS_KEEP_DAYS }));
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
    const verification = { redis, connection, keepDays: env.BOOKS_KEEP_DAYS };
    opening.use(
      startWatching({
        redis,
        bus,
        connection,
        log,
        everyMs: env.WATCH_MS,
        verifyEveryMs: env.VERIFY_EVERY_MS,
        lowHours: env.LOW_BALANCE_HOURS,
        verify: verifierOf(verification),
      }),
    );
    const open = opening.move();
    const routes = {
      ...totalsRoutes(connection),
      ...callRoutes(connection),
      ...verificationRoutes(verification),
    };
    return {
      handler: operatorHandler(routes, secretsOf(env), log),
      ready() {
        if (redis.status !== "ready") throw new Error("redis is away");
        if (!bus.connected) throw new Error("nats is away, or has no streams");
      },
      [Symbol.asyncDispose]: () => open.disposeAsync(),
    };
  },
);
