import { fourCharacters, type ByteRate, type SampleChunks } from "./chunks.ts";

/** Apple's Core Audio Format: samples after a count of edits, in packets of one size or of many. */
export const cafChunks: SampleChunks = {
  form: {
    headBytes: 12,
    align: 1,
    id: fourCharacters,
    size: (head) => {
      const size = Number(head.readBigInt64BE(4));
      return size > 0 ? size : undefined;
    },
  },
  first: 8,
  description: { id: "desc", rateOf: cafRate },
  samples: { id: "data", skipped: 4 },
};

/** Packets that are not all of one size say 0 here: those of compressed sound. */
function cafRate(body: Buffer): ByteRate | undefined {
  if (body.length < 32) return undefined;
  const [rate, packetBytes, packetFrames] = [body.readDoubleBE(0), body.readUInt32BE(16), body.readUInt32BE(20)];
  const bytes = (rate * packetBytes) / packetFrames;
  return Number.isFinite(bytes) && bytes > 0 ? bytes : undefined;
}
