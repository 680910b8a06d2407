import { AzureOpenAI, toFile } from "openai";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { startSuite, wavHead, type Suite } from "@modelgate/testkit";
import { channel, hello, keys } from "./suite-client.ts";
import { samplePng } from "../../services/media/test/pictures.ts";

let suite: Suite;
beforeAll(async () => {
  const kinds = {
    chat: "chat",
    embed: "embedding",
    rank: "rerank",
    sketch: "image",
    transcribe: "transcription",
  } as const;
  suite = await startSuite({
    config: {
      groups: { default: { models: ["*"] } },
      models: Object.fromEntries(
        Object.entries(kinds).map(([model, kind]) => [model, { kind, ownedBy: "acme", price: { request: 0.001 } }]),
      ),
      channels: [
        channel("main", ["chat", "embed", "sketch", "transcribe"]),
        { ...channel("ranker", ["rank"]), provider: "cohere", baseUrl: "${SIMULATOR_URL}/at/ranker/cohere" },
      ],
      accounts: { demo: { balance: "10.00", tokens: [{ key: keys.demo, group: "default" }] } },
    },
  });
});
afterAll(() => suite?.[Symbol.asyncDispose]());

describe("Azure's SDK", () => {
  const azure = (more: object = {}) =>
    new AzureOpenAI({ endpoint: suite.edgeUrl, apiKey: keys.demo, apiVersion: "2024-10-21", maxRetries: 0, ...more });

  test("chats and embeds with a deployment as the model", async () => {
    const answer = await azure().chat.completions.create(hello("chat"));
    expect([answer.model, answer.choices[0]?.message.content]).toEqual(["chat", expect.stringContaining("Hello")]);
    const vectors = await azure().embeddings.create({ model: "embed", input: "Hello" });
    expect(vectors.data[0]?.embedding.length).toBeGreaterThan(0);
  });

  test("streams, and its deployment takes precedence over the model in the body", async () => {
    const stream = await azure({ deployment: "chat" }).chat.completions.create({
      ...hello("gpt-of-another-name"),
      stream: true,
    });
    const models = new Set<string>();
    for await (const chunk of stream) models.add(chunk.model);
    expect([...models]).toEqual(["chat"]);
  });

  test("answers at /openai/v1 and /openai/responses too", async () => {
    for (const path of ["/openai/v1/responses", "/openai/responses?api-version=2025-03-01-preview"])
      expect((await send(path, { model: "chat", input: "Hello" }, { "api-key": keys.demo })).status).toBe(200);
  });

  test("sends forms to a deployment, which takes precedence over the model in the form", async () => {
    const head = wavHead({ sampleRate: 8_000, channels: 1, bits: 8 }, 8_000);
    const file = () => toFile(Buffer.concat([head, Buffer.alloc(8_000, 128)]), "a.wav", { type: "audio/wav" });
    const image = () => toFile(samplePng(), "cat.png", { type: "image/png" });
    const transcribe = azure({ deployment: "transcribe" }).audio;
    expect(
      (await transcribe.transcriptions.create({ model: "gpt-of-another-name", file: await file() })).text,
    ).not.toBe("");
    expect((await transcribe.translations.create({ model: "gpt-of-another-name", file: await file() })).text).not.toBe(
      "",
    );
    const drawn = await azure({ deployment: "sketch" }).images.edit({
      model: "gpt-of-another-name",
      image: await image(),
      prompt: "a cat",
    });
    expect(drawn.data).toHaveLength(1);
  });

  test("needs no model in a form, regardless of the file's position", async () => {
    const head = wavHead({ sampleRate: 8_000, channels: 1, bits: 8 }, 8_000);
    const form = new FormData();
    form.set("file", new Blob([new Uint8Array(Buffer.concat([head, Buffer.alloc(8_000, 128)]))]), "a.wav");
    const picture = new FormData();
    picture.set("image", new Blob([samplePng()]), "cat.png");
    picture.set("prompt", "a cat");
    for (const [path, body] of [
      ["transcribe/audio/transcriptions", form],
      ["sketch/images/edits", picture],
    ] as const) {
      const url = `${suite.edgeUrl}/openai/deployments/${path}?api-version=2024-10-21`;
      const answer = await fetch(url, { method: "POST", headers: { "api-key": keys.demo }, body });
      expect([answer.status, await answer.text()]).toEqual([200, expect.any(String)]);
    }
    const [vendorRequest] = await suite.simulator.requests("main").then((all) => all.slice(-2));
    expect(JSON.stringify(vendorRequest)).toContain("transcribe");
  });

  test("gets an error about the deployment's model", async () => {
    const answer = await send("/openai/deployments/none/chat/completions", hello("chat"), { "api-key": keys.demo });
    expect([answer.status, answer.body]).toEqual([404, expect.stringContaining("none")]);
  });
});

const message = { max_tokens: 64, ...hello("chat") };
test.each([
  ["/v1beta/openai/chat/completions", hello("chat"), { choices: [{ message: { role: "assistant" } }] }],
  ["/api/v1/chat/completions", hello("chat"), { choices: [{ message: { role: "assistant" } }] }],
  ["/anthropic/v1/messages", message, { type: "message", role: "assistant" }],
  [
    "/v2/rerank",
    { model: "rank", query: "cat", documents: ["a dog", "a cat"], top_n: 1 },
    { results: [{ index: 1, relevance_score: expect.any(Number) }], meta: { api_version: { version: "2" } } },
  ],
  [
    "/v2/embed",
    { model: "embed", texts: ["a", "b"], input_type: "search_query", embedding_types: ["float"] },
    {
      response_type: "embeddings_by_type",
      texts: ["a", "b"],
      embeddings: { float: [expect.any(Array), expect.any(Array)] },
    },
  ],
  [
    "/v2/embed",
    { model: "embed", texts: ["a"], embedding_types: ["base64"] },
    { embeddings: { base64: [expect.any(String)] } },
  ],
  [
    "/api/embed",
    { model: "embed", input: ["a", "b"], keep_alive: "5m", truncate: true },
    { model: "embed", embeddings: [expect.any(Array), expect.any(Array)], prompt_eval_count: expect.any(Number) },
  ],
])("POST %s", async (path, body, expected) => {
  const answer = await send(path, body, { authorization: `Bearer ${keys.demo}`, "anthropic-version": "2023-06-01" });
  expect(JSON.parse(answer.body)).toMatchObject(expected);
});

test("GET /api/tags lists the models as Ollama does", async () => {
  const answer = await fetch(`${suite.edgeUrl}/api/tags`, { headers: { authorization: `Bearer ${keys.demo}` } });
  expect(await answer.json()).toMatchObject({
    models: [{ name: "chat", model: "chat", details: { family: "acme" } }, {}, {}, {}, {}],
  });
});

test("POST /v1/images/variations needs an image and no prompt", async () => {
  const form = new FormData();
  form.set("model", "sketch");
  form.set("image", new Blob([samplePng()]), "cat.png");
  const headers = { authorization: `Bearer ${keys.demo}` };
  const answer = await fetch(`${suite.edgeUrl}/v1/images/variations`, { method: "POST", headers, body: form });
  expect(await answer.json()).toMatchObject({ data: [{ url: expect.stringContaining("http") }] });
});

async function send(path: string, body: object, headers: Record<string, string>) {
  const answer = await fetch(suite.edgeUrl + path, {
    method: "POST",
    headers: { "content-type": "application/json", ...headers },
    body: JSON.stringify(body),
  });
  return { status: answer.status, body: await answer.text() };
}

test("GET /healthz answers on the clients' port, without a key", async () => {
  const answer = await fetch(`${suite.edgeUrl}/healthz`);
  expect([answer.status, await answer.text()]).toEqual([200, "ok\n"]);
});
