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
const models = [
  "film-openai",
  "film-compatible",
  "film-kling",
  "film-jimeng",
  "film-veo",
  "film-vertex",
  "film-wan",
  "film-wan-former",
  "film-seedance",
];

let suite: Suite;
beforeAll(async () => {
  const sized = Object.fromEntries(models.map((name) => [name, { kind: "video", price }]));
  suite = await startSuite({
    config: {
      ...films,
      models: { ...films.models, ...sized },
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

async function created(path: string, body: object): Promise<{ readonly id: string }> {
  const { status, json } = await ask(suite, path, { prompt: "A boat", ...body });
  expect([status, json.error ?? undefined]).toEqual([200, undefined]);
  return { id: json.id ?? json.task_id };
}

const generations = "/v1/video/generations";

test.each([
  ["no size", "/v1/videos", { model: "film-openai" }, 450_000_000n],
  ["the usual size", "/v1/videos", { model: "film-openai", size: "720x1280" }, 450_000_000n],
  ["a larger size", "/v1/videos", { model: "film-openai", size: "1024x1792" }, 2_050_000_000n],
  [
    "its other direction",
    generations,
    { model: "film-openai", duration: 4, width: 1792, height: 1024 },
    2_050_000_000n,
  ],
  ["the largest", generations, { model: "film-compatible", duration: 2, width: 1920, height: 1080 }, 1_400_000_000n],
  [
    "beyond the largest",
    generations,
    { model: "film-compatible", duration: 1, width: 3840, height: 2160 },
    700_000_000n,
  ],
  ["kling's usual mode", "/kling/v1/videos/text2video", { model_name: "film-kling", mode: "std" }, 550_000_000n],
  ["kling's better mode", "/kling/v1/videos/text2video", { model_name: "film-kling", mode: "pro" }, 3_500_000_000n],
  ["the same from elsewhere", generations, { model: "film-kling", metadata: { mode: "pro" } }, 3_500_000_000n],
  // A vendor that gets a shape only makes what its model makes.
  ["a size that is only a shape", generations, { model: "film-jimeng", width: 1920, height: 1080 }, 550_000_000n],
  ["what Veo makes of itself", generations, { model: "film-veo" }, 850_000_000n],
  ["Veo's larger", generations, { model: "film-veo", duration: 8, width: 1920, height: 1080 }, 5_600_000_000n],
  ["the same at Vertex", "/v1/videos", { model: "film-vertex", seconds: "8", size: "1080x1920" }, 5_600_000_000n],
  ["Wan's larger", generations, { model: "film-wan", duration: 3, size: "1920x1080" }, 2_100_000_000n],
  ["a former Wan's larger", generations, { model: "film-wan-former", duration: 3, size: "1632x1248" }, 2_100_000_000n],
  ["Seedance's usual", generations, { model: "film-seedance", duration: 4, size: "1280x720" }, 450_000_000n],
  ["Seedance's larger", generations, { model: "film-seedance", duration: 4, size: "1920x1080" }, 2_800_000_000n],
])("%s is paid at its price: %s %j", async (_, path, body, cost) => {
  const [paid] = await paidFor(() => created(path, body));
  expect(paid).toBe(cost);
});

test("a remix is paid at the resolution of what it is made from, and says it", async () => {
  const large = { model: "film-openai", prompt: "A boat", size: "1792x1024" } as const;
  const [, id] = await paidFor(() => sdk(suite).videos.create(large));
  const [paid, remix] = await paidFor(() => sdk(suite).videos.remix(id, { prompt: "At night" }));
  expect(paid).toBe(2_050_000_000n);
  expect(await sdk(suite).videos.retrieve(remix)).toMatchObject({ size: "1792x1024", seconds: "4" });
});

test("what is held is the resolution's price as well: a nano less is not enough, and no vendor is asked", async () => {
  await suite.simulator.forget("openai-films");
  const body = { model: "film-openai", prompt: "A boat", size: "1792x1024" };
  const large = await ask(suite, "/v1/videos", body, { key: keys.poor });
  expect([large.status, large.json.error.code]).toEqual([402, "insufficient_quota"]);
  expect(await suite.simulator.requests("openai-films")).toEqual([]);
  const usual = await ask(suite, "/v1/videos", { ...body, size: "1280x720" }, { key: keys.poor });
  expect(usual.status).toBe(200);
});

test("its usage event names the price that it was paid at", async () => {
  await paidFor(() => created("/v1/videos", { model: "film-openai", size: "1792x1024" }));
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
