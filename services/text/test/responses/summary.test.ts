import { expect, test } from "vitest";
import { wires, type FinishReason } from "@modelgate/wires/text";
import { CompactionWriter } from "../../src/responses/compaction/compaction-writer.ts";
import { summaryIn } from "../../src/responses/compaction/summary.ts";

const request = { model: "m", stream: true, instructions: [], turns: [] };
const context = { model: "m", requestBody: {}, request, answerId: "resp_1", now: 1, inputTokens: 3 };

function streamed(text: string, reason: FinishReason): string {
  const writer = new CompactionWriter(wires.responses.client.stream(context), (summary) => `sealed ${summary}`);
  writer.write({ type: "start", id: "a", model: "m", createdAt: 1 });
  writer.write({ type: "part-start", choice: 0, part: 0, opened: { kind: "text" } });
  writer.write({ type: "part-delta", choice: 0, part: 0, text });
  return writer.write({ type: "finish", choice: 0, reason });
}

function complete(text: string, finish: FinishReason): string {
  return summaryIn({ id: "a", model: "m", createdAt: 1, choices: [{ parts: [{ kind: "text", text }], finish }] });
}

test("a complete summary becomes the compaction", () => {
  expect(streamed("Ada lives in Oslo.", "stop")).toContain('"encrypted_content":"sealed Ada lives in Oslo."');
  expect(complete("Ada lives in Oslo.", "stop")).toBe("Ada lives in Oslo.");
});

test.each<readonly [string, string, FinishReason]>([
  ["empty", " \n", "stop"],
  ["cut off", "Ada lives", "length"],
  ["filtered", "Ada lives", "filtered"],
])("a summary that is %s fails, streamed or not", (_, text, finish) => {
  expect(() => streamed(text, finish)).toThrow("no complete summary");
  expect(() => complete(text, finish)).toThrow("no complete summary");
});
