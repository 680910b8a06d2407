import { toFile } from "openai";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { until, type Suite } from "@modelgate/testkit";
import { quickLimits } from "../../../services/video/test/films.ts";
import { googleAt, openaiAt } from "../../../services/text/test/every-vendor.ts";
import { keyOf, settled, startEveryVendorSuite } from "./every-vendor-suite.ts";
import { forbidWarnings } from "../../../services/text/test/forbid-warnings.ts";

/** Models of completions, embeddings, rerank and moderation. */
const kinds = {
  "native-completion": ["completion", "openai", "/openai/v1", "davinci-002", "completions"],
  "openai-vectors": ["embedding", "openai", "/openai/v1", "text-embedding-3-small", "embeddings"],
  "gemini-vectors": ["embedding", "gemini", "/gemini", "gemini-embedding-001"],
  "jina-ranks": ["rerank", "jina", "/jina/v1", "jina-reranker-v2"],
  "cohere-ranks": ["rerank", "cohere", "/cohere", "rerank-v3.5"],
  "native-moderation": ["moderation", "openai", "/openai/v1", "omni-moderation-latest", "moderations"],
  // A chat model that judges texts.
  judge: ["moderation", "anthropic", "/anthropic", "claude-sonnet-4-5"],
} as const;

const media = {
  sketch: { kind: "image", price: { image: 0.04 } },
  speaker: { kind: "speech", price: { character: 0.000015 } },
  listener: { kind: "transcription", price: { second: 0.0001 } },
  film: { kind: "video", price: { second: 0.1 } },
} as const;

let suite: Suite;
beforeAll(async () => {
  const ofMedia = Object.keys(media).map((name) => [name, ["", "openai", "/openai/v1", name]] as const);
  suite = await startEveryVendorSuite({
    accounts: ["failing"],
    limits: quickLimits,
    models: {
      ...Object.fromEntries(
        Object.entries(kinds).map(([name, [kind]]) => [name, { kind, price: { input: 1, output: 1 } }]),
      ),
      ...media,
    },
    channels: [...Object.entries(kinds), ...ofMedia].map(([id, [, provider, path, model, wire]]) => ({
      id,
      provider,
      baseUrl: `\${SIMULATOR_URL}/at/${id}${path}`,
      keys: [`key-of-${id}`],
      models: { [id]: model },
      ...(wire === undefined ? {} : { wires: [wire] }),
    })),
  });
});
afterAll(() => suite?.[Symbol.asyncDispose]());
beforeEach(() => suite.simulator.forget("native-completion"));
forbidWarnings();

const key = keyOf("demo");
const post = (path: string, body: object, by = key) =>
  fetch(`${suite.edgeUrl}${path}`, {
    method: "POST",
    headers: { "content-type": "application/json", authorization: `Bearer ${by}` },
    body: JSON.stringify(body),
  });

describe.each(["native-completion", "messages"])("completions over %s", (model) => {
  const completions = () => openaiAt(suite.edgeUrl, key).completions;

  test("of one prompt have one answer", async () => {
    expect(await completions().create({ model, prompt: "Once upon", max_tokens: 50 })).toMatchObject({
      object: "text_completion",
      id: expect.stringMatching(/^cmpl-/),
      model,
      choices: [{ text: "You said: Once upon", index: 0, finish_reason: "stop", logprobs: null }],
      usage: { prompt_tokens: expect.any(Number), completion_tokens: 5 },
    });
  });

  test("of several prompts, with one answer each", async () => {
    const { choices } = await completions().create({ model, prompt: ["1", "2", "3"], max_tokens: 50 });
    expect(choices.map(({ index }) => index)).toEqual([0, 1, 2]);
  });

  test("of one prompt can be streamed, with their usage", async () => {
    let [text, finish, tokens] = ["", "", 0];
    const request = { model, prompt: "Once upon", max_tokens: 50, stream_options: { include_usage: true } };
    for await (const chunk of await completions().create({ ...request, stream: true })) {
      text += chunk.choices.map((choice) => choice.text).join("");
      finish += chunk.choices.map(({ finish_reason }) => finish_reason ?? "").join("");
      tokens += chunk.usage?.completion_tokens ?? 0;
    }
    expect({ text, finish, tokens }).toEqual({ text: "You said: Once upon", finish: "stop", tokens: 5 });
  });
});

test("completions of several prompts are streamed over a chat vendor, each with its index", async () => {
  const prompt = ["Prompt 0", "Prompt 1", "Prompt 2"];
  const texts = prompt.map(() => "");
  const request = { model: "messages", prompt, max_tokens: 50, stream: true } as const;
  for await (const { choices } of await openaiAt(suite.edgeUrl, key).completions.create(request))
    for (const { index, text } of choices) texts[index] += text;
  expect(texts).toEqual(prompt.map((each) => `You said: ${each}`));
});

test("several prompts fail if one of them fails, and cost nothing", async () => {
  await suite.simulator.script("messages", [{}, { status: 500 }, {}]);
  const reply = await post("/v1/completions", { model: "messages", prompt: ["1", "2", "3"] }, keyOf("failing"));
  expect([reply.status, await reply.json()]).toMatchObject([502, { error: { code: "upstream_error" } }]);
  expect(await settled(suite, "failing")).toBe(100_000_000_000n);
  await suite.simulator.script("messages", []);
});

const lengthOf = (vector: readonly number[]): number => Math.hypot(...vector);

test.each(["openai-vectors", "gemini-vectors"])(
  "both SDKs, and a path with the model's name, get embeddings from %s",
  async (model) => {
    // The SDK requests Base64 and returns numbers.
    const { data, ...reply } = await openaiAt(suite.edgeUrl, key).embeddings.create({
      model,
      input: ["One", "Two"],
      dimensions: 64,
    });
    expect(reply).toMatchObject({ object: "list", model, usage: { prompt_tokens: expect.any(Number) } });
    expect(data.map(({ index, embedding }) => [index, embedding.length])).toEqual([
      [0, 64],
      [1, 64],
    ]);
    expect(lengthOf(data[0]?.embedding ?? [])).toBeCloseTo(1, 3);
    const { embeddings = [] } = await googleAt(suite.edgeUrl, key).models.embedContent({
      model,
      contents: ["One", "Two"],
      config: { outputDimensionality: 64 },
    });
    expect(embeddings.map(({ values = [] }) => values.length)).toEqual([64, 64]);
    expect(embeddings[0]?.values?.[0]).toBeCloseTo(data[0]?.embedding[0] ?? 0, 3);
    const inPath = await post(`/v1/engines/${model}/embeddings`, { input: "One", dimensions: 64 });
    expect(await inPath.json()).toMatchObject({ data: [{ embedding: expect.any(Array) }] });
  },
);

test.each(["jina-ranks", "cohere-ranks"])("%s ranks documents", async (model) => {
  const documents = ["the weather in Oslo", "a recipe for soup", "Oslo is a city"];
  const request = { model, query: "Oslo weather", documents, top_n: 2, return_documents: true };
  const reply = await post("/v1/rerank", request);
  expect([reply.status, await reply.json()]).toMatchObject([
    200,
    { results: [{ index: 0, document: { text: documents[0] } }, { index: 2 }] },
  ]);
});

// Only the text itself is charged, not the instructions for the chat model.
test("a moderation by a vendor that reports no usage is charged by the counted input", async () => {
  const reply = await post("/v1/moderations", { model: "native-moderation", input: "x" });
  expect([reply.status, reply.headers.get("x-modelgate-cost")]).toEqual([200, "0.000002"]);
});

const categories =
  "harassment harassment/threatening sexual sexual/minors hate hate/threatening illicit illicit/violent self-harm " +
  "self-harm/intent self-harm/instructions violence violence/graphic";
const scores = Object.fromEntries(categories.split(" ").map((name) => [name, 0.0001]));
/** Judgement of two texts. The second is violent. */
const judgement = JSON.stringify({
  results: [scores, { ...scores, violence: 0.9 }].map((each, item) => ({ item, scores: each })),
});

test.each(["native-moderation", "judge"])("%s moderates several texts", async (model) => {
  await suite.simulator.script(model, model === "judge" ? [{ text: judgement }] : []);
  const reply = await openaiAt(suite.edgeUrl, key).moderations.create({ model, input: ["Hello", "I kill you"] });
  expect(reply).toMatchObject({ id: expect.stringMatching(/^modr-/), model });
  expect(reply.results.map((result) => [result.flagged, result.categories.violence])).toEqual([
    [false, false],
    [true, true],
  ]);
});

test("an image, speech, its transcript and a video are each charged by their unit", async () => {
  const before = await settled(suite);
  const openai = openaiAt(suite.edgeUrl, key);
  expect((await openai.images.generate({ model: "sketch", prompt: "A boat" })).data).toHaveLength(1);
  const speech = await openai.audio.speech.create({
    model: "speaker",
    voice: "alloy",
    input: "This is what is said, and heard again.",
    response_format: "wav",
  });
  const file = await toFile(Buffer.from(await speech.arrayBuffer()), "hello.wav", { type: "audio/wav" });
  expect((await openai.audio.transcriptions.create({ model: "listener", file })).text).toBe("we heard this file");
  const { id } = await openai.videos.create({ model: "film", prompt: "A boat", seconds: "4" });
  await until("the video", async () => (await openai.videos.retrieve(id)).status === "completed");
  expect((await openai.videos.downloadContent(id)).headers.get("content-type")).toBe("video/mp4");
  // The speech has 38 characters and lasts 60 ms per character.
  const dollars = 0.04 + 38 * 0.000015 + 38 * 0.06 * 0.0001 + 4 * 0.1;
  expect(before - (await settled(suite))).toBe(BigInt(Math.round(dollars * 1e9)));
});
