import { fourCharacters, type ByteRate, type SampleChunks } from "./chunks.ts";

/** Chunks of Apple's Core Audio Format. An edit count precedes the samples. */
export const cafChunks: SampleChunks = {
  layout: {
    headBytes: 12,
    align: 1,
    id: fourCharacters,
    size: (head) => {
      const size = Number(head.readBigInt64BE(4));
      return size > 0 ? size : undefined;
    },
  },
  firstOffset: 8,
  description: { id: "desc", rateOf: cafRate },
  samples: { id: "data", skipped: 4 },
};

/** Returns the byte rate; undefined for packets of variable size. */
function cafRate(body: Buffer): ByteRate | undefined {
  if (body.length < 32) return undefined;
  const [rate, packetBytes, packetFrames] = [body.readDoubleBE(0), body.readUInt32BE(16), body.readUInt32BE(20)];
  const bytes = (rate * packetBytes) / packetFrames;
  return Number.isFinite(bytes) && bytes > 0 ? bytes : undefined;
}
