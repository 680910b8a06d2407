import { isRecord, type JsonRecord } from "../../json/fields.ts";

/**
 * The vendor's `usageMetadata` as the usage of a `response.done`; null without any. Output is reported as that
 * of the response, or by other servers of this vendor as that of the candidates.
 */
export function responseUsage(metadata: unknown): JsonRecord | null {
  if (!isRecord(metadata)) return null;
  const thoughts = count(metadata["thoughtsTokenCount"]);
  const input = count(metadata["promptTokenCount"]) + count(metadata["toolUsePromptTokenCount"]);
  const output = count(metadata["responseTokenCount"] ?? metadata["candidatesTokenCount"]) + thoughts;
  const read = [metadata["promptTokensDetails"], metadata["toolUsePromptTokensDetails"]];
  const audioIn = read.reduce<number>((sum, details) => sum + tokensOf(details, "AUDIO"), 0);
  const imageIn = read.reduce<number>((sum, details) => sum + tokensOf(details, "IMAGE", "VIDEO"), 0);
  const audioOut = tokensOf(metadata["responseTokensDetails"] ?? metadata["candidatesTokensDetails"], "AUDIO");
  const cachedAudio = tokensOf(metadata["cacheTokensDetails"], "AUDIO");
  const cachedImage = tokensOf(metadata["cacheTokensDetails"], "IMAGE", "VIDEO");
  const cached = count(metadata["cachedContentTokenCount"]);
  return {
    total_tokens: input + output,
    input_tokens: input,
    output_tokens: output,
    input_token_details: {
      text_tokens: Math.max(0, input - audioIn - imageIn),
      audio_tokens: audioIn,
      image_tokens: imageIn,
      cached_tokens: cached,
      cached_tokens_details: {
        text_tokens: Math.max(0, cached - cachedAudio - cachedImage),
        audio_tokens: cachedAudio,
        image_tokens: cachedImage,
      },
    },
    output_token_details: {
      text_tokens: Math.max(0, output - audioOut),
      audio_tokens: audioOut,
      ...(thoughts > 0 ? { reasoning_tokens: thoughts } : {}),
    },
  };
}

/** The tokens of some modalities. */
function tokensOf(details: unknown, ...modalities: readonly string[]): number {
  if (!Array.isArray(details)) return 0;
  return details
    .filter(isRecord)
    .filter(({ modality }) => typeof modality === "string" && modalities.includes(modality))
    .reduce((sum, { tokenCount }) => sum + count(tokenCount), 0);
}

function count(value: unknown): number {
  return typeof value === "number" && value > 0 ? Math.floor(value) : 0;
}
