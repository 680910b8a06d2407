import { createHash } from "node:crypto";
import { charactersPerToken, tokensOf } from "./tokens.ts";

export interface PromptPiece {
  readonly text: string;
  readonly role: string;
  /** True if the prompt up to the end of this piece is to be cached. */
  readonly isCut: boolean;
}

export interface Prompt {
  /** Model, tools and other values that must be equal for a cached prompt to be found. */
  readonly scope: unknown;
  readonly pieces: readonly PromptPiece[];
}

/** Minimum tokens of a prompt that is cached. */
const minTokens = 1_024;

/** Digests of cached prompts, the oldest first. */
const cachedPrompts = new Set<string>();
const maxCached = 10_000;

/** Tokens that were read from the cache and written to it. */
export interface CacheCounts {
  readonly cachedTokens: number;
  readonly cacheWriteTokens: number;
}

/** Finds the longest cached beginning of a prompt, then caches the prompt. */
export function readPromptCache({ scope, pieces }: Prompt): CacheCounts {
  const length = pieces.reduce((sum, { text }) => sum + text.length, 0);
  if (length < minTokens * charactersPerToken) return { cachedTokens: 0, cacheWriteTokens: 0 };
  const hash = createHash("sha256").update(JSON.stringify(scope, withoutMarks));
  let text = "";
  const beginnings = pieces.map((piece) => {
    hash.update(JSON.stringify([piece.role, piece.text]));
    text += piece.text;
    return { digest: hash.copy().digest("base64url"), tokens: tokensOf(text), isCut: piece.isCut };
  });
  const long = beginnings.filter(({ tokens }) => tokens >= minTokens);
  const cachedTokens = long.findLast(({ digest }) => cachedPrompts.has(digest))?.tokens ?? 0;
  const cuts = long.filter(({ isCut }) => isCut);
  for (const { digest } of cuts) cachedPrompts.add(digest);
  for (const digest of cachedPrompts) {
    if (cachedPrompts.size <= maxCached) break;
    cachedPrompts.delete(digest);
  }
  return { cachedTokens, cacheWriteTokens: Math.max(0, (cuts.at(-1)?.tokens ?? 0) - cachedTokens) };
}

/** JSON replacer that omits Anthropic's cache marks. */
export function withoutMarks(name: string, value: unknown): unknown {
  return name === "cache_control" ? undefined : value;
}
