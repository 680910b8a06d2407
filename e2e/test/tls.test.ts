import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
  ChildEnded,
  canStartCluster,
  startServiceAlone,
  startSuite,
  startTlsBackends,
  until,
  type Suite,
  type TlsBackends,
} from "@modelgate/testkit";
import { config, hello, money, post } from "./suite-client.ts";

describe.skipIf(!canStartCluster)("with TLS", () => {
  let backends: TlsBackends;
  let suite: Suite;
  beforeAll(async () => {
    backends = await startTlsBackends();
    suite = await startSuite({
      shape: "one",
      config,
      backends,
      env: { NODE_EXTRA_CA_CERTS: backends.authorityFile },
    });
  });
  afterAll(() => suite?.[Symbol.asyncDispose]());

  test("a call is served and billed, and its event goes through NATS to the ledger", async () => {
    expect((await post(suite, hello("fixed"))).status).toBe(200);
    await until("it to be billed", async () => (await money(suite)).spentNanos === "1000000");
    await until("its usage to be counted", async () =>
      JSON.stringify(await suite.ask("usage", "--by", "account")).includes('"demo"'),
    );
  });

  test("messages published to all nodes arrive", async () => {
    suite.configure({ ...config, models: { ...config.models, chat: { kind: "chat", price: { request: 0.002 } } } });
    await until("the new price to be charged", async () => {
      const before = BigInt((await money(suite)).spentNanos);
      await post(suite, hello("chat"));
      return until("a charge", async () => BigInt((await money(suite)).spentNanos) - before).then(
        (by) => by === 2_000_000n,
      );
    });
  });

  test.concurrent.each(["clusterUrl", "sentinelUrl"] as const)("a service starts on a Redis at a %s", async (kind) => {
    const ledger = await startServiceAlone("ledger", {
      REDIS_URL: backends[kind],
      NATS_URL: backends.natsUrl,
      MODELGATE_SECRET: suite.secret,
      NODE_EXTRA_CA_CERTS: backends.authorityFile,
    });
    await until("it to be ready", async () => (await fetch(`${ledger.opsUrl}/readyz`)).ok);
    await ledger.stop();
  });

  test.concurrent("a service with another certificate authority reports the problem, and does not start", async () => {
    const env = {
      NATS_URL: backends.natsUrl,
      MODELGATE_SECRET: suite.secret,
      NODE_EXTRA_CA_CERTS: backends.strangerFile,
    };
    const words = (redisUrl: string): Promise<string> =>
      startServiceAlone("ledger", { ...env, REDIS_URL: redisUrl }).then(
        () => "it started",
        (error: unknown) => (error instanceof ChildEnded ? `${error.status}: ${error.logs}` : String(error)),
      );
    const [redis, nats] = await Promise.all([words(backends.redisUrl), words(backends.plainRedisUrl)]);
    expect(redis).toMatch(/^78: [\s\S]*ledger: Redis's certificate is refused/);
    expect(nats).toMatch(/^78: [\s\S]*ledger: NATS's certificate is refused/);
  });
});
