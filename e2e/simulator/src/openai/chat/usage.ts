import type { Answer } from "../../core/answer.ts";

/** The usage object of chat and text completions; undefined where the vendor is to report none. */
export function renderUsage({ counts, usage }: Answer): object | undefined {
  if (usage === null) return undefined;
  if (usage !== undefined) return usage;
  const { inputTokens, cachedTokens, cacheWriteTokens, outputTokens, reasoningTokens } = counts;
  return {
    prompt_tokens: inputTokens,
    completion_tokens: outputTokens,
    total_tokens: inputTokens + outputTokens,
    prompt_tokens_details: {
      cached_tokens: cachedTokens,
      audio_tokens: 0,
      ...(cacheWriteTokens > 0 && { cache_write_tokens: cacheWriteTokens }),
    },
    completion_tokens_details: {
      reasoning_tokens: reasoningTokens,
      audio_tokens: 0,
      accepted_prediction_tokens: 0,
      rejected_prediction_tokens: 0,
    },
  };
}
