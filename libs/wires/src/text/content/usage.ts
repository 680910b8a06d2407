import type { Units } from "@modelgate/contracts";
import { isRecord } from "../../json/fields.ts";
import { present } from "../../json/present.ts";
import { countOf, inputTotal, unitsOf } from "../hub/counts.ts";
import type { JsonObject } from "../hub/request.ts";

/**
 * `usageMetadata` as disjoint units; undefined where it tells no tokens. Thoughts are beside the candidates here and
 * in the output elsewhere; what tools put into the prompt is input.
 */
export function contentUsage(usage: unknown): Units | undefined {
  if (!isRecord(usage)) return undefined;
  const prompt = countOf(usage["promptTokenCount"]);
  const candidates = countOf(usage["candidatesTokenCount"]);
  const thoughts = countOf(usage["thoughtsTokenCount"]) ?? 0;
  if (prompt === undefined && candidates === undefined && thoughts === 0) return undefined;
  const input = (prompt ?? 0) + (countOf(usage["toolUsePromptTokenCount"]) ?? 0);
  const cachedInputTokens = countOf(usage["cachedContentTokenCount"]) ?? 0;
  const cachedAudio = audioIn(usage["cacheTokensDetails"]);
  const inputAudioTokens = Math.max(0, audioIn(usage["promptTokensDetails"]) - cachedAudio);
  const outputAudioTokens = audioIn(usage["candidatesTokensDetails"]);
  return unitsOf({
    inputTokens: Math.max(0, input - cachedInputTokens - inputAudioTokens),
    cachedInputTokens,
    outputTokens: Math.max(0, (candidates ?? 0) - outputAudioTokens) + thoughts,
    reasoningTokens: thoughts,
    inputAudioTokens,
    outputAudioTokens,
  });
}

function audioIn(details: unknown): number {
  if (!Array.isArray(details)) return 0;
  return details
    .filter(isRecord)
    .filter(({ modality }) => modality === "AUDIO")
    .reduce((sum, { tokenCount }) => sum + (countOf(tokenCount) ?? 0), 0);
}

/** Units as `usageMetadata`; tokens written to a cache are in the prompt's, as this wire has no name for them. */
export function renderUsage(units: Units): JsonObject {
  const thoughts = Math.min(units.reasoningTokens ?? 0, units.outputTokens ?? 0);
  const [audioIn, audioOut] = [units.inputAudioTokens ?? 0, units.outputAudioTokens ?? 0];
  const prompt = inputTotal(units);
  const candidates = (units.outputTokens ?? 0) - thoughts + audioOut;
  return present({
    promptTokenCount: prompt,
    cachedContentTokenCount: units.cachedInputTokens,
    candidatesTokenCount: candidates,
    thoughtsTokenCount: thoughts > 0 ? thoughts : undefined,
    totalTokenCount: prompt + candidates + thoughts,
    promptTokensDetails: details(prompt, audioIn),
    candidatesTokensDetails: audioOut > 0 ? details(candidates, audioOut) : undefined,
  });
}

function details(all: number, audio: number): readonly JsonObject[] {
  const text = { modality: "TEXT", tokenCount: all - audio };
  return audio > 0 ? [text, { modality: "AUDIO", tokenCount: audio }] : [text];
}
