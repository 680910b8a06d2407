import OpenAI from "openai";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { startSuite, until, type Suite } from "@modelgate/testkit";
import { money } from "./house.ts";
import { pictureIn } from "./pictures.ts";

/** Vectors and images of the clouds, and of Cohere: each vendor's own wire, from clients' wires, billed to the token. */
const key = "sk-demo-0123456789abcdef";
const vectors = [
  { name: "titan", provider: "bedrock", model: "amazon.titan-embed-text-v2:0", most: 1 },
  { name: "bedrock-cohere", provider: "bedrock", model: "cohere.embed-english-v3", most: 96 },
  { name: "cohere", provider: "cohere", model: "embed-v4.0", most: 96 },
  { name: "vertex-text", provider: "vertex", model: "text-embedding-005", most: 250 },
  { name: "vertex-gemini", provider: "vertex", model: "gemini-embedding-001", most: 1 },
] as const;
const drawing = [
  { name: "imagen", provider: "gemini", model: "imagen-4.0-generate-001" },
  { name: "vertex-imagen", provider: "vertex", model: "imagen-4.0-generate-001" },
] as const;
const places = {
  bedrock: { path: "/bedrock?region=us-east-1", key: "AKIASIMULATEDKEYID:AKIASIMULATEDKEYID-secret" },
  cohere: { path: "/cohere", key: "co-key" },
  gemini: { path: "/gemini", key: "AIza-key" },
  vertex: { path: "/vertex/v1/projects/p/locations/us-central1", key: "ya29.simulated" },
} as const;
/** A dollar for a million tokens is a thousand nano-dollars for one. */
const nanosPerToken = 100;

let suite: Suite;
let client: OpenAI;
beforeAll(async () => {
  suite = await startSuite({
    config: {
      groups: { default: { models: ["*"] } },
      models: {
        ...Object.fromEntries(vectors.map(({ name }) => [name, { kind: "embedding", price: { input: 0.1 } }])),
        ...Object.fromEntries(drawing.map(({ name }) => [name, { kind: "image", price: { image: 0.04 } }])),
      },
      channels: [...vectors, ...drawing].map(({ name, provider, model }) => ({
        id: name,
        provider,
        baseUrl: `\${SIMULATOR_URL}/at/${name}${places[provider].path}`,
        keys: [places[provider].key],
        models: { [name]: model },
      })),
      accounts: { demo: { balance: "10", tokens: [{ key, group: "default" }] } },
    },
  });
  client = new OpenAI({ baseURL: `${suite.edgeUrl}/v1`, apiKey: key, maxRetries: 0 });
});
afterAll(() => suite?.[Symbol.asyncDispose]());

const settled = (): Promise<bigint> =>
  until("all holds to be settled", async () => {
    const { heldNanos, spentNanos } = await money(suite);
    return heldNanos === "0" && BigInt(spentNanos);
  });
const seen = (name: string) => suite.simulator.requests(name);

describe.each(vectors)("vectors of $name", ({ name, most }) => {
  beforeEach(() => suite.simulator.forget(name));

  test.each([1, 5])("of %s texts, in their order, with what the vendor counted", async (length) => {
    const input = Array.from({ length }, (_, at) => `Text number ${at}`);
    const before = await settled();
    const answer = await client.embeddings.create({ model: name, input });
    expect(answer.model).toBe(name);
    expect(answer.data.map(({ index }) => index)).toEqual(input.map((_, at) => at));
    // Four letters a token: "Text number 0" has thirteen.
    expect(answer.usage.prompt_tokens).toBe(4 * length);
    expect((await settled()) - before).toBe(BigInt(4 * length * nanosPerToken));
    expect(await seen(name)).toHaveLength(Math.ceil(length / most));
    const [last] = (await client.embeddings.create({ model: name, input: input.slice(-1) })).data;
    expect(answer.data.at(-1)?.embedding).toEqual(last?.embedding);
  });

  test("of a vendor that fails cost nothing", async () => {
    const before = await settled();
    const input = ["One", '{{simulate: {"status": 400}}}'];
    await expect(client.embeddings.create({ model: name, input })).rejects.toMatchObject({ status: 400 });
    expect((await settled()) - before).toBe(0n);
  });
});

test("a query is asked for as one", async () => {
  await Promise.all(["bedrock-cohere", "vertex-text"].map((name) => suite.simulator.forget(name)));
  const body = { input: "Who?", input_type: "query" };
  await client.embeddings.create({ model: "bedrock-cohere", ...body });
  await client.embeddings.create({ model: "vertex-text", ...body, dimensions: 64 });
  expect((await seen("bedrock-cohere"))[0]?.body).toContain('"input_type":"search_query"');
  expect((await seen("vertex-text"))[0]?.body).toBe(
    '{"instances":[{"content":"Who?","task_type":"RETRIEVAL_QUERY"}],"parameters":{"outputDimensionality":64}}',
  );
});

describe.each(drawing)("images of $name", ({ name }) => {
  test("are drawn, and paid by the image", async () => {
    const before = await settled();
    const { data = [] } = await client.images.generate({ model: name, prompt: "A boat", n: 2, size: "1792x1024" });
    for (const { b64_json: base64 = "" } of data)
      expect(pictureIn(Buffer.from(base64, "base64"))).toMatchObject({ type: "png", width: 1_408, height: 768 });
    expect(data).toHaveLength(2);
    expect((await settled()) - before).toBe(80_000_000n);
  });

  test("that the vendor would not make cost nothing", async () => {
    const before = await settled();
    const asked = client.images.generate({ model: name, prompt: '{{simulate: {"finish": "content_filter"}}}' });
    await expect(asked).rejects.toMatchObject({ status: 400 });
    expect((await settled()) - before).toBe(0n);
  });

  test("more than the vendor makes at once are refused, naming the field", async () => {
    const asked = client.images.generate({ model: name, prompt: "A boat", n: 5 });
    await expect(asked).rejects.toMatchObject({ status: 400, param: "n" });
  });
});
