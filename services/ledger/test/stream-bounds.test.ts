import { connect, type NatsConnection } from "nats";
import { afterAll, beforeAll, expect, test } from "vitest";
import { eventStreams } from "@modelgate/contracts";
import { createLogger, openBus } from "@modelgate/platform";
import { startLocalBackends, startServiceAlone, until, type LocalBackends } from "@modelgate/testkit";

const mebibyte = 1024 * 1024;
let backends: LocalBackends;
let nats: NatsConnection;
beforeAll(async () => {
  backends = await startLocalBackends();
  nats = await connect({ servers: backends.natsUrl });
});
afterAll(async () => {
  await nats?.close();
  await backends?.[Symbol.asyncDispose]();
});

async function bound(): Promise<number> {
  const { streams } = await nats.jetstreamManager();
  return (await streams.info(eventStreams.usage.name)).config.max_bytes;
}

async function boundAfter(keepBytes: number): Promise<number> {
  await using bus = await openBus(backends.natsUrl, createLogger("test", "silent").log, { keepBytes });
  await until("the streams to be checked", () => bus.connected);
  return bound();
}

test("a stream of events has its configured size, grows with it, and never shrinks", async () => {
  await using ledger = await startServiceAlone("ledger", {
    REDIS_URL: backends.redisUrl,
    NATS_URL: backends.natsUrl,
    MODELGATE_SECRET: "a secret of the tests, long enough",
    NATS_KEEP_BYTES: String(2 * mebibyte),
    LOG_LEVEL: "silent",
  });
  await until("the ledger to be connected", async () =>
    (await (await fetch(`${ledger.opsUrl}/metrics`)).text()).includes(
      'modelgate_store_up{store="nats",service="ledger"} 1',
    ),
  );
  expect(await bound()).toBe(2 * mebibyte);
  expect(await boundAfter(4 * mebibyte)).toBe(4 * mebibyte);
  expect(await boundAfter(mebibyte)).toBe(4 * mebibyte);
});
