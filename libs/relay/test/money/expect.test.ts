import fc from "fast-check";
import { expect, test } from "vitest";
import { compilePrice, costOf } from "@modelgate/contracts";
import { estimateTokens, expectText, maxTextCost, maxHeldOutput } from "../../src/money/expect.ts";
import { countTokens } from "../../src/money/tokenizer.ts";

const price = fc.record({
  input: fc.nat({ max: 100 }),
  cachedInput: fc.nat({ max: 100 }),
  cacheWrite: fc.nat({ max: 100 }),
  inputAudio: fc.nat({ max: 100 }),
  outputAudio: fc.nat({ max: 100 }),
  output: fc.nat({ max: 100 }),
  request: fc.constantFrom(0, 0.001),
});
const size = fc.record({
  textBytes: fc.nat({ max: 4_000_000 }),
  mediaTokens: fc.nat({ max: 10_000 }),
  maxOutputTokens: fc.option(fc.nat({ max: 100_000 }), { nil: undefined }),
  choices: fc.integer({ min: 1, max: 8 }),
});

test("a hold covers every usage within its limits, and its floor", () => {
  const shares = (count: number) => fc.array(fc.nat({ max: 100 }), { minLength: count, maxLength: count });
  fc.assert(
    fc.property(price, size, shares(5), shares(3), (written, request, [none = 0, ...into], [less = 0, ...outOf]) => {
      const compiled = compilePrice(written);
      const model = { name: "m", kind: "chat" as const, ownedBy: "o", price: compiled };
      const maxOutput = request.maxOutputTokens ?? 1_000 * request.choices;
      const { upperNanos, floorNanos } = expectText(request, model, 1.5, maxOutput);
      const [inputTokens = 0, cachedInputTokens = 0, cacheWriteTokens = 0, inputAudioTokens = 0] = partsOf(
        request.textBytes + request.mediaTokens,
        into,
        none,
      );
      const [outputTokens = 0, outputAudioTokens = 0] = partsOf(maxOutput, outOf, less);
      const input = { inputTokens, cachedInputTokens, cacheWriteTokens, inputAudioTokens };
      const cost = costOf({ ...input, outputTokens, outputAudioTokens, requests: 1 }, compiled, 1.5);
      expect(cost <= upperNanos).toBe(true);
      expect(floorNanos <= upperNanos).toBe(true);
    }),
    { numRuns: 500 },
  );
});

test("additional text that a vendor may be sent is in the hold, but not in its floor", () => {
  const model = { name: "m", kind: "moderation" as const, ownedBy: "o", price: compilePrice({ input: 1 }) };
  const size = { textBytes: 1, addedBytes: 999, mediaTokens: 0, maxOutputTokens: undefined, choices: 1 };
  expect(maxTextCost(size, model, 1, 0)).toBe(1_000_000n);
  expect(expectText(size, model, 1, 0)).toMatchObject({ floorNanos: 1_000n, floorUnits: { inputTokens: 1 } });
});

/** Divides an amount into integer parts in proportion to shares. `unused` is the share outside all parts. */
function partsOf(amount: number, shares: readonly number[], unused: number): readonly number[] {
  const all = shares.reduce((sum, share) => sum + share, unused) || 1;
  return shares.map((share) => Math.floor((amount * share) / all));
}

test.each([
  [undefined, undefined, 1, 16_384],
  [undefined, undefined, 3, 49_152],
  [undefined, 100_000, 1, 100_000],
  [undefined, 4_000, 3, 12_000],
  [500, 4_000, 3, 500],
  [50_000, 4_000, 3, 12_000],
  [50_000, undefined, 1, 50_000],
])(
  "with a client's limit of %j, a model's of %j, and %i answers the hold is for %i tokens",
  (client, catalogue, choices, held) => {
    const model = {
      name: "m",
      kind: "chat" as const,
      ownedBy: "o",
      price: compilePrice({}),
      maxOutputTokens: catalogue,
    };
    const requestSize = { textBytes: 4, mediaTokens: 0, maxOutputTokens: client, choices };
    expect(maxHeldOutput(requestSize, model, 16_384)).toBe(held);
    // A client's limit above the model's maximum does not reserve more of the client's tokens per minute.
    expect(expectText(requestSize, model, 1, held).tokens).toBe(client === undefined ? 1 : Math.min(client, held) + 1);
  },
);

test("tokens are counted by a tokenizer, and by length where a text is too long for one", async () => {
  expect(await countTokens("")).toBe(0);
  expect(await countTokens("The quick brown fox jumps over the lazy dog")).toBe(9);
  expect(await countTokens("<|endoftext|>")).toBeGreaterThan(0);
  const long = "word ".repeat(100_000);
  expect(await countTokens(long)).toBe(estimateTokens(long.length));
});

test.each([
  ["prose", "The quick brown fox jumps over the lazy dog. ".repeat(400)],
  ["code", "if (left < right) { left += 1; }\n".repeat(500)],
])("%s has the same count in pieces and complete", async (_, text) => {
  const { countTokens: whole } = await import("gpt-tokenizer");
  const exact = whole(text);
  const counted = await countTokens(text);
  expect(Math.abs(counted - exact) / exact).toBeLessThan(0.02);
});

test.each([
  ["one letter", "a"],
  ["Chinese", "\u6f22"],
  ["spaces", " "],
  ["pairs", "\u{1F600}"],
])("a run of %s without a break is counted without blocking other work", async (_, character) => {
  await countTokens("loaded");
  let turns = 0;
  let other = setImmediate(function count() {
    turns++;
    other = setImmediate(count);
  });
  // The event loop runs between answers of the thread. Ten texts, because a busy machine may deliver two answers at
  // once.
  for (let at = 0; at < 10; at++) expect(await countTokens(character.repeat(50_000 + at))).toBeGreaterThan(0);
  clearImmediate(other);
  expect(turns).toBeGreaterThan(0);
});

test("an absurdly large output limit reserves a number within Redis' range", () => {
  const model = { name: "m", kind: "chat" as const, ownedBy: "o", price: compilePrice({ request: 0.001 }) };
  const requestSize = { textBytes: 10, mediaTokens: 0, maxOutputTokens: 1.28e302, choices: 128 };
  expect(expectText(requestSize, model, 1, 1_000).tokens).toBe(1_000_000_000);
});
