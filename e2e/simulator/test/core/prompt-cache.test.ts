import { expect, test } from "vitest";
import { readPromptCache, type PromptPiece } from "../../src/core/prompt-cache.ts";

const piece = (text: string, isCut: boolean, role = "user"): PromptPiece => ({ text, isCut, role });
/** Returns a text of 1,000 tokens that begins with `name`. */
const long = (name: string): string => name.repeat(4_000).slice(0, 4_000);

test("a prompt is read up to the longest beginning that was cached", () => {
  const scope = ["the longest"];
  const first = [piece(long("a"), false), piece(long("b"), true), piece("?", false)];
  expect(readPromptCache({ scope, pieces: first })).toEqual({ cachedTokens: 0, cacheWriteTokens: 2_000 });
  expect(readPromptCache({ scope, pieces: first })).toEqual({ cachedTokens: 2_000, cacheWriteTokens: 0 });
  const next = [...first, piece(long("c"), true)];
  expect(readPromptCache({ scope, pieces: next })).toEqual({ cachedTokens: 2_000, cacheWriteTokens: 1_001 });
  expect(readPromptCache({ scope, pieces: next })).toEqual({ cachedTokens: 3_001, cacheWriteTokens: 0 });
});

test.each([
  ["another scope", ["differs"], [piece(long("a"), true), piece(long("b"), true)]],
  ["another beginning", ["same"], [piece(long("b"), true), piece(long("b"), true)]],
  ["another role", ["same"], [piece(long("a"), true, "system"), piece(long("b"), true)]],
])("%s finds nothing", (_, scope, pieces) => {
  readPromptCache({ scope: ["same"], pieces: [piece(long("a"), true), piece(long("b"), true)] });
  expect(readPromptCache({ scope, pieces }).cachedTokens).toBe(0);
});

test("a prompt below 1,024 tokens is not cached, and marks are not part of a scope", () => {
  const short = { scope: ["short"], pieces: [piece(long("a"), true)] };
  for (const _ of [1, 2]) expect(readPromptCache(short)).toEqual({ cachedTokens: 0, cacheWriteTokens: 0 });
  const pieces = [piece(long("a"), false), piece(long("b"), true)];
  readPromptCache({ scope: [{ name: "f", cache_control: { type: "ephemeral" } }], pieces });
  expect(readPromptCache({ scope: [{ name: "f" }], pieces }).cachedTokens).toBe(2_000);
});
