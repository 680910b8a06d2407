import { expect, test } from "vitest";
import type { Exchange } from "@modelgate/relay";
import { wires as moderationWires, type ModerationAnswer, type ModerationRequest } from "@modelgate/wires/moderation";
import { wires as rankingWires } from "@modelgate/wires/ranking";
import { wires as vectorWires } from "@modelgate/wires/vectors";
import { vendorWire } from "@modelgate/wires/wire";
import type { UnstreamedVendor } from "@modelgate/wires/kind";
import { toy as judge } from "../../../../libs/wires/test/toys/moderation/index.ts";
import { toy as ranker } from "../../../../libs/wires/test/toys/ranking/index.ts";
import { register } from "../../../../libs/wires/test/toys/register.ts";
import { toy as vectors } from "../../../../libs/wires/test/toys/vectors/index.ts";
import { kindExchange } from "../../src/exchanges/kind.ts";
import { vectorsExchange } from "../../src/exchanges/vectors.ts";

/* One more wire of a kind is served once it is in the registry: a folder, and one line. */

const call = { model: "mine", strict: false, answerId: "1", inputTokens: 9, bodyBytes: 10 };

/** Gives an exchange the vendor's answer, and returns the client's with the usage. */
async function answered({ read }: Exchange, answer: object) {
  const reader = read({ headers: {} });
  if (reader.kind !== "whole") throw new Error("an answer in one piece was expected");
  const { body, usage } = await reader.read(Buffer.from(JSON.stringify(answer)));
  return { usage, json: JSON.parse(String(body)) };
}

test("a wire of vectors", async () => {
  const client = vectorWires.embeddings;
  const read = client.client.read({ model: "mine", input: ["a", "b"] });
  const exchange = await vectorsExchange({ ...read, ...call }, client, register(vectorWires, vectors), "theirs");
  expect([exchange.wire, exchange.body]).toEqual(["toy", Buffer.from('{"who":"theirs","n":2}')]);
  const { usage, json } = await answered(exchange, { points: [1, 2], spent: 5 });
  expect(usage).toEqual({ inputTokens: 5 });
  expect(json).toMatchObject({
    model: "mine",
    data: [{ embedding: [1] }, { embedding: [2] }],
    usage: { prompt_tokens: 5 },
  });
});

test("a wire of rerankers", async () => {
  const client = rankingWires["jina-rerank"];
  const read = client.client.read({ model: "mine", query: "q", documents: ["a", "b"] });
  const wire = register(rankingWires, ranker);
  const { vendor } = vendorWire(rankingWires, wire);
  const exchange = await kindExchange({ ...read, ...call }, client, wire, vendor, "theirs");
  expect([exchange.wire, exchange.body]).toEqual(["toy", Buffer.from('{"q":"q","of":["a","b"]}')]);
  const { usage, json } = await answered(exchange, { order: [1, 0], spent: 5 });
  expect(usage).toEqual({ inputTokens: 5 });
  expect(json).toMatchObject({ results: [{ index: 1 }, { index: 0 }] });
});

test("a wire of moderation", async () => {
  const client = moderationWires.moderations;
  const read = client.client.read({ input: ["a", "b"] });
  const wire = register(moderationWires, judge);
  const { vendor } = vendorWire<UnstreamedVendor<ModerationRequest, ModerationAnswer>>(moderationWires, wire);
  const exchange = await kindExchange({ ...read, ...call }, client, wire, vendor, "theirs");
  expect([exchange.wire, exchange.body]).toEqual(["toy", Buffer.from('{"n":2}')]);
  const { usage, json } = await answered(exchange, { bad: [true, false], spent: 5 });
  expect(usage).toEqual({ inputTokens: 5 });
  expect(json).toMatchObject({ results: [{ flagged: true }, { flagged: false }] });
});
