import { fourCharacters, statedSize, pcmRate, type ByteRate, type ChunkLayout, type SampleChunks } from "./chunks.ts";

/** Registered tags of WAV encodings whose samples have a fixed size or come in blocks of a fixed size. */
const encodingTags = {
  pcm: 1,
  msAdpcm: 2,
  float: 3,
  aLaw: 6,
  muLaw: 7,
  imaAdpcm: 17,
  gsm: 49,
  extensible: 0xff_fe,
} as const;
/** GSM in a WAV file: samples and bytes per block. */
const [gsmSamples, gsmBytes] = [320, 65];

const chunkLayout = (endian: "LE" | "BE"): ChunkLayout => ({
  headBytes: 8,
  align: 2,
  id: fourCharacters,
  size: (head) => statedSize(endian === "LE" ? head.readUInt32LE(4) : head.readUInt32BE(4)),
});

/** Returns the chunks of a WAV file. In 64-bit files (RF64, BW64), the samples extend to the end of the file. */
export function waveChunks(endian: "LE" | "BE"): SampleChunks {
  return {
    layout: chunkLayout(endian),
    firstOffset: 12,
    description: { id: "fmt ", rateOf: (body) => waveRate(body, endian) },
    samples: { id: "data", skipped: 0 },
  };
}

/** Chunks of Sony's Wave64: 16-byte names that begin with those of WAV, and 64-bit sizes that include the header. */
export const wave64Chunks: SampleChunks = {
  layout: {
    headBytes: 24,
    align: 8,
    id: fourCharacters,
    size: (head) => {
      const size = Number(head.readBigInt64LE(16)) - 24;
      return size > 0 ? size : undefined;
    },
  },
  firstOffset: 40,
  description: { id: "fmt ", rateOf: (body) => waveRate(body, "LE") },
  samples: { id: "data", skipped: 0 },
};

/** Computes the byte rate from a `fmt ` chunk. Ignores the byte rate that the chunk states, as other readers do. */
function waveRate(body: Buffer, endian: "LE" | "BE"): ByteRate | undefined {
  if (body.length < 16) return undefined;
  const short = (position: number): number =>
    endian === "LE" ? body.readUInt16LE(position) : body.readUInt16BE(position);
  const rate = endian === "LE" ? body.readUInt32LE(4) : body.readUInt32BE(4);
  if (rate === 0) return undefined;
  const [channels, block, bits] = [short(2), short(12), short(14)];
  const formatCode = short(0);
  const tag = formatCode === encodingTags.extensible && body.length >= 26 ? short(24) : formatCode;
  if (tag === encodingTags.pcm || tag === encodingTags.float) return pcmRate(rate, channels, bits);
  if (tag === encodingTags.aLaw || tag === encodingTags.muLaw) return pcmRate(rate, channels, 8);
  if (tag === encodingTags.gsm) return (rate * gsmBytes) / gsmSamples;
  // Each block starts with its predictors, followed by four bits per sample.
  if (tag === encodingTags.imaAdpcm) return adpcmRate(rate, block, channels, { head: 4, first: 1 });
  if (tag === encodingTags.msAdpcm) return adpcmRate(rate, block, channels, { head: 7, first: 2 });
  return undefined;
}

function adpcmRate(
  rate: number,
  block: number,
  channels: number,
  { head, first }: { readonly head: number; readonly first: number },
): ByteRate | undefined {
  const samples = ((block - head * channels) * 2) / channels + first;
  return Number.isFinite(samples) && samples > 0 && rate > 0 ? (rate * block) / samples : undefined;
}
