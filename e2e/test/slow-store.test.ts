import { afterAll, beforeAll, expect, test } from "vitest";
import { signOperator } from "@modelgate/contracts/operator-credential";
import { startLocalBackends, startSuite, until, type LocalBackends, type Suite } from "@modelgate/testkit";
import { openSlowProxy, type SlowProxy } from "../chaos/slow-proxy.ts";
import { storedEvents } from "./events.ts";
import { config, hello, money, post, sdk, settledMoney } from "./suite-client.ts";

let [ofText, ofControl]: SlowProxy[] = [];
let backends: LocalBackends;
// Separate processes, because text and control have different proxies to Redis.
let suite: Suite;
beforeAll(async () => {
  backends = await startLocalBackends();
  const port = Number(new URL(backends.redisUrl).port);
  [ofText, ofControl] = [await openSlowProxy(port), await openSlowProxy(port)];
  suite = await startSuite({
    shape: "apart",
    config,
    backends,
    envOf: {
      text: { REDIS_URL: `redis://127.0.0.1:${ofText.port}` },
      control: { REDIS_URL: `redis://127.0.0.1:${ofControl.port}` },
    },
    limits: {
      text: { relay: { redis: { timeoutMs: 500 }, limits: { stepTokens: 256 } } },
      control: { redis: { timeoutMs: 500 } },
    },
  });
});
afterAll(async () => {
  await suite?.[Symbol.asyncDispose]();
  await ofText?.[Symbol.asyncDispose]();
  await ofControl?.[Symbol.asyncDispose]();
});

test("a hold without a reply is released: nothing was sent, so nothing is charged", async () => {
  expect((await post(suite, hello("fixed"))).status).toBe(200);
  const before = await settledMoney(suite);
  const requestsBefore = (await suite.simulator.requests("main")).length;
  // Repeated, because the service may notice the outage before it reserves money.
  const sweptHold = await until("the event of a hold whose answer was lost", async () => {
    ofText?.holdAnswers(true);
    const refused = await post(suite, hello("fixed"));
    expect(refused.status).toBe(503);
    expect(await refused.json()).toMatchObject({ error: { code: "server_overloaded" } });
    ofText?.holdAnswers(false);
    // The hold is settled long before its lease ends.
    await settledMoney(suite);
    return (await storedEvents(backends.natsUrl)).find(({ event }) => event.outcome === "failed");
  });
  expect(sweptHold.event).toMatchObject({ status: 503, costNanos: "0", attempts: 0, estimated: false });
  expect(await money(suite)).toMatchObject({ balanceNanos: before.balanceNanos, spentNanos: before.spentNanos });
  expect(await suite.simulator.requests("main")).toHaveLength(requestsBefore);
  await until("calls to pass again", async () => (await post(suite, hello("fixed"))).status === 200);
});

test("a stream whose hold cannot be extended, because Redis is unavailable, ends with an error when the hold is used up", async () => {
  const before = await settledMoney(suite);
  await suite.simulator.script("main", [{ text: "story ".repeat(4_000), chunks: 2_000, waitFor: "slow-store" }]);
  const stream = await sdk(suite).chat.completions.create({ ...hello("chat"), stream: true });
  let text = "";
  const received = (async () => {
    for await (const { choices } of stream) {
      if (text === "") {
        ofText?.holdAnswers(true);
        await suite.simulator.release("slow-store");
      }
      text += choices[0]?.delta.content ?? "";
    }
  })();
  await expect(received).rejects.toThrow("store is unavailable");
  ofText?.holdAnswers(false);
  // The answer ends soon after the first hold is used up.
  expect(text.length).toBeGreaterThan(256);
  expect(text.length).toBeLessThan(8_000);
  const after = await until("the call to be settled", async () => {
    const account = await money(suite);
    return account.heldNanos === "0" && account.spentNanos !== before.spentNanos && account;
  });
  const { event } = await until("its event", async () =>
    (await storedEvents(backends.natsUrl)).find(({ event: stored }) => stored.model === "chat"),
  );
  expect(event).toMatchObject({ outcome: "failed", status: 200, estimated: true });
  expect(BigInt(after.spentNanos) - BigInt(before.spentNanos)).toBe(BigInt(event.costNanos));
  expect(Number(event.units.outputTokens)).toBeGreaterThan(0);
  // The channel is not blamed for the failure of Redis.
  await until("calls to pass again", async () => (await post(suite, hello("chat"))).status === 200);
});

test("an operator learns that Redis is unavailable, and when to retry", async () => {
  const credential = signOperator(suite.secret, Math.floor(Date.now() / 1_000) + 60);
  const ask = (path: string) => fetch(suite.controlUrl + path, { headers: { authorization: `Bearer ${credential}` } });
  await until("the store to answer", async () => (await ask("/accounts/demo")).ok);
  ofControl?.holdAnswers(true);
  for (const path of ["/accounts/demo", "/accounts", "/channels"]) {
    const answer = await ask(path);
    expect([path, answer.status]).toEqual([path, 503]);
    expect(answer.headers.get("retry-after")).toBe("1");
    expect(await answer.json()).toMatchObject({ error: { code: "server_overloaded" } });
  }
  // The ledger reads usage from the books.
  expect((await ask("/usage?from=2026-01-01&to=2026-01-02")).status).toBe(200);
  ofControl?.holdAnswers(false);
  await until("the store to answer", async () => (await ask("/accounts/demo")).ok);
});
