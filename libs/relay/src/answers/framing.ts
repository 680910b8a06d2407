import type { StreamFraming } from "@modelgate/wires/sse";

/** How the relay cuts a stream into frames. */
export type FrameCutting = Pick<StreamFraming, "splitter" | "parse">;

const nothing = Buffer.alloc(0);

/** Bytes without frames, as sound: each chunk is one. */
export const byteFraming: FrameCutting = {
  splitter: () => ({ push: (chunk) => [chunk], empty: true, end: () => nothing }),
  parse: () => ({ data: "" }),
};
