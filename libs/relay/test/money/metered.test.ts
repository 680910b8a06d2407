import { expect, test } from "vitest";
import type { MeasuredCost, TextCost } from "../../src/money/measure.ts";
import { Meter, meterStream, meterCompleteAnswer } from "../../src/money/meter.ts";

const cost: TextCost = {
  by: "text",
  body: Buffer.from("four words of text"),
  stream: true,
  size: { textBytes: 18, mediaTokens: 0, maxOutputTokens: undefined, choices: 1 },
};

test.each([
  ["a complete stream is charged for the reported usage", "completed", 3, false],
  ["a stream that broke after a first report is charged for the received part", "cancelled", 90, true],
] as const)("%s", async (_, callStatus, outputTokens, estimated) => {
  const meter = new Meter();
  meter.report({ inputTokens: 7, outputTokens: 3 });
  meter.addOutput("word ".repeat(89));
  const { units, ...rest } = await meterStream(cost, meter, callStatus);
  expect({ units, ...rest }).toEqual({ units: { requests: 1, inputTokens: 7, outputTokens }, estimated });
});

test("a stream that broke after its last report is charged for that report", async () => {
  const meter = new Meter();
  meter.addOutput("word ".repeat(89));
  meter.report({ inputTokens: 7, outputTokens: 3 });
  expect(await meterStream(cost, meter, "failed")).toEqual({
    units: { requests: 1, inputTokens: 7, outputTokens: 3 },
    estimated: false,
  });
});

test("counted images are charged, whether the vendor reports usage or not", async () => {
  const meter = new Meter();
  meter.addImages(1);
  expect([meter.hasData, meter.usage]).toEqual([true, { images: 1 }]);
  meter.report({ outputTokens: 3 });
  meter.addImages(1);
  expect(meter.usage).toEqual({ outputTokens: 3, images: 2 });
});

test.each([
  [undefined, { inputTokens: 1, outputTokens: 0 }, true],
  [1_000, { inputTokens: 251, outputTokens: 0 }, true],
  [{ inputTokens: 9 }, { inputTokens: 9 }, false],
] as const)(
  "a complete answer is charged for the reported usage, else for the input sent to its vendor: %j",
  async (sent, units, estimated) => {
    const text: TextCost = { ...cost, size: { ...cost.size, textBytes: 1, addedBytes: 1_000 } };
    const answer = typeof sent === "object" ? { usage: sent } : { addedBytes: sent };
    const metered = await meterCompleteAnswer(text, { ...answer, text: () => "" });
    expect(metered).toEqual({ units: { requests: 1, ...units }, estimated });
  },
);

test.each([
  ["an interrupted stream without units is free", "failed", {}, {}],
  ["an interrupted stream with units is charged with the request", "failed", { images: 1 }, { requests: 1, images: 1 }],
  ["a complete stream without units costs the request", "completed", {}, { requests: 1 }],
] as const)("%s", async (_, callStatus, measured, units) => {
  const measure = { upper: {}, floor: {}, meter: () => Promise.resolve({ units: measured, estimated: false }) };
  const meter = new Meter();
  meter.addOutput("word ");
  const measuredCost: MeasuredCost = { by: "measure", measure };
  expect(await meterStream(measuredCost, meter, callStatus)).toEqual({ units, estimated: false });
});
