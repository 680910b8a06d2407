import { readFileSync } from "node:fs";
import { join } from "node:path";
import OpenAI, { toFile } from "openai";
import { afterAll, beforeAll, expect, test } from "vitest";
import { startSuite, until, type Suite } from "@modelgate/testkit";
import { parse } from "yaml";
import { keys } from "./suite-client.ts";
import { openSession } from "./realtime-client.ts";
import { quickLimits } from "../../services/video/test/films.ts";

const path = join(import.meta.dirname, "../../deploy/config/demo.yaml");
/** Configuration of `npm start`. */
const demo: {
  readonly models: Readonly<Record<string, { readonly kind: string }>>;
} & Record<string, unknown> = parse(readFileSync(path, "utf8"));
const models = Object.keys(demo.models).filter((name) => name.startsWith("demo-") || name === "gpt-4o-mini-transcribe");

let suite: Suite;
let client: OpenAI;
beforeAll(async () => {
  suite = await startSuite({ config: demo, limits: quickLimits });
  client = new OpenAI({ baseURL: `${suite.edgeUrl}/v1`, apiKey: keys.demo, maxRetries: 0 });
});
afterAll(() => suite?.[Symbol.asyncDispose]());

const callOf: Readonly<Record<string, (model: string) => Promise<unknown>>> = {
  async chat(model) {
    const { choices } = await client.chat.completions.create({ model, messages: [{ role: "user", content: "Hello" }] });
    expect(choices[0]?.message.content).toBe("You said: Hello");
  },
  image: (model) => client.images.generate({ model, prompt: "a cat" }),
  speech: (model) => client.audio.speech.create({ model, voice: "alloy", input: "Hello" }),
  async transcription(model) {
    const speech = await client.audio.speech.create({
      model: "demo-speech",
      voice: "alloy",
      input: "Hello",
      response_format: "wav",
    });
    return client.audio.transcriptions.create({ model, file: await toFile(await speech.arrayBuffer(), "hello.wav") });
  },
  async video(model) {
    // The vendors allow different durations.
    const seconds = /-(?:openai|veo)$/.test(model) ? "4" : "5";
    const { id } = await created(model, seconds);
    await until(
      `${model} to generate its video`,
      async () => (await (await ask(`/v1/videos/${id}`)).json()).status === "completed",
    );
  },
  embedding: (model) => client.embeddings.create({ model, input: "Hello" }),
  async rerank(model) {
    const answer = await ask("/v1/rerank", { model, query: "a cat", documents: ["a dog", "a cat"] });
    expect((await answer.json()).results).toHaveLength(2);
  },
  moderation: (model) => client.moderations.create({ model, input: "Hello" }),
  async realtime(model) {
    const session = await openSession(suite, { model });
    await session.next("session.created");
    session.socket.close();
  },
};

async function created(model: string, seconds: string): Promise<any> {
  const form = new FormData();
  for (const [name, value] of Object.entries({ model, prompt: "a cat", seconds })) form.set(name, value);
  const answer = await fetch(`${suite.edgeUrl}/v1/videos`, {
    method: "POST",
    headers: { authorization: `Bearer ${keys.demo}` },
    body: form,
  });
  expect(answer.status, `${model} is created`).toBe(200);
  return answer.json();
}

async function ask(path: string, body?: object): Promise<any> {
  return fetch(`${suite.edgeUrl}${path}`, {
    method: body === undefined ? "GET" : "POST",
    headers: { authorization: `Bearer ${keys.demo}`, "content-type": "application/json" },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
}

test.concurrent.each(models)("%s answers a call of its kind", async (model) => {
  const call = callOf[demo.models[model]?.kind ?? ""];
  if (call === undefined) throw new Error(`no call for models of kind ${demo.models[model]?.kind}`);
  await expect(call(model)).resolves.not.toThrow();
});

test("each model of the demo has a channel", async () => {
  const { status, stdout } = await suite.gatectl("config", "check", path);
  expect(status).toBe(0);
  expect(stdout).not.toContain("has no channel");
});
