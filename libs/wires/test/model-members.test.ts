import { expect, test } from "vitest";
import type { JsonRecord } from "@modelgate/formats/json";
import { wires as images } from "../src/images/index.ts";
import type { Rendered, Target } from "../src/wire.ts";
import { moderations } from "../src/moderation/moderations/index.ts";
import { wires as rankings } from "../src/ranking/index.ts";
import { speech } from "../src/speech/openai/index.ts";
import { transcriptions } from "../src/transcripts/openai/index.ts";
import { embeddings } from "../src/vectors/embeddings/index.ts";

const target: Target = { model: "cheap" };
const named = { fallbacks: ["dear"], models: ["dear"], route: null };
const ranked = { query: "q", documents: ["a"] };
const jina = rankings["jina-rerank"];
const cohere = rankings["cohere-rerank"];

test.each<[string, JsonRecord, (body: JsonRecord) => Rendered]>([
  ["embeddings", { input: "a" }, (body) => embeddings.vendor.render(embeddings.client.read(body).request, target)],
  ["jina-rerank", ranked, (body) => jina.vendor.render(jina.client.read(body).request, target)],
  ["cohere-rerank", ranked, (body) => cohere.vendor.render(cohere.client.read(body).request, target)],
  ["moderations", { input: "a" }, (body) => moderations.vendor.render(moderations.client.read(body).request, target)],
  [
    "speech",
    { input: "a" },
    (body) => speech.vendor.render(speech.client.read(body).request, { ...target, events: false }),
  ],
  ["images", { prompt: "a" }, (body) => images.images.vendor.render(images.images.client.read(body).request, target)],
])("members of %s that name further models are dropped and named", (_, body, rendered) => {
  const request = rendered({ model: "mine", later: 1, ...named, ...body });
  expect(request.body).toMatchObject({ model: "cheap", later: 1 });
  expect(Object.keys(request.body).filter((name) => name in named)).toEqual([]);
  expect(request.dropped.toSorted()).toEqual(["fallbacks", "models"]);
});

test("fields of a transcription that name further models are dropped and named", () => {
  const entries = [
    ["model", "mine"],
    ["later", "1"],
    ["models[]", "dear"],
    ["fallbacks[0][model]", "dear"],
  ] as const;
  expect(transcriptions.vendor.render(transcriptions.client.read(entries), target)).toMatchObject({
    entries: [
      ["response_format", "json"],
      ["later", "1"],
    ],
    dropped: ["models[]", "fallbacks[0][model]"],
  });
});

test("parameters of Qwen that name further models are dropped", () => {
  const qwen = images["qwen-images"];
  const input = { messages: [{ role: "user", content: [{ text: "a" }] }] };
  const { request } = qwen.client.read({ model: "mine", input, parameters: { later: 1, ...named } });
  expect(qwen.vendor.render(request, target).body["parameters"]).toEqual({ later: 1, n: 1 });
});
