import { fourCharacters, openSize, pcmRate, type ByteRate, type ChunkLayout, type SampleChunks } from "./chunks.ts";

/** Registered numbers of the forms of samples that a WAV holds in blocks of one size. */
const tags = { pcm: 1, msAdpcm: 2, float: 3, aLaw: 6, muLaw: 7, imaAdpcm: 17, gsm: 49, extensible: 0xff_fe } as const;
/** GSM in a WAV: samples in a block, and its bytes. */
const [gsmSamples, gsmBytes] = [320, 65];

const chunks = (endian: "LE" | "BE"): ChunkLayout => ({
  headBytes: 8,
  align: 2,
  id: fourCharacters,
  size: (head) => openSize(endian === "LE" ? head.readUInt32LE(4) : head.readUInt32BE(4)),
});

/** A WAV of either byte order, and one of 64 bits (RF64, BW64), whose samples' size is elsewhere. */
export function waveChunks(endian: "LE" | "BE"): SampleChunks {
  return {
    form: chunks(endian),
    first: 12,
    description: { id: "fmt ", rateOf: (body) => waveRate(body, endian) },
    samples: { id: "data", skipped: 0 },
  };
}

/** Sony's Wave64: names of 16 bytes that begin with those of a WAV, sizes of 64 bits with their head. */
export const wave64Chunks: SampleChunks = {
  form: {
    headBytes: 24,
    align: 8,
    id: fourCharacters,
    size: (head) => {
      const size = Number(head.readBigInt64LE(16)) - 24;
      return size > 0 ? size : undefined;
    },
  },
  first: 40,
  description: { id: "fmt ", rateOf: (body) => waveRate(body, "LE") },
  samples: { id: "data", skipped: 0 },
};

/**
 * The rate that a `fmt ` chunk describes, from the form of its samples: the rate that it states itself, and the size of
 * a block, decide nothing for readers of PCM, so they could be anything.
 */
function waveRate(body: Buffer, endian: "LE" | "BE"): ByteRate | undefined {
  if (body.length < 16) return undefined;
  const short = (at: number): number => (endian === "LE" ? body.readUInt16LE(at) : body.readUInt16BE(at));
  const rate = endian === "LE" ? body.readUInt32LE(4) : body.readUInt32BE(4);
  if (rate === 0) return undefined;
  const [channels, block, bits] = [short(2), short(12), short(14)];
  const stated = short(0);
  const tag = stated === tags.extensible && body.length >= 26 ? short(24) : stated;
  if (tag === tags.pcm || tag === tags.float) return pcmRate(rate, channels, bits);
  if (tag === tags.aLaw || tag === tags.muLaw) return pcmRate(rate, channels, 8);
  if (tag === tags.gsm) return (rate * gsmBytes) / gsmSamples;
  // Each block begins with its predictors, and has four bits a sample after them.
  if (tag === tags.imaAdpcm) return adpcmRate(rate, block, channels, { head: 4, first: 1 });
  if (tag === tags.msAdpcm) return adpcmRate(rate, block, channels, { head: 7, first: 2 });
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
