import { afterAll, beforeAll, expect, test } from "vitest";
import { simulate, startSimulator, type Started } from "./started.ts";

let started: Started;
beforeAll(async () => {
  started = await startSimulator({ authorization: "Bearer key" });
});
afterAll(() => started[Symbol.asyncDispose]());

const post = (path: string, body: unknown) => started.post(path, body);
const completions = "/openai/v1/completions";

test("text completions support several prompts and choices, echo and probabilities", async () => {
  const { body } = await post(completions, { model: "m", prompt: ["One", "Two"], n: 2, echo: true, logprobs: 1 });
  expect(body.object).toBe("text_completion");
  expect(body.choices.map(({ index, text }: { index: number; text: string }) => [index, text])).toEqual([
    [0, "OneYou said: Two"],
    [1, "OneYou said: Two"],
    [2, "TwoYou said: Two"],
    [3, "TwoYou said: Two"],
  ]);
  expect(body.choices[0].logprobs.tokens.join("")).toBe("OneYou said: Two");
  const long = simulate({ text: "x".repeat(100) });
  expect((await post(completions, { model: "m", prompt: long })).body).toMatchObject({
    choices: [{ finish_reason: "length", text: "x".repeat(64) }],
    usage: { completion_tokens: 16 },
  });
});

test("text completions can be streamed", async () => {
  const request = { model: "m", prompt: "Hi", stream: true, stream_options: { include_usage: true } };
  const frames = await started.stream(completions, request);
  const pieces = frames.slice(0, -2).map(({ data }) => data.choices[0]);
  expect(pieces.map(({ text }) => text).join("")).toBe("You said: Hi");
  expect(pieces.at(-1)).toMatchObject({ text: "", finish_reason: "stop" });
  expect(frames.at(-2)?.data).toMatchObject({ choices: [], usage: { total_tokens: 4 } });
  expect(frames.at(-1)?.data).toBe("[DONE]");
});

const embeddings = "/openai/v1/embeddings";
const embed = async (input: unknown, more: object = {}) =>
  (await post(embeddings, { model: "e", input, dimensions: 64, ...more })).body;
const dot = (one: readonly number[], other: readonly number[]) =>
  one.reduce((sum, value, at) => sum + value * (other[at] ?? 0), 0);

test("vectors have length one, depend on the text, and are similar for texts with common words", async () => {
  const { data, usage } = await embed(["a red boat", "the red boat", "taxes", "a red boat"]);
  const vectors: readonly number[][] = data.map(({ embedding }: { embedding: number[] }) => embedding);
  const [one = [], near = [], far = [], same = []] = vectors;
  expect(dot(one, one)).toBeCloseTo(1);
  expect(same).toEqual(one);
  expect(dot(one, near)).toBeGreaterThan(dot(one, far));
  expect(usage).toEqual({ prompt_tokens: 10, total_tokens: 10 });
  const packed = (await embed("a red boat", { encoding_format: "base64" })).data[0].embedding;
  const bytes = Buffer.from(packed, "base64");
  expect(Array.from({ length: 64 }, (_, at) => bytes.readFloatLE(at * 4))).toEqual(one.map(Math.fround));
});

test("token ids are accepted as input", async () => {
  expect((await embed([1, 2, 3])).usage.prompt_tokens).toBe(3);
  expect((await embed([[1], [2, 3]])).data).toHaveLength(2);
  expect((await post(embeddings, { model: "e", input: "x" })).body.data[0].embedding).toHaveLength(1_536);
});

test("a moderation has one result for each text, and one for all parts of an input", async () => {
  const moderate = async (input: unknown) => (await post("/openai/v1/moderations", { input })).body.results;
  expect(await moderate(["A boat", "I will kill you"])).toMatchObject([
    { flagged: false },
    { flagged: true, categories: { violence: true, hate: false }, category_scores: { violence: 0.9 } },
  ]);
  const image = { type: "image_url", image_url: { url: "https://example.com/a.png" } };
  expect(await moderate([{ type: "text", text: "A boat" }, image])).toHaveLength(1);
});

const documents = ["taxes", "the red boat", "a boat"];

test("documents are ranked by the words that they share with the query", async () => {
  const request = { model: "r", query: "red boat", documents };
  expect((await post("/jina/v1/rerank", { ...request, top_n: 2 })).body).toEqual({
    model: "r",
    object: "list",
    usage: { total_tokens: 8 },
    results: [
      { index: 1, relevance_score: 1, document: { text: "the red boat" } },
      { index: 2, relevance_score: 0.5, document: { text: "a boat" } },
    ],
  });
  const { results, meta } = (await post("/cohere/v2/rerank", request)).body;
  expect(results).toEqual([
    { index: 1, relevance_score: 1 },
    { index: 2, relevance_score: 0.5 },
    { index: 0, relevance_score: 0 },
  ]);
  expect(meta.billed_units).toEqual({ search_units: 1 });
});

test.each<[string, string, object, RegExp]>([
  ["completions without a prompt", completions, { model: "m" }, /prompt/],
  ["messages as completions", completions, { model: "m", prompt: "", messages: [] }, /messages/],
  ["no input", embeddings, { model: "m", input: "" }, /input/],
  ["one empty input", embeddings, { model: "m", input: ["a", ""] }, /input\[1\]/],
  ["too many inputs", embeddings, { model: "m", input: Array(2_049).fill("a") }, /input/],
  ["an unknown format", embeddings, { model: "m", input: "a", encoding_format: "hex" }, /encoding_format/],
  ["no input to moderate", "/openai/v1/moderations", {}, /input/],
  ["no documents", "/jina/v1/rerank", { model: "m", query: "q", documents: [] }, /documents/],
  [
    "a field of the other vendor",
    "/cohere/v2/rerank",
    { model: "m", query: "q", documents, return_documents: true },
    /return_documents/,
  ],
  [
    "documents as objects",
    "/cohere/v2/rerank",
    { model: "m", query: "q", documents: [{ text: "x" }] },
    /documents\[0\]/,
  ],
])("refused: %s", async (_, path, request, names) => {
  const { status, body } = await post(path, request);
  expect(status).toBe(400);
  expect(JSON.stringify(body)).toMatch(names);
});

test.each(["/jina/v1/rerank", "/cohere/v2/rerank"])("%s has its error format, and requires a key", async (path) => {
  const request = { model: "m", query: simulate({ status: 429 }), documents };
  const body = path.startsWith("/jina") ? { detail: "simulated 429" } : { message: "simulated 429" };
  expect(await post(path, request)).toMatchObject({ status: 429, body });
  expect((await started.post(path, request, { authorization: "Bearer bad-key" })).status).toBe(401);
});
