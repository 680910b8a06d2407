import type { StreamFraming } from "@modelgate/wires/sse";

/** How a stream is cut into frames, as far as the relay cuts it. */
export type FrameCutting = Pick<StreamFraming, "splitter" | "isComment">;

const nothing = Buffer.alloc(0);

/** Bytes without frames, as sound: each chunk is one. */
export const byteFraming: FrameCutting = {
  splitter: () => ({ push: (chunk) => [chunk], empty: true, end: () => nothing }),
  isComment: () => false,
};
