import type { Units } from "@modelgate/contracts";

/**
 * A chat `usage` object as disjoint units (see Units); undefined where it is none. Knows the spellings of other
 * vendors of this wire: DeepSeek's prompt_cache_hit_tokens, Moonshot's cached_tokens on top. Counts that contradict
 * each other are clamped, never negative.
 */
export function chatUsage(usage: unknown): Units | undefined {
  if (!isObject(usage)) return undefined;
  const prompt = count(usage["prompt_tokens"]);
  const completion = count(usage["completion_tokens"]);
  if (prompt === undefined && completion === undefined) return undefined;
  const input = details(usage["prompt_tokens_details"]);
  const output = details(usage["completion_tokens_details"]);
  const cached =
    input("cached_tokens") ?? count(usage["prompt_cache_hit_tokens"]) ?? count(usage["cached_tokens"]) ?? 0;
  const cacheWrite = input("cache_write_tokens") ?? 0;
  const inputAudio = input("audio_tokens") ?? 0;
  const outputAudio = output("audio_tokens") ?? 0;
  const reasoning = output("reasoning_tokens") ?? 0;
  return withoutZeros({
    inputTokens: Math.max(0, (prompt ?? 0) - cached - cacheWrite - inputAudio),
    cachedInputTokens: cached,
    cacheWriteTokens: cacheWrite,
    outputTokens: Math.max(0, (completion ?? 0) - outputAudio),
    reasoningTokens: reasoning,
    inputAudioTokens: inputAudio,
    outputAudioTokens: outputAudio,
  });
}

function details(value: unknown): (name: string) => number | undefined {
  return (name) => (isObject(value) ? count(value[name]) : undefined);
}

function count(value: unknown): number | undefined {
  return typeof value === "number" && Number.isFinite(value) && value >= 0 ? Math.round(value) : undefined;
}

function withoutZeros(units: Required<Pick<Units, "inputTokens" | "outputTokens">> & Units): Units {
  return Object.fromEntries(
    Object.entries(units).filter(([name, amount]) => amount > 0 || name === "inputTokens" || name === "outputTokens"),
  );
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
