import { describe, expect, test } from "vitest";
import { compilePrice, type Units, type ConfiguredPrice } from "@modelgate/contracts";
import { createLogger, startSpan } from "@modelgate/platform";
import { transcriptMeasure } from "../../src/transcripts/measure.ts";

const { log } = createLogger("test", "silent");
const call = { log, requestId: "req_1", span: startSpan({ name: "test", kind: "server", parent: undefined }) };
const bySecond = { second: 0.0001 };
const byToken = { input: 2.5, inputAudio: 6, output: 10 };
const measure = (price: ConfiguredPrice, seconds: number, isMeasured = true) =>
  transcriptMeasure(
    { promptBytes: 10, maxSeconds: 60, length: () => Promise.resolve({ seconds, isMeasured }) },
    compilePrice(price),
    call,
  );
const words = () => Promise.resolve(7);
const tokens: Units = { inputTokens: 3, inputAudioTokens: 40, outputTokens: 5 };

describe("by the second", () => {
  test.each<[string, number, boolean, Units | undefined, object]>([
    ["the file's own length", 3.2, true, undefined, { units: { seconds: 3.2 }, estimated: false }],
    ["the file's, if the vendor rounds up", 3.2, true, { seconds: 4 }, { units: { seconds: 3.2 }, estimated: false }],
    [
      "the file's, if the vendor's is similar",
      1_000,
      true,
      { seconds: 1_020 },
      { units: { seconds: 1_000 }, estimated: false },
    ],
    ["the vendor's, if it is much longer", 3.2, true, { seconds: 60 }, { units: { seconds: 60 }, estimated: false }],
    ["the vendor's, if it is much shorter", 3_600, true, { seconds: 2 }, { units: { seconds: 2 }, estimated: false }],
    ["the vendor's, if the file states none", 50, false, { seconds: 8 }, { units: { seconds: 8 }, estimated: false }],
    ["an estimate, if neither is known", 50, false, undefined, { units: { seconds: 50 }, estimated: true }],
    ["seconds, though the vendor reports tokens", 3.2, true, tokens, { units: { seconds: 3.2 }, estimated: false }],
  ])("%s", async (_, seconds, isMeasured, reported, metered) => {
    expect(await measure(bySecond, seconds, isMeasured).meter(reported, words, "completed")).toEqual(metered);
  });

  test("the hold is the upper bound", () => {
    expect(measure(bySecond, 3).upper).toEqual({ seconds: 60 });
  });
});

test.each([
  ["second", bySecond, undefined],
  ["second, though the vendor reported seconds", bySecond, { seconds: 3 }],
  ["token", byToken, undefined],
  ["token, though the vendor reported tokens", byToken, tokens],
])("a stream that the vendor interrupted costs nothing: by the %s", async (_, price, reported) => {
  expect(await measure(price, 3).meter(reported, words, "failed")).toEqual({ units: {}, estimated: false });
});

describe("by tokens", () => {
  test("the vendor's report", async () => {
    expect(await measure(byToken, 3).meter(tokens, words, "completed")).toEqual({ units: tokens, estimated: false });
  });

  test("an estimate of its input and output, if it reports none", async () => {
    const units = { inputTokens: 3, inputAudioTokens: 32, outputTokens: 7 };
    expect(await measure(byToken, 3.2).meter({}, words, "completed")).toEqual({ units, estimated: true });
  });

  test("the hold covers the fastest speaker", () => {
    expect(measure(byToken, 3).upper).toMatchObject({ inputAudioTokens: 1_500, outputTokens: 784 });
  });
});
