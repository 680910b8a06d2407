import { rmSync, truncateSync } from "node:fs";
import { afterAll, beforeAll, expect, test } from "vitest";
import { accountKeys } from "@modelgate/accounts";
import { startLocalBackends, startSuite, until, type LocalBackends, type Suite } from "@modelgate/testkit";
import { logFolder, newestLog, onRedis } from "../chaos/redis-log.ts";
import { channel, config, hello, keys, money, post, read, sdk } from "./suite-client.ts";

const withFilm = {
  ...config,
  models: { ...config.models, film: { kind: "video", price: { second: 0.01 } } },
  channels: [...config.channels, channel("films", { film: "sora-2" })],
};

// The ledger is a separate process. While it is stopped, the other services see an empty Redis.
let suite: Suite<LocalBackends>;
beforeAll(async () => {
  suite = await startSuite({
    // Redis is killed and must keep its last writes. With `everysec`, it would delay writes while the disk is busy.
    backends: await startLocalBackends({ fsync: "no" }),
    shape: "apart",
    config: withFilm,
    limits: { relay: { limits: { leaseMs: 3_000 } }, edge: { seatLeaseMs: 900 } },
  });
});
afterAll(() => suite?.[Symbol.asyncDispose]());

interface Verification {
  readonly ok: boolean;
  readonly to: number;
  readonly restored: readonly { readonly calls: number; readonly reason: string }[];
}

/** Waits until nothing is reserved and the books agree. */
async function booksAgree(receipts: number): Promise<Verification> {
  let lastState: unknown;
  const found = await until(
    `the books to agree about ${receipts} receipts`,
    async () => {
      const { accounts } = await read<{ accounts: Verification[] }>(suite, "/ledger/verification?account=demo");
      const [one] = accounts;
      lastState = [one, await money(suite)];
      return one?.ok === true && one.to === receipts && (await money(suite)).heldNanos === "0" && one;
    },
    60_000,
  ).catch((error: unknown) => expect.unreachable(`${String(error)}: ${JSON.stringify(lastState)}`));
  const { balanceNanos, creditedNanos, spentNanos } = await money(suite);
  expect(BigInt(balanceNanos)).toBe(BigInt(creditedNanos) - BigInt(spentNanos));
  return found;
}

const passes = (): Promise<true> =>
  until("calls to pass again", async () => (await post(suite, hello("fixed"))).status === 200, 60_000);

test("Redis is emptied during a stream and a video: both end normally and are charged once; other calls get 503", async () => {
  expect((await post(suite, hello("fixed"))).status).toBe(200);
  await booksAgree(2);
  const before = (await suite.simulator.requests("main")).length;
  const slow = hello("chat", 'Hi {{simulate: {"chunks": 60, "chunkDelayMs": 30}}}');
  const stream = await post(suite, { ...slow, stream: true });
  await until("the request to reach the vendor", async () => (await suite.simulator.requests("main")).length > before);
  const film = sdk(suite).videos.create({
    model: "film",
    prompt: 'A boat {{simulate: {"delayMs": 1000, "polls": 1}}}',
  });
  await until("its request to reach the vendor", async () => (await suite.simulator.requests("films")).length > 0);
  suite.process("ledger").signal("SIGSTOP");
  await onRedis(suite.backends.redisUrl, (redis) => redis.flushall());
  const refused = await post(suite, hello("fixed"));
  expect(refused.status).toBe(503);
  expect(refused.headers.get("retry-after")).toBe("1");
  expect(JSON.parse(await refused.text())).toMatchObject({ error: { code: "server_overloaded" } });
  suite.process("ledger").signal("SIGCONT");
  expect(await stream.text()).toContain("[DONE]");
  await passes();
  const { id } = await film;
  await until("the video to be generated", async () => (await sdk(suite).videos.retrieve(id)).status === "completed");
  expect((await suite.simulator.requests("films")).filter(({ method }) => method === "POST")).toHaveLength(1);
  const { restored } = await booksAgree(5);
  expect(restored).toMatchObject([{ calls: 1, reason: "the call was open when Redis was lost" }]);
  expect((await money(suite)).creditedNanos).toBe("10000000000");
});

test("Redis returns with the state before the last key changes: unknown keys get 503, then the changes apply again", async () => {
  const newKey = (): Promise<{ id: string; key: string }> => suite.ask("token", "create", "demo", "--group", "default");
  const disabled = await newKey();
  // The ledger records this after a complete comparison. Only then can services detect lost writes.
  const isComplete = () => onRedis(suite.backends.redisUrl, (redis) => redis.exists(accountKeys.completeRuns));
  await until("Redis to be known as complete", async () => (await isComplete()) === 1, 60_000);
  const cut = await newestLog(suite.backends.redisUrl);
  await suite.ask("token", "disable", disabled.id);
  const created = await newKey();
  suite.process("ledger").signal("SIGSTOP");
  await suite.backends.redis.kill();
  truncateSync(cut.file, cut.bytes);
  await suite.backends.redis.start();
  const status = async (key: string): Promise<number> => (await post(suite, hello("fixed"), key)).status;
  await until("Redis to be found", async () => (await status(keys.demo)) === 200);
  const unknown = await post(suite, hello("fixed"), created.key);
  expect([unknown.status, unknown.headers.get("retry-after")]).toEqual([503, "1"]);
  suite.process("ledger").signal("SIGCONT");
  await until("the new key to pass", async () => (await status(created.key)) === 200);
  await until("the other to be refused", async () => (await status(disabled.key)) === 401);
  const stranger = "sk-stranger-0123456789abcdef";
  await until("a key that was never created to be refused", async () => (await status(stranger)) === 401);
});

test("Redis returns with an empty volume: keys, balances and the configuration are restored", async () => {
  const folder = await logFolder(suite.backends.redisUrl);
  const { balanceNanos } = await money(suite);
  await suite.backends.redis.kill();
  rmSync(folder, { recursive: true, force: true });
  await suite.backends.redis.start();
  await passes();
  const paid = String(BigInt(balanceNanos) - 1_000_000n);
  await until("the call to be charged", async () => (await money(suite)).balanceNanos === paid);
  expect((await post(suite, hello("chat"), keys.disabled)).status).toBe(401);
});
