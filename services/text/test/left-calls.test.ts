import { afterAll, beforeAll, expect, test } from "vitest";
import { until } from "@modelgate/testkit";
import { startArea, type Area } from "../../../libs/relay/test/area.ts";
import { keys } from "../../../libs/relay/test/config.ts";
import { service } from "../src/service.ts";
import { startGreedyVendor, type GreedyVendor } from "./greedy-vendor.ts";
import { answers, leaveCalls } from "../../../libs/relay/test/left-calls.ts";

/** Calls whose clients disconnect before the first byte. `services/media/test/money.test.ts` tests those of images. */
let vendor: GreedyVendor;
let area: Area;
beforeAll(async () => {
  vendor = await startGreedyVendor();
  const channel = (id: string, provider: string, more: object = {}) => ({
    id,
    provider,
    baseUrl: `${vendor.url}/v1`,
    keys: ["key"],
    models: [id],
    ...more,
  });
  area = await startArea(service, {
    config: {
      groups: { default: { models: ["*"] } },
      models: {
        chat: { kind: "chat", price: { input: 100, output: 100, request: 0.001 } },
        vectors: { kind: "embedding", price: { input: 1_000 } },
        ranks: { kind: "rerank", price: { input: 1_000 } },
        judges: { kind: "moderation", price: { input: 1_000 } },
        pictures: { kind: "image", price: { image: 0.04 } },
      },
      channels: [
        channel("chat", "openai", { wires: ["chat"] }),
        channel("vectors", "openai"),
        channel("ranks", "jina"),
        channel("judges", "openai"),
        channel("pictures", "openai"),
      ],
      accounts: { demo: { balance: "100", tokens: [{ key: keys.demo, group: "default" }] } },
    },
  });
});
afterAll(async () => {
  await area?.[Symbol.asyncDispose]();
  await vendor?.[Symbol.asyncDispose]();
});

const contents = [{ role: "user", parts: [{ text: "a fox" }] }];

test.each([
  ["vectors", "/v1/embeddings", { model: "vectors", input: "Hello" }, 77_000_000n, { inputTokens: 77 }],
  ["a ranking", "/v1/rerank", { model: "ranks", query: "x", documents: ["a"] }, 77_000_000n, { inputTokens: 77 }],
  ["judgements", "/v1/moderations", { model: "judges", input: "Hello" }, 77_000_000n, { inputTokens: 77 }],
  ["images", "/v1beta/models/pictures:generateContent", { contents }, 40_000_000n, { images: 1 }],
])(
  "the vendor's answer with %s is read to its end, and its result is charged",
  async (_, path, body, charged, units) => {
    const result = await leaveCalls(
      area,
      vendor,
      { path, bodies: [body] },
      answers(vendor, { usage: { input: 77, output: 0 } }),
    );
    expect(result.cost).toBe(charged);
    expect(result.events).toMatchObject([{ outcome: "cancelled", status: 499, units }]);
  },
);

test.each([false, true])("text is charged for its input, and its vendor is stopped; streamed: %s", async (stream) => {
  const messages = [{ role: "user", content: "Tell me a story, and take your time." }];
  const { cost, events } = await leaveCalls(
    area,
    vendor,
    { path: "/v1/chat/completions", bodies: [{ model: "chat", messages, stream }] },
    () => until("the vendor's answer to be stopped", () => vendor.open === 0),
  );
  const [event] = events;
  expect(event).toMatchObject({ outcome: "cancelled", status: 499, estimated: true, units: { requests: 1 } });
  expect(event?.units.inputTokens).toBeGreaterThan(10);
  expect(cost).toBe(BigInt(event?.costNanos ?? 0));
  expect(cost).toBeGreaterThan(2_000_000n);
});
