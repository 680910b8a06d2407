import OpenAI from "openai";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { startArea, type Area } from "../../../libs/relay/test/area.ts";
import { service } from "../src/service.ts";

/** Embeddings of cloud vendors and Cohere, requested by clients of other wires and billed per token. */
const key = "sk-demo-0123456789abcdef";
const vectors = [
  { name: "titan", provider: "bedrock", model: "amazon.titan-embed-text-v2:0", maxInputs: 1 },
  { name: "bedrock-cohere", provider: "bedrock", model: "cohere.embed-english-v3", maxInputs: 96 },
  { name: "cohere", provider: "cohere", model: "embed-v4.0", maxInputs: 96 },
  { name: "vertex-text", provider: "vertex", model: "text-embedding-005", maxInputs: 250 },
  { name: "vertex-gemini", provider: "vertex", model: "gemini-embedding-001", maxInputs: 1 },
] as const;
const places = {
  bedrock: { path: "/bedrock?region=us-east-1", key: "AKIASIMULATEDKEYID:AKIASIMULATEDKEYID-secret" },
  cohere: { path: "/cohere", key: "co-key" },
  vertex: { path: "/vertex/v1/projects/p/locations/us-central1", key: "ya29.simulated" },
} as const;
/** Credentials that cloud vendors refuse. */
const refused = [
  { name: "wrong-region", provider: "bedrock", path: "/bedrock?region=eu-west-1", secret: places.bedrock.key },
  { name: "wrong-secret", provider: "bedrock", path: places.bedrock.path, secret: "AKIASIMULATEDKEYID:another" },
  { name: "bad-token", provider: "vertex", path: places.vertex.path, secret: "bad-token" },
] as const;
/** Price of a token in nano-dollars: 0.1 US dollars per million tokens. */
const nanosPerToken = 100;

let area: Area;
let client: OpenAI;
beforeAll(async () => {
  area = await startArea(service, {
    config: {
      groups: { default: { models: ["*"] } },
      models: Object.fromEntries(
        [...vectors, ...refused].map(({ name }) => [name, { kind: "embedding", price: { input: 0.1 } }]),
      ),
      channels: [
        ...vectors.map(({ name, provider, model }) => ({
          id: name,
          provider,
          baseUrl: `\${SIMULATOR_URL}/at/${name}${places[provider].path}`,
          keys: [places[provider].key],
          models: { [name]: model },
        })),
        ...refused.map(({ name, provider, path, secret }) => ({
          id: name,
          provider,
          baseUrl: `\${SIMULATOR_URL}/at/${name}${path}`,
          keys: [secret],
          models: { [name]: provider === "bedrock" ? "amazon.titan-embed-text-v2:0" : "text-embedding-005" },
        })),
      ],
      accounts: { demo: { balance: "10", tokens: [{ key, group: "default" }] } },
    },
  });
  client = new OpenAI({ baseURL: `${area.url}/v1`, apiKey: key, maxRetries: 0 });
});
afterAll(() => area?.[Symbol.asyncDispose]());

const settled = async (): Promise<bigint> => (await area.settled("demo")).spentNanos;
const requestsTo = (name: string) => area.simulator.requests(name);

describe.each(vectors)("vectors of $name", ({ name, maxInputs: max }) => {
  beforeEach(() => area.simulator.forget(name));

  test.each([1, 5])("of %s texts are in order, with the vendor's token count", async (length) => {
    const input = Array.from({ length }, (_, at) => `Text number ${at}`);
    const before = await settled();
    const answer = await client.embeddings.create({ model: name, input });
    expect(answer.model).toBe(name);
    expect(answer.data.map(({ index }) => index)).toEqual(input.map((_, at) => at));
    // A token has four characters; "Text number 0" has thirteen characters.
    expect(answer.usage.prompt_tokens).toBe(4 * length);
    expect((await settled()) - before).toBe(BigInt(4 * length * nanosPerToken));
    expect(await requestsTo(name)).toHaveLength(Math.ceil(length / max));
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

test.each(refused)("$name is answered with 502 as the gateway's fault, and costs nothing", async ({ name }) => {
  const before = await settled();
  await expect(client.embeddings.create({ model: name, input: "Hi" })).rejects.toMatchObject({
    status: 502,
    code: "upstream_auth_failed",
  });
  expect((await settled()) - before).toBe(0n);
});

test("a query is sent as a query", async () => {
  await Promise.all(["bedrock-cohere", "vertex-text"].map((name) => area.simulator.forget(name)));
  const body = { input: "Who?", input_type: "query" };
  await client.embeddings.create({ model: "bedrock-cohere", ...body });
  await client.embeddings.create({ model: "vertex-text", ...body, dimensions: 64 });
  expect((await requestsTo("bedrock-cohere"))[0]?.body).toContain('"input_type":"search_query"');
  expect((await requestsTo("vertex-text"))[0]?.body).toBe(
    '{"instances":[{"content":"Who?","task_type":"RETRIEVAL_QUERY"}],"parameters":{"outputDimensionality":64}}',
  );
});
