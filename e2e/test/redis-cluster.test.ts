import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { canStartCluster, startClusterBackends, startSuite, until, type Suite } from "@modelgate/testkit";
import { channel, config, hello, keys, money, patientWithRedis, post } from "./suite-client.ts";
import { moneyRaceTests } from "./money-race.ts";

const spread = Array.from({ length: 6 }, (_, at) => `spread-${at}`);
const keyOf = (name: string): string => `sk-${name}-0123456789abcdef`;
const cluster = {
  ...config,
  accounts: {
    ...config.accounts,
    ...Object.fromEntries(
      spread.map((name) => [name, { balance: "1.00", tokens: [{ key: keyOf(name), group: "default" }] }]),
    ),
  },
};

describe.skipIf(!canStartCluster)("on a Redis Cluster", () => {
  let suite: Suite;
  beforeAll(async () => {
    suite = await startSuite({
      shape: "one",
      config: cluster,
      backends: await startClusterBackends(),
      limits: patientWithRedis,
    });
  });
  afterAll(() => suite?.[Symbol.asyncDispose]());

  moneyRaceTests(() => suite);

  test("accounts of different shards are billed, and their usage is counted", async () => {
    await Promise.all(
      spread.map(async (name) => expect((await post(suite, hello("fixed"), keyOf(name))).status).toBe(200)),
    );
    for (const name of spread)
      await until(`${name} to be billed`, async () => (await money(suite, name)).spentNanos === "1000000");
    await until("their usage to be counted", async () => {
      const usage = JSON.stringify(await suite.ask("usage", "--by", "account"));
      return spread.every((name) => usage.includes(name));
    });
  });

  test("limits apply across all nodes", async () => {
    const answers = await Promise.all(Array.from({ length: 5 }, () => post(suite, hello("fixed"), keys.slow)));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 200, 429, 429, 429]);
  });

  test("messages published to all nodes arrive: a new configuration takes effect", async () => {
    expect((await post(suite, hello("later"), keys.demo)).status).toBe(404);
    suite.configure({
      ...cluster,
      models: { ...config.models, later: { kind: "chat", price: { request: 0.001 } } },
      channels: [...config.channels, channel("late", ["later"])],
    });
    await until("the model to be served", async () => (await post(suite, hello("later"), keys.demo)).status === 200);
  });
});
