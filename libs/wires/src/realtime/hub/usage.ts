import type { CallStatus, Units } from "@modelgate/contracts";
import { isRecord, asRecord } from "@modelgate/formats/json";
import { parseCount } from "../../text/hub/counts.ts";

/**
 * Converts the usage of a `response.done` to disjoint units: text, audio and images that were not cached, and all
 * cached tokens together, since vendors have one price for them. Undefined if no usage is reported. Every response
 * counts its complete context again, so the usages of a session are summed.
 */
export function responseUnits(usage: unknown): Units | undefined {
  if (!isRecord(usage)) return undefined;
  const input = asRecord(usage["input_token_details"]);
  const output = asRecord(usage["output_token_details"]);
  const cached = asRecord(input["cached_tokens_details"]);
  const inputTokens = countOrZero(usage["input_tokens"]);
  const outputTokens = countOrZero(usage["output_tokens"]);
  const audioIn = Math.min(countOrZero(input["audio_tokens"]), inputTokens);
  const audioOut = Math.min(countOrZero(output["audio_tokens"]), outputTokens);
  const allCached = Math.min(countOrZero(input["cached_tokens"]), inputTokens);
  // If a vendor does not report how many cached tokens were audio, as many as possible count as text.
  const audioCached = Math.min(
    "audio_tokens" in cached ? countOrZero(cached["audio_tokens"]) : Math.max(0, allCached - (inputTokens - audioIn)),
    audioIn,
    allCached,
  );
  const imageIn = Math.min(countOrZero(input["image_tokens"]), inputTokens - audioIn);
  const textIn = inputTokens - audioIn - imageIn;
  const otherCached = Math.min(allCached - audioCached, textIn + imageIn);
  const imageCached = Math.max(
    Math.min(countOrZero(cached["image_tokens"]), imageIn, otherCached),
    otherCached - textIn,
  );
  return {
    requests: 1,
    ...unitsUnlessZero("inputTokens", textIn - (otherCached - imageCached)),
    ...unitsUnlessZero("cachedInputTokens", otherCached + audioCached),
    ...unitsUnlessZero("inputAudioTokens", audioIn - audioCached),
    ...unitsUnlessZero("inputImageTokens", imageIn - imageCached),
    ...unitsUnlessZero("outputTokens", outputTokens - audioOut),
    ...unitsUnlessZero("outputAudioTokens", audioOut),
    ...unitsUnlessZero("reasoningTokens", Math.min(countOrZero(output["reasoning_tokens"]), outputTokens - audioOut)),
  };
}

export function transcriptionUnits(usage: unknown): Units | undefined {
  if (!isRecord(usage)) return undefined;
  const { seconds } = usage;
  if (usage["type"] === "duration")
    return { requests: 1, seconds: typeof seconds === "number" && seconds > 0 ? seconds : 0 };
  return responseUnits(usage);
}

export function endOfResponse(status: unknown): CallStatus {
  if (status === "failed") return "failed";
  return status === "cancelled" ? "cancelled" : "completed";
}

/** Bytes of 24 kHz PCM, the default format of both directions, per token of input and per token of output. */
const inputBytesPerToken = 4_800;
const outputBytesPerToken = 2_400;
const textBytesPerToken = 4;

/** Bytes that passed through a session since the last usage report, for responses that end without one. */
export interface SessionBytes {
  readonly audioIn: number;
  readonly textIn: number;
  readonly audioOut: number;
  readonly textOut: number;
}

export function estimateUnits({ audioIn, textIn, audioOut, textOut }: SessionBytes): Units {
  return {
    ...unitsUnlessZero("inputTokens", Math.ceil(textIn / textBytesPerToken)),
    ...unitsUnlessZero("outputTokens", Math.ceil(textOut / textBytesPerToken)),
    ...unitsUnlessZero("inputAudioTokens", Math.ceil(audioIn / inputBytesPerToken)),
    ...unitsUnlessZero("outputAudioTokens", Math.ceil(audioOut / outputBytesPerToken)),
  };
}

function unitsUnlessZero(name: keyof Units, amount: number): Units {
  return amount > 0 ? { [name]: amount } : {};
}

export function countOrZero(value: unknown): number {
  return parseCount(value) ?? 0;
}
