import { afterAll, beforeAll, expect, test } from "vitest";
import { startSuite, until, type Suite } from "@modelgate/testkit";
import { storedEvents } from "./events.ts";
import { ask, ended, films, quick } from "./films.ts";
import { keys, money, sdk } from "./house.ts";
import { askOperator } from "./operator.ts";

const price = {
  second: 0.1,
  request: 0.05,
  resolutions: { "1024p": { second: 0.5 }, "1080p": { second: 0.7, request: 0 } },
};

let suite: Suite;
beforeAll(async () => {
  suite = await startSuite({
    config: {
      ...films,
      models: { ...films.models, "film-openai": { kind: "video", price } },
      accounts: { ...films.accounts, poor: { balance: "2.049999999", tokens: [{ key: keys.poor, group: "default" }] } },
    },
    limits: quick,
  });
});
afterAll(() => suite?.[Symbol.asyncDispose]());

/** What a task cost, and its id. */
async function paidFor(create: () => Promise<{ readonly id: string }>): Promise<readonly [bigint, string]> {
  const before = await money(suite);
  const { id } = await create();
  await ended(suite, id);
  const after = await until("the settlement", async () => {
    const seen = await money(suite);
    return seen.heldNanos === "0" && seen;
  });
  return [BigInt(after.spentNanos) - BigInt(before.spentNanos), id];
}

const large = { model: "film-openai", prompt: "A boat", size: "1792x1024" } as const;

test("a remix is paid at the resolution of what it is made from, and says it", async () => {
  const [, id] = await paidFor(() => sdk(suite).videos.create(large));
  const [paid, remix] = await paidFor(() => sdk(suite).videos.remix(id, { prompt: "At night" }));
  expect(paid).toBe(2_050_000_000n);
  expect(await sdk(suite).videos.retrieve(remix)).toMatchObject({ size: "1792x1024", seconds: "4" });
});

test("what is held is the resolution's price as well: a nano less is not enough, and no vendor is asked", async () => {
  await suite.simulator.forget("openai-films");
  const dear = await ask(suite, "/v1/videos", large, { key: keys.poor });
  expect([dear.status, dear.json.error.code]).toEqual([402, "insufficient_quota"]);
  expect(await suite.simulator.requests("openai-films")).toEqual([]);
  const usual = await ask(suite, "/v1/videos", { ...large, size: "1280x720" }, { key: keys.poor });
  expect(usual.status).toBe(200);
});

test("its usage event names the price that it was paid at", async () => {
  await paidFor(() => sdk(suite).videos.create(large));
  const event = await until("its usage event", async () =>
    (await storedEvents(suite.backends.natsUrl))
      .map((stored) => stored.event)
      .findLast(({ model, costNanos }) => model === "film-openai" && costNanos === "2050000000"),
  );
  expect(event.units).toEqual({ seconds: 4, requests: 1 });
  expect(await askOperator(suite, "GET", `/prices/${event.priceVersion}`)).toMatchObject({
    price: { second: 0.5, request: 0.05 },
  });
});
