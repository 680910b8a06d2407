import { setTimeout as pause } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
  canStartCluster,
  startSentinels,
  startSuite,
  until,
  type SentinelBackends,
  type Suite,
} from "@modelgate/testkit";
import { storedEvents } from "./events.ts";
import { config, hello, money, post, settledMoney } from "./suite-client.ts";

const key = "sk-lasting-0123456789abcdef";
const priceNanos = 1_000_000n;
/** Number of calls that the balance pays. The load ends when it is used up. */
const affordable = 150n;
/** Number of concurrent calls. A new primary may lack only their latest writes. */
const callers = 4;
const lasting = {
  ...config,
  accounts: { ...config.accounts, lasting: { balance: "0.150", tokens: [{ key, group: "default" }] } },
};

describe.skipIf(!canStartCluster)("on a Redis with Sentinels", () => {
  let suite: Suite<SentinelBackends>;
  beforeAll(async () => {
    const backends = await startSentinels();
    suite = await startSuite({
      shape: "one",
      config: lasting,
      backends,
      limits: { relay: { limits: { leaseMs: 3_000 } } },
    });
  });
  afterAll(() => suite?.[Symbol.asyncDispose]());

  test("the primary is killed under load: calls are refused until a new one is elected, and no balance becomes negative", async () => {
    const { backends } = suite;
    const before = await backends.primaryPort();
    const counts = new Map<number, number>();
    const balances: bigint[] = [];
    const calling = Array.from({ length: callers }, async () => {
      // 20 refusals in a row show that the balance is used up. Fewer can be caused by holds.
      for (let empty = 0; empty < 20;) {
        const { status } = await post(suite, hello("fixed"), key);
        counts.set(status, (counts.get(status) ?? 0) + 1);
        empty = status === 402 ? empty + 1 : 0;
        if (status === 503) await pause(50);
      }
    });
    const watching = { on: true };
    const watch = (async () => {
      while (watching.on) {
        const found = await money(suite, "lasting").catch(() => undefined);
        if (found !== undefined) balances.push(BigInt(found.balanceNanos));
        await pause(20);
      }
    })();

    await until("calls to pass", () => (counts.get(200) ?? 0) >= 50);
    await backends.primary.kill();
    await until("calls to be refused", () => counts.has(503));
    // Calls fail until there is a new primary.
    const passed = counts.get(200) ?? 0;
    await until("the Sentinels to name another primary", async () => (await backends.primaryPort()) !== before);
    await until("calls to pass again", () => (counts.get(200) ?? 0) > passed + callers);
    // The old primary returns as a replica.
    await backends.primary.start();
    await Promise.all(calling);
    watching.on = false;
    await watch;

    const end = await settledMoney(suite, "lasting");
    expect([...counts.keys()].toSorted()).toEqual([200, 402, 503]);
    expect(balances.every((balance) => balance >= 0n)).toBe(true);
    expect(BigInt(end.balanceNanos)).toBe(BigInt(end.creditedNanos) - BigInt(end.spentNanos));
    const calls = BigInt(end.spentNanos) / priceNanos;
    expect(Math.abs(Number(calls) - (counts.get(200) ?? 0))).toBeLessThanOrEqual(callers);
    expect(calls).toBeLessThanOrEqual(affordable);
    await until("an event for the charge", async () => {
      const events = (await storedEvents(backends.natsUrl)).filter(({ event }) => event.accountId === "lasting");
      expect(new Set(events.map(({ id }) => id)).size).toBe(events.length);
      const sum = events.reduce((nanos, { event }) => nanos + BigInt(event.costNanos), 0n);
      return Math.abs(Number((sum - BigInt(end.spentNanos)) / priceNanos)) <= callers;
    });
  });
});
