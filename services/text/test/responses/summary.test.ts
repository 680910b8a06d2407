import { expect, test } from "vitest";
import { wires, type FinishReason } from "@modelgate/wires/text";
import { compactExchange, renderCompactedTurn } from "../../src/responses/compaction/compaction.ts";
import { CompactionWriter } from "../../src/responses/compaction/compaction-writer.ts";
import { summaryIn } from "../../src/responses/compaction/summary.ts";

const request = { model: "m", stream: true, instructions: [], turns: [] };
const context = { model: "m", requestBody: {}, request, answerId: "resp_1", now: 1, inputTokens: 3 };

function streamed(text: string, reason: FinishReason): string {
  const writer = new CompactionWriter(wires.responses.client.stream(context), (summary) => `sealed ${summary}`);
  writer.write({ type: "start", id: "a", model: "m", createdAt: 1 });
  writer.write({ type: "part-start", choice: 0, part: 0, opened: { kind: "text" } });
  writer.write({ type: "part-delta", choice: 0, part: 0, text });
  writer.write({ type: "finish", choice: 0, reason });
  writer.write({ type: "usage", usage: { inputTokens: 3, outputTokens: 4 } });
  return writer.end();
}

function complete(text: string, finish: FinishReason): ReturnType<typeof summaryIn> {
  return summaryIn({ id: "a", model: "m", createdAt: 1, choices: [{ parts: [{ kind: "text", text }], finish }] });
}

test("a complete summary becomes the compaction", () => {
  expect(streamed("Ada lives in Oslo.", "stop")).toContain('"encrypted_content":"sealed Ada lives in Oslo."');
  expect(complete("Ada lives in Oslo.", "stop")).toEqual({ text: "Ada lives in Oslo.", failure: undefined });
});

test.each<readonly [string, string, FinishReason]>([
  ["empty", " \n", "stop"],
  ["cut off", "Ada lives", "length"],
  ["filtered", "Ada lives", "filtered"],
])("a summary that is %s fails, streamed or not", (_, text, finish) => {
  expect(() => streamed(text, finish)).toThrow("no complete summary");
  expect(complete(text, finish)).toMatchObject({ text, failure: { code: "compaction_failed" } });
});

test("a compaction that the gateway ends early has no last bytes, so that the stream fails", async () => {
  const compaction = {
    model: "m",
    stream: true,
    instructions: undefined,
    items: [],
    encrypt: (summary: string) => summary,
    answerId: "resp_1",
    requestBody: {},
    requestBytes: 2,
    render: renderCompactedTurn,
  };
  const exchange = await compactExchange(compaction, wires.chat, "m");
  const reader = exchange.read({ headers: { "content-type": "text/event-stream" } });
  expect("translator" in reader && reader.translator({ mayBeCut: true }).cut?.({})).toBe(undefined);
});
