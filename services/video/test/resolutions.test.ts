import OpenAI from "openai";
import { afterAll, beforeAll, expect, test } from "vitest";
import { startArea, type Area } from "../../../libs/relay/test/area.ts";
import { ask, ended, films, quickLimits } from "./films.ts";
import { keys } from "../../../libs/relay/test/config.ts";
import { service } from "../src/service.ts";

const price = {
  second: 0.1,
  request: 0.05,
  resolutions: { "1024p": { second: 0.5 }, "1080p": { second: 0.7, request: 0 } },
};

let area: Area;
beforeAll(async () => {
  area = await startArea(service, {
    config: {
      ...films,
      models: { ...films.models, "film-openai": { kind: "video", price } },
      accounts: { ...films.accounts, poor: { balance: "2.049999999", tokens: [{ key: keys.poor, group: "default" }] } },
    },
    limits: quickLimits,
  });
});
afterAll(() => area?.[Symbol.asyncDispose]());

const sdk = () => new OpenAI({ baseURL: `${area.url}/v1`, apiKey: keys.demo, maxRetries: 0 });

/** Creates a task. Returns its cost and its id. */
async function costOf(create: () => Promise<{ readonly id: string }>): Promise<readonly [bigint, string]> {
  const before = await area.account("demo");
  const { id } = await create();
  await ended(area, id);
  return [(await area.settled("demo")).spentNanos - before.spentNanos, id];
}

const large = { model: "film-openai", prompt: "A boat", size: "1792x1024" } as const;

test("a remix is charged at the resolution of its source, and reports it", async () => {
  const [, id] = await costOf(() => sdk().videos.create(large));
  const [paid, remix] = await costOf(() => sdk().videos.remix(id, { prompt: "At night" }));
  expect(paid).toBe(2_050_000_000n);
  expect(await sdk().videos.retrieve(remix)).toMatchObject({ size: "1792x1024", seconds: "4" });
});

test("a size that the vendor chose is reported once the vendor does, in every style", async () => {
  const [paid, id] = await costOf(() => sdk().videos.create({ model: "film-openai", prompt: "A boat" }));
  expect(paid).toBe(450_000_000n);
  expect(await sdk().videos.retrieve(id)).toMatchObject({ size: "720x1280" });
  const { json } = await ask(area, `/v1/video/generations/${id}`);
  expect(json).toMatchObject({ metadata: { width: 720, height: 1280 } });
});

test("a size that another vendor chose is reported too", async () => {
  const [, id] = await costOf(() => sdk().videos.create({ model: "film-wan", prompt: "A boat" }));
  expect(await sdk().videos.retrieve(id)).toMatchObject({ size: "1920x1080" });
});

test("the hold has the resolution's price: a balance of one nano-dollar less is refused before any vendor is called", async () => {
  await area.simulator.forget("openai-films");
  const refusedVideo = await ask(area, "/v1/videos", large, { key: keys.poor });
  expect([refusedVideo.status, refusedVideo.json.error.code]).toEqual([402, "insufficient_quota"]);
  expect(await area.simulator.requests("openai-films")).toEqual([]);
  const acceptedVideo = await ask(area, "/v1/videos", { ...large, size: "1280x720" }, { key: keys.poor });
  expect(acceptedVideo.status).toBe(200);
});

test("its usage event names the price that was charged", async () => {
  await costOf(() => sdk().videos.create(large));
  const event = (await area.events()).findLast(({ costNanos }) => costNanos === "2050000000");
  expect(event?.units).toEqual({ seconds: 4, requests: 1 });
  const [, plain] = await costOf(() => sdk().videos.create({ ...large, size: "720x1280" }));
  const other = (await area.events()).findLast(({ accountId }) => accountId === "demo");
  expect([plain, other?.costNanos]).toEqual([expect.any(String), "450000000"]);
  expect(event?.priceVersion).not.toBe(other?.priceVersion);
});
