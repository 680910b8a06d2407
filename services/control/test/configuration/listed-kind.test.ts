import { expect, test } from "vitest";
import { kindOfListed } from "../../src/configuration/listed-kind.ts";

test.each([
  ["gpt-x", "chat"],
  ["mistral-7b-instruct", "chat"],
  ["gpt-3.5-turbo-instruct", "completion"],
  ["davinci-002", "completion"],
  ["text-embedding-3", "embedding"],
  ["gemini-embedding-001", "embedding"],
  ["whisper-1", "transcription"],
  ["scribe_v1", "transcription"],
  ["tts-1", "speech"],
  ["gpt-image-1", "image"],
  ["veo-3", "video"],
  ["gpt-realtime", "realtime"],
])("a listed model %s has the kind %s", (name, kind) => {
  expect(kindOfListed(name)).toBe(kind);
});

test("models without a wire of the channel are omitted", () => {
  expect(kindOfListed("text-embedding-3", ["messages"])).toBeUndefined();
  expect(kindOfListed("claude-x", ["messages"])).toBe("chat");
});
