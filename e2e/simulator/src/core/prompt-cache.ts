import { createHash } from "node:crypto";
import { charactersPerToken, tokensOf } from "./tokens.ts";

/** Piece of a prompt, in its order. */
export interface PromptPiece {
  /** Text that counts as input. */
  readonly text: string;
  /** Role of the text; the same text of another role is another prompt. */
  readonly role: string;
  /** True if the vendor caches the prompt up to the end of this piece. */
  readonly isCut: boolean;
}

/** Prompt of a vendor that caches prompts. */
export interface Prompt {
  /** Values that must be equal for a cached prompt to be found, such as the model and the tools. */
  readonly scope: unknown;
  readonly pieces: readonly PromptPiece[];
}

/** Minimum length of a cached prompt in tokens. */
const minTokens = 1_024;

/** Digests of cached prompts, the oldest first, and their maximum number. */
const cached = new Set<string>();
const maxCached = 10_000;

/** Tokens of a prompt that were read from the cache, and those that were written to it. */
export interface CacheCounts {
  readonly cachedTokens: number;
  readonly cacheWriteTokens: number;
}

/** Looks for the longest cached beginning of a prompt, and caches the prompt up to its cuts. */
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
  const cachedTokens = long.findLast(({ digest }) => cached.has(digest))?.tokens ?? 0;
  const cuts = long.filter(({ isCut }) => isCut);
  for (const { digest } of cuts) cached.add(digest);
  for (const digest of cached) {
    if (cached.size <= maxCached) break;
    cached.delete(digest);
  }
  return { cachedTokens, cacheWriteTokens: Math.max(0, (cuts.at(-1)?.tokens ?? 0) - cachedTokens) };
}

/** Replacer of JSON that leaves out Anthropic's cache marks, which are not part of a prompt. */
export function withoutMarks(name: string, value: unknown): unknown {
  return name === "cache_control" ? undefined : value;
}
