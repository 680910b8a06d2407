import { unsupportedFailure } from "../../text/hub/request.ts";
import { invalidFailure } from "@modelgate/formats/json";

/** Samples per second if the client sets none. */
export const defaultRate = 16_000;
const [minRate, maxRate] = [8_000, 48_000];
/** Samples per second that OpenAI's realtime API accepts. */
const openaiSampleRate = 24_000;
export const sampleBytes = 2;

export function parseSampleRate(mimeType: string): number {
  const [type = "", ...params] = mimeType.split(";").map((each) => each.trim().toLowerCase());
  if (type !== "audio/pcm")
    throw unsupportedFailure("mimeType", `${JSON.stringify(mimeType)} is not a supported audio format: use audio/pcm.`);
  const rateText = params.find((param) => param.startsWith("rate="))?.slice("rate=".length);
  const rate = rateText === undefined ? defaultRate : Number(rateText);
  if (!Number.isInteger(rate) || rate < minRate || rate > maxRate)
    throw invalidFailure("mimeType", `The sample rate must be between ${minRate} and ${maxRate}.`);
  return rate;
}

/** Resamples 16-bit samples to 24 kHz by linear interpolation. Chunks may end within a sample. */
export class Resampler {
  #rate = 0;
  /** Last sample of the previous chunk. The position `#at` is relative to it. */
  #last: number | undefined;
  #at = 0;
  /** First byte of a sample that was split between chunks. */
  #odd: Buffer = Buffer.alloc(0);

  /** Resamples a chunk in Base64. */
  resample(data: string, rate: number): string {
    const bytes = Buffer.concat([this.#odd, Buffer.from(data, "base64")]);
    const completeBytes = bytes.length - (bytes.length % sampleBytes);
    this.#odd = bytes.subarray(completeBytes);
    if (rate === openaiSampleRate) return bytes.toString("base64", 0, completeBytes);
    return this.#resampled(bytes.subarray(0, completeBytes), rate).toString("base64");
  }

  #resampled(bytes: Buffer, rate: number): Buffer {
    if (rate !== this.#rate) this.#last = undefined;
    this.#rate = rate;
    const samples = Array.from({ length: bytes.length / sampleBytes }, (_, index) =>
      bytes.readInt16LE(index * sampleBytes),
    );
    const line = this.#last === undefined ? samples : [this.#last, ...samples];
    if (this.#last === undefined) this.#at = 0;
    const step = rate / openaiSampleRate;
    const resampled: number[] = [];
    for (; this.#at < line.length - 1; this.#at += step) {
      const before = Math.floor(this.#at);
      const [from = 0, to = 0] = [line[before], line[before + 1]];
      resampled.push(Math.round(from + (to - from) * (this.#at - before)));
    }
    this.#last = line.at(-1);
    this.#at -= Math.max(0, line.length - 1);
    const out = Buffer.alloc(resampled.length * sampleBytes);
    for (const [index, sample] of resampled.entries()) out.writeInt16LE(sample, index * sampleBytes);
    return out;
  }
}

/** Returns silence as Base64 samples at OpenAI's rate. */
export function silence(ms: number): string {
  return Buffer.alloc(Math.round((openaiSampleRate * ms) / 1_000) * sampleBytes).toString("base64");
}
