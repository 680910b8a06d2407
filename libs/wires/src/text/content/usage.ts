import { inputTotal, outputTotal, type Units, present } from "@modelgate/contracts";
import { isRecord } from "../../json/fields.ts";
import { countOf, unitsOf } from "../hub/counts.ts";
import type { JsonObject } from "../hub/request.ts";

/**
 * `usageMetadata` as disjoint units; undefined where it has no tokens. Thoughts are beside the candidates here and
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
  const [read, cached, made] = [
    usage["promptTokensDetails"],
    usage["cacheTokensDetails"],
    usage["candidatesTokensDetails"],
  ];
  const inputAudioTokens = Math.max(0, countIn(read, "AUDIO") - countIn(cached, "AUDIO"));
  const inputImageTokens = Math.max(0, countIn(read, "IMAGE") - countIn(cached, "IMAGE"));
  const [outputAudioTokens, outputImageTokens] = [countIn(made, "AUDIO"), countIn(made, "IMAGE")];
  return unitsOf({
    inputTokens: Math.max(0, input - cachedInputTokens - inputAudioTokens - inputImageTokens),
    cachedInputTokens,
    outputTokens: Math.max(0, (candidates ?? 0) - outputAudioTokens - outputImageTokens) + thoughts,
    reasoningTokens: thoughts,
    inputAudioTokens,
    outputAudioTokens,
    inputImageTokens,
    outputImageTokens,
  });
}

function countIn(details: unknown, wanted: "AUDIO" | "IMAGE"): number {
  if (!Array.isArray(details)) return 0;
  return details
    .filter(isRecord)
    .filter(({ modality }) => modality === wanted)
    .reduce((sum, { tokenCount }) => sum + (countOf(tokenCount) ?? 0), 0);
}

/** Units as `usageMetadata`; tokens written to a cache are in the prompt's, as this wire has no name for them. */
export function renderUsage(units: Units): JsonObject {
  const thoughts = Math.min(units.reasoningTokens ?? 0, units.outputTokens ?? 0);
  const { inputAudioTokens, inputImageTokens, outputAudioTokens = 0, outputImageTokens = 0 } = units;
  const prompt = inputTotal(units);
  const candidates = outputTotal(units) - thoughts;
  return present({
    promptTokenCount: prompt,
    cachedContentTokenCount: units.cachedInputTokens,
    candidatesTokenCount: candidates,
    thoughtsTokenCount: thoughts > 0 ? thoughts : undefined,
    totalTokenCount: prompt + candidates + thoughts,
    promptTokensDetails: details(prompt, inputAudioTokens, inputImageTokens),
    candidatesTokensDetails:
      outputAudioTokens + outputImageTokens > 0 ? details(candidates, outputAudioTokens, outputImageTokens) : undefined,
  });
}

function details(all: number, audio = 0, image = 0): readonly JsonObject[] {
  return [
    { modality: "TEXT", tokenCount: all - audio - image },
    ...(audio > 0 ? [{ modality: "AUDIO", tokenCount: audio }] : []),
    ...(image > 0 ? [{ modality: "IMAGE", tokenCount: image }] : []),
  ];
}
