import type { StreamPassCodec } from "@modelgate/wires";

/** Bytes of what the model wrote in a frame. */
export function wordBytesIn(frame: Buffer, { wordsOf, written }: Pick<StreamPassCodec, "wordsOf" | "written">): number {
  return Buffer.byteLength(wordsOf(written(frame)));
}
