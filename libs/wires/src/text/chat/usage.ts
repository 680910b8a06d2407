import { inputTotal, outputTotal, type Units } from "@modelgate/contracts";
import { isRecord } from "../../json/fields.ts";
import { cacheWritesIn, countOf, unitsOf } from "../hub/counts.ts";
import type { JsonObject } from "../hub/request.ts";

/**
 * A chat `usage` object as disjoint units (see Units); undefined for anything else. Knows the spellings of other
 * vendors of this wire: DeepSeek's prompt_cache_hit_tokens, Moonshot's cached_tokens on top, and reasoning that
 * stands beside the completion instead of in it (xAI), which the total betrays. Counts that contradict each other
 * are clamped: never negative, and the sums stay the vendor's.
 */
export function chatUsage(usage: unknown): Units | undefined {
  if (!isRecord(usage)) return undefined;
  const prompt = countOf(usage["prompt_tokens"]);
  const completion = countOf(usage["completion_tokens"]);
  if (prompt === undefined && completion === undefined) return undefined;
  return unitsOf({ ...inputOf(usage, prompt ?? 0), ...outputOf(usage, prompt ?? 0, completion ?? 0) });
}

function inputOf(usage: JsonObject, prompt: number): Units {
  const input = details(usage["prompt_tokens_details"]);
  const cached =
    input("cached_tokens") ?? countOf(usage["prompt_cache_hit_tokens"]) ?? countOf(usage["cached_tokens"]) ?? 0;
  const cachedInputTokens = Math.min(cached, prompt);
  const cacheWriteTokens = Math.min(input("cache_write_tokens") ?? 0, prompt - cachedInputTokens);
  const uncached = prompt - cachedInputTokens - cacheWriteTokens;
  const inputAudioTokens = Math.min(input("audio_tokens") ?? 0, uncached);
  return { inputTokens: uncached - inputAudioTokens, cachedInputTokens, cacheWriteTokens, inputAudioTokens };
}

function outputOf(usage: JsonObject, prompt: number, completion: number): Units {
  const said = details(usage["completion_tokens_details"]);
  const reasoning = said("reasoning_tokens") ?? 0;
  const beside = reasoning > 0 && countOf(usage["total_tokens"]) === prompt + completion + reasoning;
  const output = beside ? completion + reasoning : completion;
  const outputAudioTokens = Math.min(said("audio_tokens") ?? 0, output);
  return {
    outputTokens: output - outputAudioTokens,
    reasoningTokens: Math.min(reasoning, output - outputAudioTokens),
    outputAudioTokens,
  };
}

function details(value: unknown): (name: string) => number | undefined {
  return (name) => (isRecord(value) ? countOf(value[name]) : undefined);
}

/** Units as `usage`: the totals hold everything, the details say what of it is dearer or cheaper. */
export function renderUsage(units: Units): JsonObject {
  const [input, output] = [inputTotal(units), outputTotal(units)];
  const written = cacheWritesIn(units);
  return {
    prompt_tokens: input,
    completion_tokens: output,
    total_tokens: input + output,
    prompt_tokens_details: {
      cached_tokens: units.cachedInputTokens ?? 0,
      audio_tokens: units.inputAudioTokens ?? 0,
      ...(written === undefined ? {} : { cache_write_tokens: written }),
    },
    completion_tokens_details: {
      reasoning_tokens: units.reasoningTokens ?? 0,
      audio_tokens: units.outputAudioTokens ?? 0,
      accepted_prediction_tokens: 0,
      rejected_prediction_tokens: 0,
    },
  };
}
