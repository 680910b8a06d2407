import { fourCharacters, statedSize, pcmRate, type ByteRate, type SampleChunks } from "./chunks.ts";

/** Bits per sample of AIFF-C encodings, which may differ from the header's value. */
const bitsByEncoding: Readonly<Record<string, number>> = {
  alaw: 8,
  ALAW: 8,
  ulaw: 8,
  ULAW: 8,
  fl32: 32,
  FL32: 32,
  fl64: 64,
  FL64: 64,
  in24: 24,
  in32: 32,
};
const pcmEncodings: ReadonlySet<string> = new Set(["NONE", "twos", "sowt", "raw "]);
/** Apple's IMA ADPCM: samples and bytes per packet of one channel. */
const [imaSamples, imaBytes] = [64, 34];

/** Chunks of AIFF and AIFF-C. An offset and a block size precede the samples. */
export const aiffChunks: SampleChunks = {
  layout: { headBytes: 8, align: 2, id: fourCharacters, size: (head) => statedSize(head.readUInt32BE(4)) },
  firstOffset: 12,
  description: { id: "COMM", rateOf: aiffRate },
  samples: { id: "SSND", skipped: 8 },
};

function aiffRate(body: Buffer): ByteRate | undefined {
  if (body.length < 18) return undefined;
  const [channels, bits, rate] = [body.readUInt16BE(0), body.readUInt16BE(6), readExtended(body, 8)];
  const encoding = body.length >= 22 ? body.toString("latin1", 18, 22) : "NONE";
  if (pcmEncodings.has(encoding)) return pcmRate(rate, channels, bits);
  if (encoding === "ima4") return (rate * channels * imaBytes) / imaSamples;
  return Object.hasOwn(bitsByEncoding, encoding) ? pcmRate(rate, channels, bitsByEncoding[encoding] ?? 0) : undefined;
}

/** Reads an 80-bit float: sign and exponent, then 64 bits of mantissa. */
function readExtended(body: Buffer, position: number): number {
  const exponent = (body.readUInt16BE(position) & 0x7f_ff) - 16_383 - 63;
  return Number(body.readBigUInt64BE(position + 2)) * 2 ** exponent;
}
