import { toyConfig, toyKey } from "../../../libs/relay/test/toys.ts";
import { startScriptedServer, type ScriptedServer } from "@modelgate/testkit";
import { afterAll, beforeAll, expect, test } from "vitest";
import { startArea, type Area } from "../../../libs/relay/test/area.ts";
import { service } from "../src/service.ts";

let vendor: ScriptedServer;
let area: Area;
beforeAll(async () => {
  vendor = await startScriptedServer(({ body }) => {
    const { n, q } = JSON.parse(body);
    if (q !== undefined) return { body: { order: [1, 0], spent: 5 } };
    return { body: { points: Array.from({ length: n }, (_, at) => at), bad: [true, false], spent: 5 } };
  });
  const price = { input: 1 };
  const config = toyConfig(vendor.url, { embedding: price, rerank: price, moderation: price });
  area = await startArea(service, { config });
});
afterAll(async () => {
  await area?.[Symbol.asyncDispose]();
  await vendor?.[Symbol.asyncDispose]();
});

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
