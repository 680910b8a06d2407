import { isRecord, type JsonRecord } from "../../json/fields.ts";

/** The usage of a `response.done` as a live vendor reports it; undefined without any. */
export function usageMetadataOf(usage: unknown): JsonRecord | undefined {
  if (!isRecord(usage)) return undefined;
  const input = recordOf(usage["input_token_details"]);
  const output = recordOf(usage["output_token_details"]);
  const cached = recordOf(input["cached_tokens_details"]);
  const [prompt, response] = [count(usage["input_tokens"]), count(usage["output_tokens"])];
  const [audioIn, imageIn, audioOut] = [
    count(input["audio_tokens"]),
    count(input["image_tokens"]),
    count(output["audio_tokens"]),
  ];
  const [cachedAudio, cachedImage] = [count(cached["audio_tokens"]), count(cached["image_tokens"])];
  const allCached = count(input["cached_tokens"]);
  return {
    promptTokenCount: prompt,
    promptTokensDetails: details({ TEXT: prompt - audioIn - imageIn, AUDIO: audioIn, IMAGE: imageIn }),
    ...(allCached > 0
      ? {
          cachedContentTokenCount: allCached,
          cacheTokensDetails: details({
            TEXT: allCached - cachedAudio - cachedImage,
            AUDIO: cachedAudio,
            IMAGE: cachedImage,
          }),
        }
      : {}),
    responseTokenCount: response,
    responseTokensDetails: details({ TEXT: response - audioOut, AUDIO: audioOut }),
    totalTokenCount: prompt + response,
  };
}

function details(tokens: Readonly<Record<string, number>>): readonly JsonRecord[] {
  return Object.entries(tokens).flatMap(([modality, tokenCount]) => (tokenCount > 0 ? [{ modality, tokenCount }] : []));
}

function recordOf(value: unknown): JsonRecord {
  return isRecord(value) ? value : {};
}

function count(value: unknown): number {
  return typeof value === "number" && value > 0 ? Math.floor(value) : 0;
}
