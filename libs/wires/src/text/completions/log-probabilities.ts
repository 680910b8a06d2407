import type { TokenProbability } from "../hub/part.ts";
import type { JsonObject } from "../hub/request.ts";

/**
 * Probabilities of a text's tokens as this wire has them, in parallel lists; null for none. `offset` is where the
 * text's first token stands in its choice.
 */
export function renderProbabilities(all: readonly TokenProbability[], offset: number): JsonObject | null {
  if (all.length === 0) return null;
  let next = offset;
  const offsets = all.map(({ token }) => {
    const at = next;
    next += token.length;
    return at;
  });
  return {
    tokens: all.map(({ token }) => token),
    token_logprobs: all.map(({ logProbability }) => logProbability),
    top_logprobs: all.some(({ alternatives }) => alternatives.length > 0) ? all.map(alternativesOf) : null,
    text_offset: offsets,
  };
}

function alternativesOf({ alternatives }: TokenProbability): JsonObject {
  return Object.fromEntries(alternatives.map(({ token, logProbability }) => [token, logProbability]));
}
