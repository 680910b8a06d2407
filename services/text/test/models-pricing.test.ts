import { afterAll, beforeAll, expect, test } from "vitest";
import { channel } from "../../../libs/relay/test/config.ts";
import { startArea, type Area } from "../../../libs/relay/test/area.ts";
import { service } from "../src/service.ts";

const [plain, dear] = ["sk-plain-0123456789abcdef", "sk-dear-0123456789abcdef"];
let area: Area;
beforeAll(async () => {
  area = await startArea(service, {
    config: {
      groups: { default: { models: ["*"] }, double: { multiplier: 2, models: ["*"] } },
      models: {
        chat: { kind: "chat", price: { input: 2.5, cachedInput: 1.25, output: 10 } },
        sketch: { kind: "image", price: { image: 0.04 } },
        fixed: { kind: "chat", price: { request: 0.001 } },
      },
      channels: [channel("main", ["chat", "sketch", "fixed"])],
      accounts: {
        demo: {
          balance: "10.00",
          tokens: [
            { key: plain, group: "default" },
            { key: dear, group: "double" },
          ],
        },
      },
    },
  });
});
afterAll(() => area?.[Symbol.asyncDispose]());

async function pricing(key: string): Promise<Readonly<Record<string, unknown>>> {
  const answer = await fetch(`${area.url}/v1/models`, { headers: { authorization: `Bearer ${key}` } });
  const { data }: { readonly data: readonly { readonly id: string; readonly pricing: unknown }[] } = JSON.parse(
    await answer.text(),
  );
  return Object.fromEntries(data.map(({ id, pricing: prices }) => [id, prices]));
}

test("the model list has the price of each unit in OpenRouter's form", async () => {
  expect(await pricing(plain)).toEqual({
    // A unit without a separate price has the price of other input.
    chat: {
      prompt: "0.0000025",
      completion: "0.00001",
      input_cache_read: "0.00000125",
      input_cache_write: "0.0000025",
      audio: "0.0000025",
    },
    sketch: { image: "0.04" },
    fixed: { request: "0.001" },
  });
});

test("the prices include the group's multiplier", async () => {
  expect(await pricing(dear)).toMatchObject({
    chat: { prompt: "0.000005", completion: "0.00002" },
    sketch: { image: "0.08" },
  });
});
