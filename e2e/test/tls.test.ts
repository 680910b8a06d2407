import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { canStartCluster, startSuite, startTlsBackends, until, type Suite, type TlsBackends } from "@modelgate/testkit";
import { config, hello, money, post } from "./suite-client.ts";

/** `libs/platform/test/tls.test.ts` shows connections to a Cluster and by Sentinels, and refused certificates. */
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
      const spent = await until("a charge", async () => {
        const now = BigInt((await money(suite)).spentNanos);
        return now > before && now;
      });
      return spent - before === 2_000_000n;
    });
  });
});
