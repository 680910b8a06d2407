import OpenAI from "openai";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { startArea, type Area } from "../../../libs/relay/test/area.ts";
import { keys } from "../../../libs/relay/test/config.ts";
import { service } from "../src/service.ts";
import { pictureIn } from "./pictures.ts";

const places = {
  imagen: { provider: "gemini", path: "/gemini" },
  "vertex-imagen": { provider: "vertex", path: "/vertex/v1/projects/p/locations/us-central1" },
} as const;

let area: Area;
let client: OpenAI;
beforeAll(async () => {
  const all = Object.entries(places);
  area = await startArea(service, {
    config: {
      groups: { default: { models: ["*"] } },
      models: Object.fromEntries(all.map(([name]) => [name, { kind: "image", price: { image: 0.04 } }])),
      channels: all.map(([name, { provider, path }]) => ({
        id: name,
        provider,
        baseUrl: `\${SIMULATOR_URL}/at/${name}${path}`,
        keys: ["ya29.simulated"],
        models: { [name]: "imagen-4.0-generate-001" },
      })),
      accounts: { demo: { balance: "10", tokens: [{ key: keys.demo, group: "default" }] } },
    },
  });
  client = new OpenAI({ baseURL: `${area.url}/v1`, apiKey: keys.demo, maxRetries: 0 });
});
afterAll(() => area?.[Symbol.asyncDispose]());

const settled = async (): Promise<bigint> => (await area.settled("demo")).spentNanos;

describe.each(Object.keys(places))("images of %s", (name) => {
  test("are generated, and charged by the image", async () => {
    const before = await settled();
    const { data = [] } = await client.images.generate({ model: name, prompt: "A boat", n: 2, size: "1792x1024" });
    for (const { b64_json: base64 = "" } of data)
      expect(pictureIn(Buffer.from(base64, "base64"))).toMatchObject({ type: "png", width: 1_408, height: 768 });
    expect(data).toHaveLength(2);
    expect((await settled()) - before).toBe(80_000_000n);
  });

  test("that the vendor filters cost nothing", async () => {
    const before = await settled();
    const answer = client.images.generate({ model: name, prompt: '{{simulate: {"finish": "content_filter"}}}' });
    await expect(answer).rejects.toMatchObject({ status: 400 });
    expect((await settled()) - before).toBe(0n);
  });

  test("more than the vendor's maximum are refused, naming the field", async () => {
    const answer = client.images.generate({ model: name, prompt: "A boat", n: 5 });
    await expect(answer).rejects.toMatchObject({ status: 400, param: "n" });
  });
});
