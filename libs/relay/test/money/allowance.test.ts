import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { Failure } from "@modelgate/contracts";
import { Allowance, outputLimitExceeded } from "../../src/money/allowance.ts";
import { Meter } from "../../src/money/meter.ts";
import { countTokens } from "../../src/money/tokenizer.ts";

/** Opens the allowance of an account that can pay for this many tokens. `output.first` of them are held at first. */
function openOn(tokens: number, output: { first: number; step: number; max: number }) {
  const meter = new Meter();
  let held = output.first;
  let extensions = 0;
  const allowance = new Allowance({
    output,
    meter,
    extend: async (from, to) => {
      extensions++;
      expect(from).toBe(held);
      await Promise.resolve();
      if (to > tokens) throw new Failure("insufficient_quota");
      held = to;
      return true;
    },
  });
  return { allowance, meter, held: () => held, extensionCount: () => extensions };
}

/**
 * Sends frames through an allowance, each with text and other bytes. Returns the number of allowed frames, and the
 * reason that stopped them.
 */
async function play(
  { allowance, meter }: { readonly allowance: Allowance; readonly meter: Meter },
  frames: readonly (readonly [words: string, around: number])[],
  check: () => void,
): Promise<{ readonly passed: number; readonly refused: Awaited<ReturnType<Allowance["extend"]>> }> {
  for (const [passed, [words, around]] of frames.entries()) {
    const bytes = Buffer.byteLength(words);
    while (!allowance.covers(bytes + around) && !allowance.admits(bytes)) {
      const refused = await allowance.extend();
      if (refused !== undefined) return { passed, refused };
    }
    meter.addOutput(words);
    check();
  }
  return { passed: frames.length, refused: undefined };
}

const words = fc.oneof(
  fc.string({ maxLength: 40 }),
  fc.string({ unit: "grapheme", maxLength: 40 }),
  fc.nat({ max: 4_000 }).map((length) => "word ".repeat(length / 5)),
);
const frames = fc.array(fc.tuple(words, fc.nat({ max: 5_000 })), { maxLength: 60 });

test("nothing passes without a hold, and nothing with a refused one", async () => {
  await fc.assert(
    fc.asyncProperty(
      frames,
      fc.nat({ max: 20_000 }),
      fc.integer({ min: 256, max: 2_048 }),
      async (sent, more, step) => {
        const account = openOn(step + more, { first: step, step, max: Infinity });
        const check = (): void => expect(account.meter.maxTokens).toBeLessThanOrEqual(account.held());
        const { passed, refused } = await play(account, sent, check);
        if (refused === undefined) expect(passed).toBe(sent.length);
        // The remaining money covers neither the smallest step nor the next frame.
        else {
          const next = Buffer.byteLength(sent[passed]?.[0] ?? "");
          expect(account.meter.maxTokens + Math.ceil(next / 2)).toBeGreaterThan(account.held());
          expect(step + more - account.held()).toBeLessThan(64);
        }
      },
    ),
    { numRuns: 200 },
  );
});

test("a stream whose account can pay never waits: its hold is extended before it is used up", async () => {
  const { allowance, meter, extensionCount, held } = openOn(1_000_000, { first: 512, step: 512, max: Infinity });
  for (let at = 0; at < 2_000; at++) {
    expect(allowance.covers(60) || allowance.admits(8)).toBe(true);
    meter.addOutput("eight by");
    await Promise.resolve().then(() => undefined);
    await new Promise((resolve) => setImmediate(resolve));
  }
  // At most 8,000 tokens, in steps of 512, 1,024, 2,048 and 4,096.
  expect(extensionCount()).toBe(4);
  expect(held()).toBe(512 * 16);
});

test("text is counted instead of estimated near the end, so that a stream uses all its money", async () => {
  const account = openOn(1_000, { first: 256, step: 256, max: Infinity });
  const story = Array.from({ length: 5_000 }, () => ["story ", 20] as const);
  const { passed } = await play(account, story, () => undefined);
  // Each word is one token, plus a margin of a quarter. Counted by bytes, the stream would end after 333 words.
  expect(passed).toBeGreaterThan(700);
  expect(passed).toBeLessThanOrEqual(1_000);
});

test("when the maximum is held, no further hold is made, and a frame of any size passes", async () => {
  const { allowance, meter, extensionCount } = openOn(1_000_000, { first: 256, step: 256, max: 300 });
  const long = "word ".repeat(300);
  expect(allowance.admits(Buffer.byteLength(long))).toBe(false);
  expect(await allowance.extend()).toBeUndefined();
  meter.addOutput(long);
  expect(extensionCount()).toBe(1);
  const end = "word ".repeat(2);
  expect(allowance.covers(end.length) || allowance.admits(end.length)).toBe(true);
});

describe("a stream with a complete hold", () => {
  const max = 400;
  const wholly = (extraReasoningTokens = 0) => {
    const meter = new Meter();
    const output = { first: max, step: 256, max };
    const extend = () => Promise.reject(new Error("nothing more is to be held"));
    return { meter, allowance: new Allowance({ output, meter, extraReasoningTokens, extend }) };
  };

  test("is never ended within its maximum, for any text and frames", async () => {
    await fc.assert(
      fc.asyncProperty(frames, async (sent) => {
        const account = wholly();
        let tokens = 0;
        const within: (readonly [string, number])[] = [];
        for (const frame of sent) {
          tokens += await countTokens(frame[0]);
          if (tokens <= max) within.push(frame);
        }
        expect(await play(account, within, () => undefined)).toMatchObject({ refused: undefined });
      }),
      { numRuns: 100 },
    );
  });

  test("a stream ends far beyond its limit, but not for reasoning that the limit excludes", async () => {
    const story = Array.from({ length: 20_000 }, () => ["story ", 20] as const);
    const { passed, refused } = await play(wholly(), story, () => undefined);
    expect(refused).toBe(outputLimitExceeded);
    expect(passed).toBeGreaterThan(max);
    expect(passed).toBeLessThan(max * 4);
    const thinking = wholly(100_000);
    thinking.allowance.admits(1, true);
    expect(await play(thinking, story, () => undefined)).toEqual({ passed: 20_000, refused: undefined });
  });
});

test("a hold that was lost with its Redis does not end the stream: the stream is charged at its end", async () => {
  const output = { first: 256, step: 256, max: Infinity };
  const options = { output, meter: new Meter() };
  const gone = new Allowance({ ...options, extend: () => Promise.resolve(false) });
  expect(gone.admits(10_000)).toBe(false);
  expect(await gone.extend()).toBeUndefined();
});
