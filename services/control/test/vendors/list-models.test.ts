import { expect, test } from "vitest";
import { modelsIn } from "../../src/vendors/list-models.ts";

test.each([
  [{ data: [{ id: "gpt-x" }, { id: "text-embedding-3" }] }, ["gpt-x chat", "text-embedding-3 embedding"]],
  [
    { models: [{ name: "models/gemini-x" }, { name: "models/e", supportedGenerationMethods: ["embedContent"] }] },
    ["e embedding", "gemini-x chat"],
  ],
  [
    [{ id: "whisper-1" }, { id: "tts-1" }, { id: "gpt-image-1" }],
    ["gpt-image-1 image", "tts-1 speech", "whisper-1 transcription"],
  ],
  [{ data: "none" }, []],
  [null, []],
  [{ data: [null, {}, { id: "" }, { id: 7 }, { id: "a" }, { id: "a" }] }, ["a chat"]],
])("a vendor's list %j", (list, expected) => {
  expect(modelsIn(list).map(({ id, kind }) => `${id} ${kind}`)).toEqual(expected);
});

test("an aggregator's prices by the token are dollars per million", () => {
  const pricing = { prompt: "0.0000025", completion: "0.00001", input_cache_read: "0" };
  expect(modelsIn({ data: [{ id: "m", pricing, context_length: 128_000 }] })).toEqual([
    { id: "m", kind: "chat", price: { input: 2.5, output: 10 }, contextTokens: 128_000 },
  ]);
});
