import { describe, expect, test } from "vitest";
import { modelKinds } from "@modelgate/contracts";
import { modelLists } from "../src/model-lists.ts";

const model = { name: "m", ownedBy: "us", contextTokens: 1_000, maxOutputTokens: 100 };

describe.each(modelKinds)("a model of kind %s", (kind) => {
  test("a model has its kind in OpenAI's list, and its methods in Gemini's list", () => {
    expect(modelLists.common.one({ ...model, kind })).toMatchObject({
      id: "m",
      kind,
      context_length: 1_000,
      top_provider: { context_length: 1_000, max_completion_tokens: 100 },
    });
    const methods: Readonly<Record<string, readonly string[]>> = {
      chat: ["generateContent", "streamGenerateContent", "countTokens"],
      embedding: ["embedContent", "batchEmbedContents"],
      image: ["generateContent"],
    };
    expect(modelLists.gamma.one({ ...model, kind })).toMatchObject({ supportedGenerationMethods: methods[kind] ?? [] });
  });
});

test("unknown properties of a model are omitted", () => {
  const { common } = modelLists;
  expect(common.one({ name: "m", ownedBy: "us", kind: "chat" })).not.toHaveProperty("top_provider");
});
