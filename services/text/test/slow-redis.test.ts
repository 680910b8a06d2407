import { afterAll, beforeAll, expect, test } from "vitest";
import { openSlowProxy, until, type SlowProxy } from "@modelgate/testkit";
import { startArea, type Area } from "../../../libs/relay/test/area.ts";
import { config, hello } from "../../../libs/relay/test/config.ts";
import { service } from "../src/service.ts";
import { post, sdk } from "./requests.ts";

/** Area with the stores, and a replica whose Redis can be slow. */
let stores: Area;
let proxy: SlowProxy;
let area: Area;
beforeAll(async () => {
  stores = await startArea(service, { config });
  proxy = await openSlowProxy(Number(new URL(stores.backends.redisUrl).port));
  area = await startArea(service, {
    config,
    sameBackendsAs: stores,
    env: { REDIS_URL: `redis://127.0.0.1:${proxy.port}` },
    limits: { relay: { redis: { timeoutMs: 500 }, limits: { stepTokens: 256 } } },
  });
});
afterAll(async () => {
  await area?.[Symbol.asyncDispose]();
  await proxy?.[Symbol.asyncDispose]();
  await stores?.[Symbol.asyncDispose]();
});

test("a hold without a reply is released: nothing was sent, so nothing is charged", async () => {
  await until("calls to pass", async () => (await post(area, hello("fixed"))).status === 200);
  const before = await area.settled("demo");
  const requestsBefore = (await area.simulator.requests("main")).length;
  // Repeated, because the service may notice the outage before it reserves money.
  const event = await until("the event of a hold whose answer was lost", async () => {
    proxy.holdAnswers("all");
    const refused = await post(area, hello("fixed"));
    expect(refused.status).toBe(503);
    expect(await refused.json()).toMatchObject({ error: { code: "server_overloaded" } });
    proxy.holdAnswers("none");
    // This is long before the hold's lease ends.
    await area.settled("demo");
    return (await area.events()).find(({ outcome }) => outcome === "failed");
  });
  expect(event).toMatchObject({ status: 503, costNanos: "0", attempts: 0, estimated: false });
  const { balanceNanos, spentNanos } = before;
  expect(await area.account("demo")).toMatchObject({ balanceNanos, spentNanos });
  expect(await area.simulator.requests("main")).toHaveLength(requestsBefore);
  await until("calls to pass again", async () => (await post(area, hello("fixed"))).status === 200);
});

test("a stream whose hold cannot be extended, because Redis is unavailable, ends with an error when the hold is used up", async () => {
  const before = await area.settled("demo");
  await area.simulator.script("main", [{ text: "story ".repeat(4_000), chunks: 2_000, waitFor: "slow-store" }]);
  const stream = await sdk(area).chat.completions.create({ ...hello("chat"), stream: true });
  let text = "";
  const received = (async () => {
    for await (const { choices } of stream) {
      if (text === "") {
        proxy.holdAnswers("all");
        await area.simulator.release("slow-store");
      }
      text += choices[0]?.delta.content ?? "";
    }
  })();
  await expect(received).rejects.toThrow("store is unavailable");
  proxy.holdAnswers("none");
  // The answer ends soon after the first hold is used up.
  expect(text.length).toBeGreaterThan(256);
  expect(text.length).toBeLessThan(8_000);
  const event = await until("its event", async () => (await area.events()).find(({ model }) => model === "chat"));
  expect(event).toMatchObject({ outcome: "failed", status: 200, estimated: true });
  expect((await area.settled("demo")).spentNanos - before.spentNanos).toBe(BigInt(event.costNanos));
  expect(Number(event.units.outputTokens)).toBeGreaterThan(0);
  // The channel is not blamed for the failure of Redis.
  await until("calls to pass again", async () => (await post(area, hello("chat"))).status === 200);
});
