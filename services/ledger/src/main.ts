import { join } from "node:path";
import { bySecret, openBus, openRedis, operatorHandler, runService } from "@modelgate/platform";
import { accountRoutes } from "./api/accounts.ts";
import { callRoutes } from "./api/calls.ts";
import { operatorRoutes } from "./api/operators.ts";
import { totalsRoutes } from "./api/totals.ts";
import { verificationRoutes, verifierOf } from "./api/verification.ts";
import { connectBooks } from "./books-connection.ts";
import { variables } from "./env.ts";
import { startForgetting } from "./forget.ts";
import { counted, published, swept, unpriced, watchShards } from "./ledger-metrics.ts";
import { startMoving } from "./move/move-usage.ts";
import { startRecording } from "./record-events.ts";
import { watchRedis } from "./restore/watch-redis.ts";
import { resupplyAfterMs, startResupplying } from "./restore/resupply.ts";
import { startRounds } from "./shard-rounds.ts";
import { startWatching } from "./watch/watch.ts";

await runService(variables, async ({ env, log }) => {
  await using opening = new AsyncDisposableStack();
  const place = { url: env.books.url, file: join(env.books.folder, "books.sqlite") };
  const connection = opening.use(await connectBooks(place, log));
  const redis = await openRedis(env.redis.url, log, env.redis.timeoutMs);
  opening.defer(() => redis.disconnect());
  const bus = opening.use(await openBus(env.bus.url, log, env.bus.limits));
  watchShards(redis);
  opening.use(startMoving({ redis, connection, log }));
  const watch = opening.use(watchRedis({ redis, bus, connection, log, roundMs: env.rounds.roundMs }));
  opening.use(startRecording({ redis, bus, connection, log, counted, unpriced, noticed: (ids) => watch.noticed(ids) }));
  opening.use(startResupplying({ redis, bus, log, afterMs: resupplyAfterMs }));
  opening.use(startForgetting({ connection, log, keepDays: env.books.keepDays }));
  opening.use(startRounds({ redis, bus, log, ...env.rounds, published, swept, maySweep: () => watch.isWhole }));
  const verification = { redis, connection, keepDays: env.books.keepDays };
  const verify = verifierOf(verification);
  opening.use(startWatching({ redis, bus, connection, log, ...env.watch, verify, mayVerify: () => watch.isWhole }));
  const open = opening.move();
  const routes = {
    ...accountRoutes({ redis, connection }),
    ...operatorRoutes(connection),
    ...totalsRoutes(connection),
    ...callRoutes(connection),
    ...verificationRoutes(verification),
  };
  return {
    handler: operatorHandler(routes, bySecret(env.secrets), log),
    ready() {
      if (redis.status !== "ready") throw new Error("redis is away");
      if (!bus.connected) throw new Error("nats is away, or has no streams");
    },
    [Symbol.asyncDispose]: () => open.disposeAsync(),
  };
});
