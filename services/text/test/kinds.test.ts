import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { startScriptedServer, type ScriptedServer } from "@modelgate/testkit";
import type { Area } from "../../../libs/relay/test/area.ts";
import { googleAt, keyOf, openaiAt, settled, startText } from "./every-vendor.ts";
import { forbidWarnings } from "./forbid-warnings.ts";

/** Models of completions, embeddings, rerank and moderation. */
const kinds = {
  "native-completion": ["completion", "openai", "/openai/v1", "davinci-002", "completions"],
  "openai-vectors": ["embedding", "openai", "/openai/v1", "text-embedding-3-small", "embeddings"],
  "gemini-vectors": ["embedding", "gemini", "/gemini", "gemini-embedding-001"],
  "jina-ranks": ["rerank", "jina", "/jina/v1", "jina-reranker-v2"],
  "cohere-ranks": ["rerank", "cohere", "/cohere", "rerank-v3.5"],
  "native-moderation": ["moderation", "openai", "/openai/v1", "omni-moderation-latest", "moderations"],
  "omni-moderation-latest": ["moderation", "openai", "/openai/v1", "omni-moderation-latest", "moderations"],
  // A chat model that judges texts.
  judge: ["moderation", "anthropic", "/anthropic", "claude-sonnet-4-5"],
} as const;

const answerBytes = 4_194_304;
/** A vector of 3,072 dimensions. */
const row = `[${Array.from({ length: 3_072 }, (_, at) => Math.sin(at + 1) / 17).join(",")}]`;
/** Number of vectors in an answer of the vendor of `wide`. */
let rows = 1;
let vendor: ScriptedServer;
let area: Area;
beforeAll(async () => {
  vendor = await startScriptedServer((_, response) => {
    response.writeHead(200, { "content-type": "application/json" }).write('{"object":"list","data":[');
    for (let at = 0; at < rows; at++)
      response.write(`${at === 0 ? "" : ","}{"object":"embedding","index":${at},"embedding":${row}}`);
    response.end(`],"model":"wide","usage":{"prompt_tokens":40,"total_tokens":40}}`);
    return undefined;
  });
  area = await startText({
    accounts: ["failing"],
    models: Object.fromEntries(
      [...Object.entries(kinds), ["wide", ["embedding"]] as const].map(([name, [kind]]) => [
        name,
        { kind, price: { input: 1, output: 1 } },
      ]),
    ),
    channels: [
      ...Object.entries(kinds).map(([id, [, provider, path, model, wire]]) => ({
        id,
        provider,
        baseUrl: `\${SIMULATOR_URL}/at/${id}${path}`,
        keys: [`key-of-${id}`],
        models: { [id]: model },
        ...(wire === undefined ? {} : { wires: [wire] }),
      })),
      { id: "wide", provider: "openai", baseUrl: `${vendor.url}/v1`, keys: ["k"], models: ["wide"] },
    ],
    limits: { relay: { limits: { answerBytes } } },
  });
});
afterAll(async () => {
  await area?.[Symbol.asyncDispose]();
  await vendor?.[Symbol.asyncDispose]();
});
forbidWarnings();

const key = keyOf("demo");
const post = (path: string, body: object, by = key) => area.post(path, body, by);

describe.each(["native-completion", "messages"])("completions over %s", (model) => {
  const completions = () => openaiAt(area.url, key).completions;

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
  for await (const { choices } of await openaiAt(area.url, key).completions.create(request))
    for (const { index, text } of choices) texts[index] += text;
  expect(texts).toEqual(prompt.map((each) => `You said: ${each}`));
});

test("several prompts fail if one of them fails, and cost nothing", async () => {
  await area.simulator.script("messages", [{}, { status: 500 }, {}]);
  const reply = await post("/v1/completions", { model: "messages", prompt: ["1", "2", "3"] }, keyOf("failing"));
  expect([reply.status, await reply.json()]).toMatchObject([502, { error: { code: "upstream_error" } }]);
  expect(await settled(area, "failing")).toBe(100_000_000_000n);
  await area.simulator.script("messages", []);
});

const lengthOf = (vector: readonly number[]): number => Math.hypot(...vector);

test.each(["openai-vectors", "gemini-vectors"])(
  "both SDKs, and a path with the model's name, get embeddings from %s",
  async (model) => {
    // The SDK requests Base64 and returns numbers.
    const { data, ...reply } = await openaiAt(area.url, key).embeddings.create({
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
    const { embeddings = [] } = await googleAt(area.url, key).models.embedContent({
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

test("an answer above the maximum size is a clear error, and starts no cooldown; a smaller one arrives completely", async () => {
  const ask = () => post("/v1/embeddings", { model: "wide", input: "a b c d" });
  rows = 90;
  for (let at = 0; at < 4; at++) {
    const answer = await ask();
    expect([answer.status, await answer.json()]).toMatchObject([
      502,
      { error: { code: "answer_too_large", message: expect.stringContaining(`larger than the ${answerBytes} bytes`) } },
    ]);
  }
  rows = 60;
  const text = await (await ask()).text();
  expect(text.split(row)).toHaveLength(rows + 1);
  expect(text.endsWith(`"usage":{"prompt_tokens":40,"total_tokens":40}}`)).toBe(true);
});

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

test("a moderation without a model uses OpenAI's model, not the first one", async () => {
  const reply = await openaiAt(area.url, key).moderations.create({ input: "x" });
  expect(reply.model).toBe("omni-moderation-latest");
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
  await area.simulator.script(model, model === "judge" ? [{ text: judgement }] : []);
  const reply = await openaiAt(area.url, key).moderations.create({ model, input: ["Hello", "I kill you"] });
  expect(reply).toMatchObject({ id: expect.stringMatching(/^modr-/), model });
  expect(reply.results.map((result) => [result.flagged, result.categories.violence])).toEqual([
    [false, false],
    [true, true],
  ]);
});
