import type { Price } from "@modelgate/contracts";
import { idsOf } from "@modelgate/platform";
import { estimateTokens, type Call, type Measure, type Metered } from "@modelgate/relay";
import type { AudioLength } from "../upload/audio-length.ts";

const audioTokensPerSecond = { usual: 10, max: 25 } as const;
/** Maximum output tokens: `base`, plus `perSecond` for each second of audio. */
const outputTokenBounds = { perSecond: 12, base: 64 } as const;
/**
 * Maximum difference between the length that the vendor reports and the file's length: seconds, plus a share of the
 * file's length.
 */
const lengthTolerance = { seconds: 1, share: 0.02 } as const;

/** Values from which a transcript is measured. */
export interface TranscriptSize {
  /** Bytes of the form's text fields. */
  readonly promptBytes: number;
  /** Maximum length of the file, in seconds. */
  readonly maxSeconds: number;
  /** Returns the length of the file once it is complete. */
  readonly length: () => Promise<AudioLength>;
}

/** Returns true if a model is priced by tokens: only if it has no price per second. */
function isByTokens(price: Price): boolean {
  if (price.has("seconds")) return false;
  return price.has("inputTokens") || price.has("inputAudioTokens") || price.has("outputTokens");
}

/** Usage of a stream that the vendor interrupted. */
const freeUsage: Metered = { units: {}, estimated: false };

/** Measures a transcript by the seconds of its audio, or by the tokens that its vendor reports. */
export function transcriptMeasure(
  size: TranscriptSize,
  price: Price,
  call: Pick<Call, "log" | "requestId" | "span">,
): Measure {
  return isByTokens(price) ? byTokens(size) : bySeconds(size, call);
}

/**
 * Charges the length of the file. If it is unknown, or the vendor's length is clearly different, the vendor's length is
 * charged: a file header can be wrong.
 */
function bySeconds({ maxSeconds, length }: TranscriptSize, call: Pick<Call, "log" | "requestId" | "span">): Measure {
  return {
    upper: { seconds: maxSeconds },
    floor: {},
    async meter(reported, _words, callStatus) {
      if (callStatus === "failed") return freeUsage;
      const { seconds: measuredSeconds, isMeasured } = await length();
      const reportedSeconds = reported?.seconds;
      if (reportedSeconds === undefined) return { units: { seconds: measuredSeconds }, estimated: !isMeasured };
      const isFar =
        Math.abs(reportedSeconds - measuredSeconds) > lengthTolerance.seconds + measuredSeconds * lengthTolerance.share;
      if (isMeasured && isFar)
        call.log.warn(
          { ...idsOf(call), own: measuredSeconds, reportedSeconds },
          "a vendor reported a length that differs from the file's",
        );
      return { units: { seconds: isMeasured && !isFar ? measuredSeconds : reportedSeconds }, estimated: false };
    },
  };
}

function byTokens({ promptBytes, maxSeconds, length }: TranscriptSize): Measure {
  const inputTokens = estimateTokens(promptBytes);
  return {
    upper: {
      inputTokens: promptBytes,
      inputAudioTokens: Math.ceil(maxSeconds * audioTokensPerSecond.max),
      outputTokens: Math.ceil(maxSeconds * outputTokenBounds.perSecond) + outputTokenBounds.base,
    },
    floor: { inputTokens },
    async meter(reported, countText, callStatus) {
      if (callStatus === "failed") return freeUsage;
      if (reported?.inputAudioTokens !== undefined || reported?.outputTokens !== undefined)
        return { units: reported, estimated: false };
      const { seconds } = await length();
      const inputAudioTokens = Math.ceil((reported?.seconds ?? seconds) * audioTokensPerSecond.usual);
      return { units: { inputTokens, inputAudioTokens, outputTokens: await countText() }, estimated: true };
    },
  };
}

/** Minimum bytes per second of common codecs. */
const minBytesPerSecond = 1_000;
/** Limit of the duration that a vendor reports, relative to the duration in the file's header. */
const reportedLengthLimit = { times: 20, seconds: 60 } as const;

/** Returns the maximum seconds that are charged for a file, whatever its vendor reports. */
export function maxBilledSeconds({
  maxSeconds,
  bytes,
}: {
  readonly maxSeconds: number;
  readonly bytes: number;
}): number {
  const byHead = maxSeconds * reportedLengthLimit.times + reportedLengthLimit.seconds;
  // A second is added, because vendors round up.
  return Math.max(Math.min(bytes / minBytesPerSecond, byHead), maxSeconds) + 1;
}
