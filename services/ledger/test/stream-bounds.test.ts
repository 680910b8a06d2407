import { connect, type NatsConnection } from "nats";
import { afterAll, beforeAll, expect, test } from "vitest";
import { eventStreams } from "@modelgate/contracts";
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

/** The size that the stream of usage may have once a ledger with that bound has come and looked. */
async function boundAfter(keepBytes: number): Promise<number> {
  const ledger = await startServiceAlone("ledger", {
    REDIS_URL: backends.redisUrl,
    NATS_URL: backends.natsUrl,
    MODELGATE_SECRET: "a secret of the tests, long enough",
    NATS_KEEP_BYTES: String(keepBytes),
    LOG_LEVEL: "silent",
  });
  try {
    const management = await nats.jetstreamManager();
    await until("the ledger to be connected", async () =>
      (await (await fetch(`${ledger.opsUrl}/metrics`)).text()).includes(
        'modelgate_store_up{store="nats",service="ledger"} 1',
      ),
    );
    const { config } = await management.streams.info(eventStreams.usage.name);
    return config.max_bytes;
  } finally {
    await ledger.stop();
  }
}

test("a stream of events has its configured size, grows with it, and never shrinks", async () => {
  expect(await boundAfter(2 * mebibyte)).toBe(2 * mebibyte);
  expect(await boundAfter(4 * mebibyte)).toBe(4 * mebibyte);
  expect(await boundAfter(mebibyte)).toBe(4 * mebibyte);
});
