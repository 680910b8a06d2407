import { expect, test } from "vitest";
import type { TextCost } from "../../src/money/measure.ts";
import { Meter, meterStream, meterWhole } from "../../src/money/meter.ts";

const cost: TextCost = {
  by: "text",
  body: Buffer.from("four words of text"),
  stream: true,
  size: { textBytes: 18, mediaTokens: 0, maxOutputTokens: undefined, choices: 1 },
};

test.each([
  ["a whole stream is charged what its vendor reported", "completed", 3, false],
  ["one that broke after a report of its beginning is charged what came", "cancelled", 90, true],
] as const)("%s", async (_, ended, outputTokens, estimated) => {
  const meter = new Meter();
  meter.report({ inputTokens: 7, outputTokens: 3 });
  meter.add("word ".repeat(89));
  const { units, ...rest } = await meterStream(cost, meter, ended);
  expect({ units, ...rest }).toEqual({ units: { requests: 1, inputTokens: 7, outputTokens }, estimated });
});

test("one that broke after its last report is charged that", async () => {
  const meter = new Meter();
  meter.add("word ".repeat(89));
  meter.report({ inputTokens: 7, outputTokens: 3 });
  expect(await meterStream(cost, meter, "failed")).toEqual({
    units: { requests: 1, inputTokens: 7, outputTokens: 3 },
    estimated: false,
  });
});

test("images that were counted are used, whether the vendor reports usage or not", async () => {
  const meter = new Meter();
  meter.addImages(1);
  expect([meter.any, meter.usage]).toEqual([true, { images: 1 }]);
  meter.report({ outputTokens: 3 });
  meter.addImages(1);
  expect(meter.usage).toEqual({ outputTokens: 3, images: 2 });
});

test.each([
  [undefined, { inputTokens: 1, outputTokens: 0 }, true],
  [1_000, { inputTokens: 251, outputTokens: 0 }, true],
  [{ inputTokens: 9 }, { inputTokens: 9 }, false],
] as const)(
  "an answer in one piece is charged what was reported, else what its vendor was sent: %j",
  async (sent, units, estimated) => {
    const text: TextCost = { ...cost, size: { ...cost.size, textBytes: 1, addedBytes: 1_000 } };
    const answer = typeof sent === "object" ? { usage: sent } : { addedBytes: sent };
    const metered = await meterWhole(text, { ...answer, text: () => "" });
    expect(metered).toEqual({ units: { requests: 1, ...units }, estimated });
  },
);
