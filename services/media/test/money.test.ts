import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { startSocketServer, until, type TestServer } from "@modelgate/testkit";
import { startArea, type Area } from "../../../libs/relay/test/area.ts";
import { keys } from "../../../libs/relay/test/config.ts";
import { startGreedyVendor, type GreedyVendor } from "../../text/test/greedy-vendor.ts";
import { answers, leaveCalls, startCall, untilDetached } from "../../../libs/relay/test/left-calls.ts";
import { service } from "../src/service.ts";

const lowBalanceKey = keys.poor;
const max = { usage: { input: 1e300, output: 1e300 }, items: 40 } as const;

/** Maximum number of answers that the service reads after their clients have disconnected. */
const maxDetachedAnswers = 4;

let vendor: GreedyVendor;
/** Accepts connections and sends nothing, so that no TLS handshake completes. */
let silent: TestServer;
let area: Area;
beforeAll(async () => {
  vendor = await startGreedyVendor();
  silent = await startSocketServer();
  area = await startArea(service, {
    config: {
      groups: { default: { models: ["*"] }, strict: { models: ["*"], unpriced: "refuse" } },
      models: {
        pictures: { kind: "image", price: { image: 0.04, input: 1, output: 10 } },
        drawn: { kind: "image", price: { image: 0.04 } },
        imagen: { kind: "image", price: { image: 0.04 } },
        nowhere: { kind: "image", price: { image: 0.04 } },
        "large-imagen": { kind: "image", price: { image: 0.04, output: 4 } },
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
          models: { imagen: "imagen-4.0-generate-001", "large-imagen": "imagen-4.0-generate-001" },
        },
        {
          id: "nowhere",
          provider: "openai",
          baseUrl: `${silent.url.replace("http", "https")}/v1`,
          keys: ["key"],
          models: ["nowhere"],
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
        poor: { balance: "0.15", tokens: [{ key: lowBalanceKey, group: "default" }] },
      },
    },
    limits: { relay: { detachedAnswers: { maxAnswers: maxDetachedAnswers, ms: 2_500 } } },
  });
});
afterAll(async () => {
  await area?.[Symbol.asyncDispose]();
  await vendor?.[Symbol.asyncDispose]();
  await silent?.[Symbol.asyncDispose]();
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

test("a hold covers the largest number of images in any field that a vendor may read, and their size", async () => {
  const ask = (more: object) => call({ model: "pictures", prompt: "a fox", ...more }, lowBalanceKey);
  const before = vendor.requests.length;
  for (const more of [
    { n: 1, batch_size: 500 },
    { sequential_image_generation_options: { max_images: 15 } },
    { sequential_image_generation: "auto" },
    { n: 1, parameters: { n: 10 } },
    { size: "2880x2880", quality: "high" },
    { size: "2880x2880", quality: "max" },
    { size: "2880x2880" },
    { size: "2880x2880", quality: "medium" },
    { size: "2K" },
    { size: "4k" },
  ])
    expect([more, (await ask(more)).status]).toEqual([more, 402]);
  expect(vendor.requests).toHaveLength(before);
  expect((await ask({ size: "1K", quality: "medium" })).status).toBe(200);
  // Google's vendors count few tokens for large images.
  expect((await ask({ model: "large-imagen", size: "4096x4096" })).status).toBe(200);
});

test("a sequence without a maximum is billed by the images that were made", async () => {
  vendor.behave({ items: 12 });
  const { units } = await billed({ model: "pictures", prompt: "a fox", sequential_image_generation: "auto" });
  expect(units.images).toBe(12);
});

test("a high-quality image, or one with a tool, is refused if there is only a price per image", async () => {
  for (const [more, param] of [
    [{ quality: "high" }, "quality"],
    [{ size: "2K" }, "size"],
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

describe("a call whose client disconnects before the first byte", () => {
  const path = "/v1/images/generations";
  const image = (n: number) => ({ model: "drawn", prompt: "a fox", n });
  const cancelled = { outcome: "cancelled", status: 499 } as const;

  test("costs the requested images at the time limit, also above the number of answers that are read", async () => {
    const bodies = Array.from({ length: 2 * maxDetachedAnswers }, () => image(10));
    const { cost, events } = await leaveCalls(area, vendor, { path, bodies });
    expect(cost).toBe(3_200_000_000n);
    for (const event of events) expect(event).toMatchObject({ ...cancelled, estimated: true, units: { images: 10 } });
    await until("the vendor's connections to be closed", () => vendor.open === 0);
    vendor.speak();
  });

  test.each([7, 0])("costs the images in the vendor's answer, which is read to its end: %i", async (items) => {
    const { cost, events } = await leaveCalls(area, vendor, { path, bodies: [image(10)] }, answers(vendor, { items }));
    expect(cost).toBe(BigInt(items) * 40_000_000n);
    expect(events).toMatchObject([{ ...cancelled, estimated: false }]);
  });

  test("costs nothing before the vendor is connected", async () => {
    const [{ balanceNanos: before }, { length: from }] = [await area.settled("demo"), await area.events()];
    const client = startCall(area, path, { ...image(10), model: "nowhere" });
    await until("the hold", async () => (await area.account("demo")).heldNanos !== 0n);
    await client.disconnect();
    expect((await area.settled("demo")).balanceNanos).toBe(before);
    const event = await until("its event", async () => (await area.events())[from]);
    expect(event).toMatchObject({ ...cancelled, costNanos: "0" });
  });

  // Ends the service, so it is the last test.
  test("is waited for and settled by a service that shuts down", async () => {
    const { cost, events } = await leaveCalls(area, vendor, { path, bodies: [image(3)] }, async () => {
      await untilDetached();
      const drained = area.drain();
      vendor.behave({ items: 3 });
      vendor.speak();
      await drained;
    });
    expect(cost).toBe(120_000_000n);
    expect(events).toMatchObject([{ ...cancelled, units: { images: 3 }, estimated: false }]);
  });
});
