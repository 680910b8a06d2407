import { expect, test } from "vitest";
import { upstreamWires } from "@modelgate/contracts";
import { wires, type VectorsVendor } from "@modelgate/wires/vectors";
import { vectorsExchange } from "../../src/exchanges/vectors.ts";

/** A wire of vectors that no client speaks, whose vendor takes two texts at once. */
const toy = {
  name: "toy",
  vendor: {
    maxInputs: () => 2,
    render: ({ inputs }, { model }) => ({ body: { who: model, n: inputs.length }, dropped: [] }),
    parse: ({ points, spent }) => ({
      model: "",
      usage: { inputTokens: Number(spent) },
      vectors: Array.isArray(points) ? points.map((each: unknown) => ({ floats: [Number(each)] })) : [],
    }),
    usage: ({ spent }) => ({ inputTokens: Number(spent) }),
  } satisfies VectorsVendor,
};

test("a wire of vectors is served once it is in the registry", async () => {
  // The lists are read-only to the type checker alone.
  Object.assign(wires, { toy });
  Object.assign(upstreamWires, { [upstreamWires.length]: "toy" });
  const wire = upstreamWires.at(-1);
  if (wire === undefined) throw new Error("no wires");
  const client = wires.embeddings;
  const call = {
    ...client.client.read({ model: "mine", input: ["a", "b"] }, {}),
    model: "mine",
    strict: false,
    answerId: "1",
    inputTokens: 1,
    bodyBytes: 10,
  };
  const exchange = await vectorsExchange(call, client, wire, "theirs");
  expect([exchange.wire, exchange.body]).toEqual(["toy", Buffer.from('{"who":"theirs","n":2}')]);
  const reader = exchange.read({ headers: {} });
  if (reader.kind !== "whole") throw new Error("an answer in one piece was expected");
  const { body, usage } = await reader.read(Buffer.from('{"points":[1,2],"spent":5}'));
  expect(usage).toEqual({ inputTokens: 5 });
  expect(JSON.parse(String(body))).toMatchObject({
    model: "mine",
    data: [{ embedding: [1] }, { embedding: [2] }],
    usage: { prompt_tokens: 5 },
  });
});
