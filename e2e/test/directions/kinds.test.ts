import type { CreateEmbeddingResponse } from "openai/resources";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import type { Suite } from "@modelgate/testkit";
import { googleAt } from "./clients/google-content.ts";
import { openaiAt } from "./clients/openai-chat.ts";
import { channelOf, keyOf, settled, startHouse } from "./house.ts";
import { forbidWarnings } from "./quiet.ts";
import { vendors } from "./vendors.ts";

/** A channel of one of the vendors that do one thing only. */
const channel = (id: string, provider: string, path: string, model: string, wires?: readonly string[]): object => ({
  id,
  provider,
  baseUrl: `\${SIMULATOR_URL}/at/${id}${path}`,
  keys: [`key-of-${id}`],
  models: { [id]: model },
  ...(wires === undefined ? {} : { wires }),
});

const kinds = {
  "openai-vectors": "embedding",
  "gemini-vectors": "embedding",
  "jina-ranks": "rerank",
  "cohere-ranks": "rerank",
  "native-moderation": "moderation",
  "native-completion": "completion",
} as const;

const categoryNames = [
  "harassment",
  "harassment/threatening",
  "sexual",
  "sexual/minors",
  "hate",
  "hate/threatening",
  "illicit",
  "illicit/violent",
  "self-harm",
  "self-harm/intent",
  "self-harm/instructions",
  "violence",
  "violence/graphic",
];

/** What a chat model says of two texts, the second of which is violent. */
const judgement = JSON.stringify({
  results: [0, 1].map((item) => ({
    item,
    scores: Object.fromEntries(categoryNames.map((name) => [name, item === 1 && name === "violence" ? 0.9 : 0.0001])),
  })),
});

/** Every chat vendor also judges, as a model of this kind. */
const judges = vendors.map(({ name }) => `judge-${name}`);

let suite: Suite;
beforeAll(async () => {
  suite = await startHouse({
    accounts: vendors.map(({ name }) => `failing-${name}`),
    models: {
      ...Object.fromEntries(Object.entries(kinds).map(([name, kind]) => [name, { kind, price: { input: 1 } }])),
      ...Object.fromEntries(judges.map((name) => [name, { kind: "moderation", price: { input: 1, output: 1 } }])),
    },
    channels: [
      channel("openai-vectors", "openai", "/openai/v1", "text-embedding-3-small", ["embeddings"]),
      channel("gemini-vectors", "gemini", "/gemini", "gemini-embedding-001"),
      channel("jina-ranks", "jina", "/jina/v1", "jina-reranker-v2"),
      channel("cohere-ranks", "cohere", "/cohere", "rerank-v3.5"),
      channel("native-moderation", "openai", "/openai/v1", "omni-moderation-latest", ["moderations"]),
      channel("native-completion", "openai", "/openai/v1", "davinci-002", ["completions"]),
      ...vendors.map((vendor) => channelOf(vendor, `judge-${vendor.name}`, { [`judge-${vendor.name}`]: vendor.model })),
    ],
  });
});
afterAll(() => suite?.[Symbol.asyncDispose]());
beforeEach(() => suite.simulator.forget("native-completion"));
forbidWarnings();

const key = keyOf("demo");
const post = (path: string, body: object) =>
  fetch(`${suite.edgeUrl}${path}`, {
    method: "POST",
    headers: { "content-type": "application/json", authorization: `Bearer ${key}` },
    body: JSON.stringify(body),
  });

const chatModels = vendors.map(({ name }) => name);

describe.each(["native-completion", ...chatModels])("completions over %s", (model) => {
  test.each([false, true])("of a prompt, streamed: %s", async (stream) => {
    const asked = { model, prompt: "Once upon", max_tokens: 50 };
    const completions = openaiAt(suite, key).completions;
    if (!stream) {
      const reply = await completions.create(asked);
      expect(reply).toMatchObject({
        object: "text_completion",
        id: expect.stringMatching(/^cmpl-/),
        model,
        choices: [{ text: "You said: Once upon", index: 0, finish_reason: "stop", logprobs: null }],
        usage: { prompt_tokens: expect.any(Number), completion_tokens: 5 },
      });
      return;
    }
    let [text, finish, tokens] = ["", "", 0];
    for await (const chunk of await completions.create({
      ...asked,
      stream: true,
      stream_options: { include_usage: true },
    })) {
      text += chunk.choices.map((choice) => choice.text).join("");
      finish += chunk.choices.map(({ finish_reason }) => finish_reason ?? "").join("");
      tokens += chunk.usage?.completion_tokens ?? 0;
    }
    expect({ text, finish, tokens }).toEqual({ text: "You said: Once upon", finish: "stop", tokens: 5 });
  });

  test("with its prompt before it", async () => {
    const reply = await openaiAt(suite, key).completions.create({ model, prompt: "Once", echo: true, max_tokens: 50 });
    expect(reply.choices[0]?.text).toBe("OnceYou said: Once");
  });
});

test("completions of two prompts, as their vendor answers them", async () => {
  const asked = { model: "native-completion", prompt: ["One", "Two"], max_tokens: 50 };
  expect((await openaiAt(suite, key).completions.create(asked)).choices).toHaveLength(2);
});

describe.each(chatModels)("completions over %s", (model) => {
  test.each([false, true])("of several prompts, each answered in its place, streamed: %s", async (stream) => {
    const prompt = Array.from({ length: 6 }, (_, index) => `Prompt ${index}`);
    const asked = { model, prompt, max_tokens: 50 };
    const answers = prompt.map((each) => `You said: ${each}`);
    const completions = openaiAt(suite, key).completions;
    if (!stream) {
      const { choices, usage } = await completions.create(asked);
      expect(choices.map(({ index, text }) => [index, text])).toEqual([...answers.entries()]);
      expect(usage?.completion_tokens).toBe(6 * Math.ceil("You said: Prompt 0".length / 4));
      return;
    }
    const texts = prompt.map(() => "");
    const ends: number[] = [];
    for await (const { choices } of await completions.create({ ...asked, stream: true }))
      for (const { index, text, finish_reason } of choices) {
        texts[index] += text;
        if (finish_reason === "stop") ends.push(index);
      }
    expect(texts).toEqual(answers);
    expect(ends.toSorted()).toEqual([...prompt.keys()]);
  });

  test("of several prompts, one of which fails, is a failure and costs nothing", async () => {
    await suite.simulator.script(model, [{}, { status: 500 }, {}]);
    const account = `failing-${model}`;
    const reply = await fetch(`${suite.edgeUrl}/v1/completions`, {
      method: "POST",
      headers: { "content-type": "application/json", authorization: `Bearer ${keyOf(account)}` },
      body: JSON.stringify({ model, prompt: ["One", "Two", "Three"] }),
    });
    expect([reply.status, await reply.json()]).toMatchObject([502, { error: { code: "upstream_error" } }]);
    expect(await settled(suite, account)).toBe(100_000_000_000n);
    await suite.simulator.script(model, []);
  });
});

/** Vectors are of length one. */
const lengthOf = (vector: readonly number[]): number => Math.hypot(...vector);

describe.each(["openai-vectors", "gemini-vectors"])("vectors by %s", (model) => {
  test.each(["float", "base64"] as const)("asked for as %s", async (encoding_format) => {
    const asked = { model, input: ["One", "Two"], dimensions: 64, encoding_format };
    const reply = await openaiAt(suite, key).embeddings.create(asked);
    expect(reply).toMatchObject({ object: "list", model, usage: { prompt_tokens: expect.any(Number) } });
    expect(reply.data.map(({ index }) => index)).toEqual([0, 1]);
    const isText = encoding_format === "base64";
    const bytes = Buffer.from(isText ? String(reply.data[0]?.embedding) : "", "base64");
    const floats = Array.from({ length: bytes.length / 4 }, (_, at) => bytes.readFloatLE(at * 4));
    const vector = isText ? floats : (reply.data[0]?.embedding ?? []);
    expect(vector).toHaveLength(64);
    expect(lengthOf(vector)).toBeCloseTo(1, 3);
  });

  test("the SDK's own way, in which it asks for Base64 and gives numbers", async () => {
    const { data } = await openaiAt(suite, key).embeddings.create({ model, input: "One", dimensions: 64 });
    expect(data[0]?.embedding).toHaveLength(64);
  });

  test("the model in the path", async () => {
    const reply = await post(`/v1/engines/${model}/embeddings`, { input: "One", dimensions: 64 });
    const body: CreateEmbeddingResponse = JSON.parse(await reply.text());
    expect(body.data[0]?.embedding).toHaveLength(64);
  });

  test("for the SDK of content generation, one and many", async () => {
    const { embeddings = [] } = await googleAt(suite, key).models.embedContent({
      model,
      contents: ["One", "Two"],
      config: { outputDimensionality: 64 },
    });
    expect(embeddings.map(({ values = [] }) => values.length)).toEqual([64, 64]);
    const reply = await post(`/v1beta/models/${model}:embedContent`, { content: { parts: [{ text: "One" }] } });
    const body: { readonly embedding: { readonly values: readonly number[] } } = JSON.parse(await reply.text());
    expect(lengthOf(body.embedding.values)).toBeCloseTo(1, 3);
    const [first] = embeddings;
    const again = await openaiAt(suite, key).embeddings.create({ model, input: "One", dimensions: 64 });
    expect(first?.values?.[0]).toBeCloseTo(again.data[0]?.embedding[0] ?? 0, 3);
  });
});

describe.each(["jina-ranks", "cohere-ranks"])("ranking by %s", (model) => {
  const documents = ["the weather in Oslo", "a recipe for soup", "Oslo is a city"];

  test.each([
    ["texts", documents],
    ["objects", documents.map((text) => ({ text }))],
  ])("documents as %s", async (_, given) => {
    const reply = await post("/v1/rerank", { model, query: "Oslo weather", documents: given, top_n: 2 });
    expect(reply.status).toBe(200);
    const body: { readonly results: readonly { readonly index: number; readonly relevance_score: number }[] } =
      JSON.parse(await reply.text());
    expect(body.results).toHaveLength(2);
    expect(body.results[0]?.index).toBe(0);
    const scores = body.results.map(({ relevance_score }) => relevance_score);
    expect(scores).toEqual(scores.toSorted((left, right) => right - left));
  });

  test("documents come back where they are wanted", async () => {
    for (const return_documents of [true, false]) {
      const reply = await post("/v1/rerank", { model, query: "soup", documents, top_n: 1, return_documents });
      const body: { readonly results: readonly object[] } = JSON.parse(await reply.text());
      const [first] = body.results;
      expect(first).toEqual(
        return_documents
          ? expect.objectContaining({ index: 1, document: { text: documents[1] } })
          : expect.not.objectContaining({ document: expect.anything() }),
      );
    }
  });
});

// One letter, and a margin for what models put around a text: not the instructions that chat models are sent.
test("a moderation by a vendor that reports no usage costs what the input comes to", async () => {
  const reply = await post("/v1/moderations", { model: "native-moderation", input: "x" });
  expect([reply.status, reply.headers.get("x-modelgate-cost")]).toEqual([200, "0.000002"]);
});

describe.each(["native-moderation", ...judges])("moderation by %s", (model) => {
  test("of one text and of several", async () => {
    await suite.simulator.script(model, model === "native-moderation" ? [] : [{ text: judgement }]);
    // The word that the simulator's own moderation looks for.
    const reply = await openaiAt(suite, key).moderations.create({ model, input: ["Hello", "I kill you"] });
    expect(reply).toMatchObject({ id: expect.stringMatching(/^modr-/), model });
    expect(reply.results.map(({ flagged }) => flagged)).toEqual([false, true]);
    const [clean, found] = reply.results;
    expect([clean?.categories.violence, found?.categories.violence]).toEqual([false, true]);
    expect(found?.category_scores.violence).toBeCloseTo(0.9, 3);
    expect(found?.category_scores["hate/threatening"]).toBeLessThan(0.5);
    const categories = Object.keys(clean?.categories ?? {});
    expect(categories).toHaveLength(categoryNames.length);
    expect(Object.keys(clean?.category_scores ?? {})).toEqual(categories);
  });
});
