import { join } from "node:path";
import { makeTaskCipher } from "@modelgate/accounts";
import { createAnchorSigner, type AnchorSigner } from "@modelgate/books";
import { sharedBus, sharedRedis, type Bus, type Redis, type ServiceContext } from "@modelgate/platform";
import { openAlertSender, type AlertSender } from "./alerts/send.ts";
import { startAlerts, type AlertOptions } from "./alerts/start-alerts.ts";
import { connectBooks, type BooksConnection } from "./books-connection.ts";
import type { Env } from "./env.ts";
import { startMaintainingBooks } from "./maintain-books.ts";
import { eventsPublished, holdsSwept, watchShards } from "./ledger-metrics.ts";
import { startMovingUsage } from "./move/move-usage.ts";
import { startRecording } from "./record-events.ts";
import { startRecordingRefused } from "./record-refused.ts";
import { republishAfterMs, startRepublishing } from "./restore/republish.ts";
import { startComparison } from "./restore/compare-redis.ts";
import { startRounds } from "./shard-rounds.ts";
import { createVerifier } from "./api/verification.ts";
import { commonTables, verifyCommon } from "./api/verify-common.ts";
import { startWatching } from "./watch/watch.ts";

/** Maximum events per transaction. A SQLite transaction costs as much CPU time as about forty events. */
const maxAtOnce = 500;

/** Dependencies of the ledger's routes and background work. */
export interface Deps extends AsyncDisposable {
  readonly redis: Redis;
  readonly bus: Bus;
  readonly connection: BooksConnection;
  readonly signer: AnchorSigner;
  readonly sender: AlertSender;
  /** Throws an error if the ledger cannot serve. */
  ready(): void;
}

/** Opens the books and starts the background work. */
export async function openDeps({
  env,
  log,
  shared,
}: Pick<ServiceContext<Env>, "env" | "log" | "shared">): Promise<Deps> {
  await using opening = new AsyncDisposableStack();
  const address = { url: env.books.url, file: join(env.books.folder, "books.sqlite") };
  const connection = opening.use(await connectBooks(address, log));
  const redis = await sharedRedis(shared, env);
  const bus = await sharedBus(shared, env);
  const { roundMs } = env.rounds;
  const counters = { published: eventsPublished, swept: holdsSwept };
  const signer = createAnchorSigner(env.secrets);
  watchShards(redis);
  opening.use(startMovingUsage({ redis, connection, log }));
  const watch = opening.use(
    startComparison({ redis, bus, connection, log, roundMs, taskCipher: makeTaskCipher(env.secrets) }),
  );
  const sender = openAlertSender({ secrets: env.secrets, ...env.alerts });
  const alerts = opening.use(startAlerts({ redis, connection, log, sender, ...alertOptions(env) }));
  opening.use(
    startRecording({
      redis,
      bus,
      connection,
      log,
      maxPerTransaction: maxAtOnce,
      ...env.recording,
      onAccounts: (ids) => watch.noteAccounts(ids),
      onCalls: alerts.noteCalls,
      onTasks: (events) => watch.noteTasks(events),
    }),
  );
  opening.use(startRecordingRefused({ redis, connection, log, onRefused: alerts.noteRefused }));
  opening.use(startRepublishing({ redis, bus, connection, log, afterMs: republishAfterMs }));
  opening.use(startMaintainingBooks({ connection, log, keepDays: env.books.keepDays, signer, secrets: env.secrets }));
  opening.use(startRounds({ redis, bus, log, ...env.rounds, ...counters, completeRuns: () => watch.completeRuns }));
  const verifyAccount = createVerifier({ redis, connection, signer });
  const verify = (id: string) =>
    id === commonTables ? verifyCommon({ redis, connection, signer }) : verifyAccount(id);
  const mayVerify = () => watch.isComplete;
  opening.use(startWatching({ redis, bus, connection, log, ...env.watch, verify, mayVerify, onLow: alerts.noteLow }));
  const resources = opening.move();
  return {
    redis,
    bus,
    connection,
    signer,
    sender,
    ready() {
      if (redis.status !== "ready") throw new Error("redis is unavailable");
      if (!bus.connected) throw new Error("nats is unavailable, or has no streams");
    },
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  };
}

function alertOptions(env: Env): Omit<AlertOptions, "redis" | "connection" | "log" | "sender"> {
  const { everyMs, lowHours } = env.watch;
  const stores = [env.redis.url, env.bus.url].flatMap((urls) => urls.split(",").map((url) => url.trim()));
  const storeUrls = env.books.url === undefined ? stores : [...stores, env.books.url];
  return { everyMs, lowHours, deliverMs: env.alerts.deliverMs, storeUrls };
}
