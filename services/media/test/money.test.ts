import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { startArea, type Area } from "../../../libs/relay/test/area.ts";
import { keys } from "../../../libs/relay/test/config.ts";
import { startGreedyVendor, type GreedyVendor } from "../../text/test/greedy-vendor.ts";
import { service } from "../src/service.ts";

const lowBalanceKey = keys.poor;
const max = { usage: { input: 1e300, output: 1e300 }, items: 40 } as const;

let vendor: GreedyVendor;
let area: Area;
beforeAll(async () => {
  vendor = await startGreedyVendor();
  area = await startArea(service, {
    config: {
      groups: { default: { models: ["*"] }, strict: { models: ["*"], unpriced: "refuse" } },
      models: {
        pictures: { kind: "image", price: { image: 0.04, input: 1, output: 10 } },
        drawn: { kind: "image", price: { image: 0.04 } },
        imagen: { kind: "image", price: { image: 0.04 } },
      },
      channels: [
        {
          id: "pictures",
          provider: "openai",
          baseUrl: `${vendor.url}/v1`,
          keys: ["key"],
          models: { pictures: "vendor", drawn: "vendor" },
        },
        {
          id: "imagen",
          provider: "gemini",
          baseUrl: vendor.url,
          keys: ["key"],
          models: { imagen: "imagen-4.0-generate-001" },
        },
      ],
      accounts: {
        demo: {
          balance: "1000",
          tokens: [
            { key: keys.demo, group: "strict" },
            { key: keys.single, group: "default" },
          ],
        },
        poor: { balance: "0.05", tokens: [{ key: lowBalanceKey, group: "default" }] },
      },
    },
  });
});
afterAll(async () => {
  await area?.[Symbol.asyncDispose]();
  await vendor?.[Symbol.asyncDispose]();
});
beforeEach(() => vendor.behave({}));

async function call(body: object, key: string = keys.demo) {
  const answer = await area.post("/v1/images/generations", body, key);
  return { status: answer.status, text: await answer.text(), requestId: answer.headers.get("x-request-id") };
}
async function billed(body: object) {
  const { status, text, requestId } = await call(body);
  expect([status, text]).toEqual([200, expect.anything()]);
  return area.eventOf(requestId);
}
const eventOf = (requestId: string | null) => area.eventOf(requestId);

test("images have a maximum by number and by tokens", async () => {
  vendor.behave(max);
  const { units, capped } = await billed({ model: "pictures", prompt: "a fox" });
  expect(capped).toEqual(expect.arrayContaining(["images", "inputTokens", "outputImageTokens"]));
  expect(units.images).toBeLessThanOrEqual(4);
  expect(units.outputImageTokens).toBeLessThan(40_000);
});

test("a stream of images ends with the last requested one, even if its vendor generates more", async () => {
  vendor.behave({ words: 2_000, usage: undefined });
  const body = { model: "pictures", prompt: "a fox", n: 2, stream: true };
  const { text, requestId } = await call(body);
  const { units, outcome } = await eventOf(requestId);
  expect(outcome).toBe("completed");
  expect(units.images).toBeGreaterThanOrEqual(2);
  expect(units.images).toBeLessThanOrEqual(6);
  // Events in the same chunk as the last requested image are sent too.
  expect(text.match(/^event: image_generation\.completed$/gm)?.length).toBeLessThan(100);
});

test("a hold covers the largest number of images in any field that a vendor may read", async () => {
  const ask = (more: object) => call({ model: "pictures", prompt: "a fox", ...more }, lowBalanceKey);
  const before = vendor.requests.length;
  for (const more of [
    { n: 1, batch_size: 500 },
    { sequential_image_generation_options: { max_images: 15 } },
    { sequential_image_generation: "auto" },
    { n: 1, parameters: { n: 10 } },
  ])
    expect((await ask(more)).status).toBe(402);
  expect(vendor.requests).toHaveLength(before);
});

test("a sequence without a maximum is billed by the images that were made", async () => {
  vendor.behave({ items: 12 });
  const { units } = await billed({ model: "pictures", prompt: "a fox", sequential_image_generation: "auto" });
  expect(units.images).toBe(12);
});

test("a high-quality image, or one with a tool, is refused if there is only a price per image", async () => {
  for (const [more, param] of [
    [{ quality: "high" }, "quality"],
    [{ size: "4096x4096" }, "size"],
    [{ tools: [{ type: "web_search" }] }, "tools"],
  ] as const) {
    const answer = await area.post("/v1/images/generations", { model: "drawn", prompt: "a fox", ...more }, keys.demo);
    expect([answer.status, await answer.json()]).toMatchObject([400, { error: { param } }]);
  }
});

test("a tool is removed, or refused if the vendor would get it", async () => {
  const tools = [{ type: "web_search" }];
  for (const [more, key, headers, expected] of [
    [{ tools }, keys.single, {}, [200, "tools"]],
    [{ tools }, keys.single, { "x-modelgate-strict": "true" }, [400, null]],
    [{ tools: [] }, keys.demo, {}, [200, null]],
    [{ model: "imagen", tools }, keys.demo, {}, [200, "tools"]],
  ] as const) {
    const body = { model: "drawn", prompt: "a fox", ...more };
    const answer = await area.post("/v1/images/generations", body, key, headers);
    expect([answer.status, answer.headers.get("x-modelgate-dropped")]).toEqual(expected);
    expect(vendor.requests.at(-1)?.body).not.toContain("web_search");
  }
});
