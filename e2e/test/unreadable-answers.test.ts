import { afterAll, beforeAll, expect, test } from "vitest";
import { startScriptedServer, startSuite, until, wavHead, type ScriptedServer, type Suite } from "@modelgate/testkit";
import { channel, keys, money } from "./suite-client.ts";

/** Vendor that answers with the body in the request's path. */
let vendor: ScriptedServer;

const usage = { prompt_tokens: 3, completion_tokens: 4, total_tokens: 7 };
const nope = JSON.stringify({ choices: "nope", data: "nope", results: "nope", text: 5, usage });
const chat = (model: string) => ({ model, messages: [{ role: "user", content: "Hello" }] });
const silence = Buffer.concat([wavHead({ sampleRate: 8_000, channels: 1, bits: 8 }, 8_000), Buffer.alloc(8_000, 128)]);
const pixel = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==",
  "base64",
);
/**
 * Calls, and the first channel's answer. `services/text/test/exchanges/whole-answers.test.ts` tests more answers of
 * text, and `services/video/test/start-task.test.ts` those of a start of a video, which is not repeated.
 */
const cases: readonly {
  readonly name: string;
  readonly kind?: string;
  readonly path?: (model: string) => string;
  readonly body: (model: string) => object;
  readonly answer?: string;
  readonly file?: { readonly name: string; readonly content: Buffer; readonly type: string };
}[] = [
  { name: "chat-passed", body: chat },
  { name: "embeddings", kind: "embedding", path: () => "/v1/embeddings", body: (model) => ({ model, input: "Hello" }) },
  {
    name: "images",
    kind: "image",
    path: () => "/v1/images/generations",
    body: (model) => ({ model, prompt: "a cat" }),
  },
  {
    name: "transcriptions",
    kind: "transcription",
    path: () => "/v1/audio/transcriptions",
    body: (model) => ({ model }),
    file: { name: "file", content: silence, type: "audio/wav" },
  },
  {
    name: "image-edits",
    kind: "image",
    path: () => "/v1/images/edits",
    body: (model) => ({ model, prompt: "a cat" }),
    file: { name: "image", content: pixel, type: "image/png" },
  },
  { name: "stream-of-garbage", body: (model) => ({ ...chat(model), stream: true }), answer: "data: nope\n\n" },
  // Streams that begin with an invalid event or an error.
  {
    name: "images-shape",
    kind: "image",
    path: () => "/v1/images/generations",
    body: (model) => ({ model, prompt: "a cat", stream: true }),
    answer: 'data: {"choices":"nope","type":5}\n\n',
  },
  {
    name: "speech-error",
    kind: "speech",
    path: () => "/v1/audio/speech",
    body: (model) => ({ model, input: "Hello", voice: "alloy", stream_format: "sse" }),
    answer: 'data: {"type":"error","error":{"message":"nope"}}\n\n',
  },
];

let suite: Suite;
beforeAll(async () => {
  vendor = await startScriptedServer(({ path }) => ({ body: decodeURIComponent(path.split("/")[2] ?? "") }));
  suite = await startSuite({
    config: {
      groups: { default: { models: ["*"] } },
      models: Object.fromEntries(cases.map(({ name, kind = "chat" }) => [name, { kind, price: { request: 0.001 } }])),
      channels: cases.flatMap(({ name, answer = nope }) => [
        {
          ...channel(`bad-${name}`, [name], { priority: 10 }),
          baseUrl: `${vendor.url}/${name}/${encodeURIComponent(answer)}`,
        },
        channel(`good-${name}`, [name]),
      ]),
      accounts: { demo: { balance: "10.00", tokens: [{ key: keys.demo, group: "default" }] } },
    },
  });
});
afterAll(async () => {
  await suite?.[Symbol.asyncDispose]();
  await vendor?.[Symbol.asyncDispose]();
});

test.each(cases)("$name: an answer that cannot be read is tried elsewhere", async ({ name, path, body, file }) => {
  const answer = await fetch(suite.edgeUrl + (path?.(name) ?? "/v1/chat/completions"), {
    method: "POST",
    headers: {
      authorization: `Bearer ${keys.demo}`,
      ...(file === undefined ? { "content-type": "application/json" } : {}),
      "alpha-version": "2023-06-01",
    },
    body: file === undefined ? JSON.stringify(body(name)) : formOf(body(name), file),
  });
  const text = await answer.text();
  expect([answer.status, text]).toEqual([200, expect.not.stringContaining("nope")]);
  expect(vendor.requests.filter(({ path: requestPath }) => requestPath.split("/")[1] === name)).toHaveLength(1);
  expect(await suite.simulator.requests(`good-${name}`)).toHaveLength(1);
});

function formOf(
  fields: object,
  { name, content, type }: { readonly name: string; readonly content: Buffer; readonly type: string },
): FormData {
  const form = new FormData();
  for (const [field, value] of Object.entries(fields)) form.set(field, String(value));
  form.set(name, new Blob([new Uint8Array(content)], { type }), `a.${type.split("/")[1]}`);
  return form;
}

test("only the answers that reached their clients are charged", async () => {
  const spent = async () => Number((await money(suite)).spentNanos);
  await until("each call to be charged", async () => (await spent()) >= cases.length * 1_000_000);
  expect(await spent()).toBe(cases.length * 1_000_000);
});
