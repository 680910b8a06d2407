import { setTimeout as pause } from "node:timers/promises";
import { expect, test } from "vitest";
import { until, type Suite } from "@modelgate/testkit";
import { storedEvents } from "./events.ts";
import { hello, keys, money, post, settledMoney } from "./suite-client.ts";

/** Tests of an account that covers fifty calls. They are its first calls. */
export function moneyRaceTests(suite: () => Suite): void {
  test("of 200 parallel calls on a balance for 50 exactly 50 pass, and the balance is reduced by the sum of their costs", async () => {
    const requestsBefore = (await suite().simulator.requests("main")).length;
    const balances: bigint[] = [];
    const watch = { on: true };
    const watching = (async () => {
      while (watch.on) {
        const found = await money(suite(), "poor").catch(() => undefined);
        if (found !== undefined) balances.push(BigInt(found.balanceNanos));
        await pause(10);
      }
    })();
    const answers = await Promise.all(Array.from({ length: 200 }, () => post(suite(), hello("fixed"), keys.poor)));
    const statuses = answers.map(({ status }) => status);
    expect(statuses.filter((status) => status === 200)).toHaveLength(50);
    expect(statuses.filter((status) => status === 402)).toHaveLength(150);
    const refused = await answers.find(({ status }) => status === 402)?.json();
    expect(refused).toMatchObject({ error: { type: "insufficient_quota", code: "insufficient_quota" } });

    const end = await settledMoney(suite(), "poor");
    watch.on = false;
    await watching;
    expect(end).toMatchObject({ balanceNanos: "0", spentNanos: "50000000", creditedNanos: "50000000" });
    expect(balances.every((balance) => balance >= 0n)).toBe(true);
    const events = await until("fifty events", async () => {
      const all = (await storedEvents(suite().backends.natsUrl)).filter(({ event }) => event.accountId === "poor");
      return all.length >= 50 && all;
    });
    expect(events.reduce((sum, { event }) => sum + BigInt(event.costNanos), 0n)).toBe(50_000_000n);
    // The other calls reached no vendor.
    expect(await suite().simulator.requests("main")).toHaveLength(requestsBefore + 50);
  });

  test("an account that was topped up can call again, and a call that costs more than its balance is refused", async () => {
    expect((await post(suite(), hello("chat"), keys.poor)).status).toBe(402);
    const requestsBefore = (await suite().simulator.requests("main")).length;
    await suite().ask("account", "top-up", "poor", "0.20", "--operation-id", "invoice-1");
    await suite().ask("account", "top-up", "poor", "0.20", "--operation-id", "invoice-1");
    expect(await money(suite(), "poor")).toMatchObject({ balanceNanos: "200000000" });
    expect((await post(suite(), { ...hello("chat"), max_tokens: 100_000 }, keys.poor)).status).toBe(402);
    expect((await post(suite(), { ...hello("chat"), max_tokens: 100 }, keys.poor)).status).toBe(200);
    expect(await suite().simulator.requests("main")).toHaveLength(requestsBefore + 1);
  });
}
