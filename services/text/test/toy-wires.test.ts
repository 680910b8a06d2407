import { toyConfig, toyKey } from "../../../libs/relay/test/toys.ts";
import { startScriptedServer, type ScriptedRequest, type ScriptedServer } from "@modelgate/testkit";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { ServerResponse } from "node:http";
import { framed, lengthPrefixed } from "../../../libs/wires/test/toys/text/framing.ts";
import { startArea, type Area } from "../../../libs/relay/test/area.ts";
import { service } from "../src/service.ts";

let vendor: ScriptedServer;
let area: Area;
beforeAll(async () => {
  vendor = await startScriptedServer((request, response) => {
    const { n, q, lines } = JSON.parse(request.body);
    if (lines !== undefined) return answerText(request, response);
    if (q !== undefined) return { body: { order: [1, 0], spent: 5 } };
    return { body: { points: Array.from({ length: n }, (_, at) => at), bad: [true, false], spent: 5 } };
  });
  const price = { input: 1 };
  const config = toyConfig(vendor.url, {
    embedding: price,
    rerank: price,
    moderation: price,
    chat: { input: 1, output: 10 },
  });
  area = await startArea(service, { config });
});
afterAll(async () => {
  await area?.[Symbol.asyncDispose]();
  await vendor?.[Symbol.asyncDispose]();
});

/** Repeats the text of a request, or fails on request. */
function answerText({ body }: ScriptedRequest, response: ServerResponse) {
  const { lines, live }: { readonly lines: readonly string[]; readonly live: boolean } = JSON.parse(body);
  const [text, spent] = [lines.join(" "), { in: 7, out: 3 }];
  if (!live) return { body: { text, spent } };
  response.writeHead(200, { "content-type": lengthPrefixed.mediaType });
  const pieces = text.includes("fail")
    ? [{ problem: { words: "no" } }]
    : [...text.split(" ").map((word) => ({ delta: `${word} ` })), { spent }];
  const stream = Buffer.concat([framed(""), ...pieces.map((piece) => framed(JSON.stringify(piece)))]);
  // Splits a frame.
  const middle = pieces.length === 1 ? stream.length : Math.floor(stream.length / 3);
  response.write(stream.subarray(0, middle));
  setImmediate(() => response.end(stream.subarray(middle)));
  return undefined;
}

/** Calls an endpoint. Returns the answer, the vendor's requests and the charged units. */
async function call(path: string, body: object) {
  vendor.requests.length = 0;
  const response = await area.post(path, body, toyKey);
  const json: any = await response.json();
  const { units } = await area.eventOf(response.headers.get("x-request-id"));
  return { json, sent: vendor.requests.map((request) => JSON.parse(request.body)), units };
}

test("a wire for embeddings can be added whose vendor accepts two texts at a time", async () => {
  const { json, sent, units } = await call("/v1/embeddings", { model: "my-embedding", input: ["a", "b", "c"] });
  expect(sent).toEqual([
    { who: "theirs", n: 2 },
    { who: "theirs", n: 1 },
  ]);
  expect(json).toMatchObject({
    model: "my-embedding",
    data: [{ embedding: [0] }, { embedding: [1] }, { embedding: [0] }],
    usage: { prompt_tokens: 10 },
  });
  expect(units).toMatchObject({ inputTokens: 10 });
});

test("a wire for reranking can be added", async () => {
  const { json, sent, units } = await call("/v1/rerank", { model: "my-rerank", query: "q", documents: ["a", "b"] });
  expect(sent).toEqual([{ q: "q", of: ["a", "b"] }]);
  expect(json.results).toMatchObject([{ index: 1 }, { index: 0 }]);
  expect(units).toMatchObject({ inputTokens: 5 });
});

test("a wire for moderation can be added", async () => {
  const { json, sent, units } = await call("/v1/moderations", { model: "my-moderation", input: ["a", "b"] });
  expect(sent).toEqual([{ n: 2 }]);
  expect(json.results).toMatchObject([{ flagged: true }, { flagged: false }]);
  expect(units).toMatchObject({ inputTokens: 5 });
});

describe("a wire of text with streams that are not events can be added for vendors only", () => {
  const model = "my-chat";
  const turns = [{ role: "user", content: "Say it again" }];
  const contents = [{ role: "user", parts: [{ text: "Say it again" }] }];
  const clients = (stream: boolean): readonly (readonly [path: string, body: object])[] => [
    ["/v1/chat/completions", { model, stream, messages: turns }],
    ["/v1/messages", { model, stream, max_tokens: 50, messages: turns }],
    ["/v1/responses", { model, stream, input: turns }],
    [`/v1beta/models/${model}:${stream ? "streamGenerateContent?alt=sse" : "generateContent"}`, { contents }],
    ["/v1/completions", { model, stream, prompt: "Say it again" }],
  ];
  const ask = (path: string, body: object) => area.post(path, body, toyKey, { "anthropic-version": "2023-06-01" });

  test.each([
    [false, "application/json", "Say it again"],
    [true, "text/event-stream", '"again "'],
  ])("and is converted for each client, at the usage that its vendor reported; streamed: %s", async (...row) => {
    const [stream, type, words] = row;
    for (const [path, body] of clients(stream)) {
      const answer = await ask(path, body);
      expect([path, answer.status, await answer.text()]).toEqual([path, 200, expect.stringContaining(words)]);
      expect(answer.headers.get("content-type")).toContain(type);
      expect(JSON.parse(vendor.requests.at(-1)?.body ?? "")).toMatchObject({ lines: ["Say it again"], live: stream });
      // 7 input tokens at $1 and 3 output tokens at $10 per million.
      expect((await area.eventOf(answer.headers.get("x-request-id"))).costNanos).toBe("37000");
    }
  });

  test("and a stream that begins with an error fails before its client's answer begins", async () => {
    const messages = [{ role: "user", content: "fail" }];
    expect((await ask("/v1/chat/completions", { model, stream: true, messages })).status).toBe(502);
  });
});
