import { SseSplitter } from "@modelgate/wires/sse";

/** How a stream of bytes is cut into frames. */
export interface StreamFraming {
  splitter(): FrameSplitter;
  /** Whether a frame only keeps the connection alive. */
  isComment(frame: Buffer): boolean;
}

/** Cuts one stream. */
export interface FrameSplitter {
  /** The frames that are whole with this chunk. Throws RangeError for one beyond its bound. */
  push(chunk: Buffer): readonly Buffer[];
  /** Whether the stream stands between two frames. */
  readonly empty: boolean;
  /** What is left at the stream's end. */
  end(): Buffer;
}

const colon = 0x3a;
const nothing = Buffer.alloc(0);

/** Server-sent events, each with its closing empty line. */
export const eventFraming: StreamFraming = {
  splitter: () => new SseSplitter(),
  isComment: (frame) => frame[0] === colon,
};

/** Bytes without frames, as sound: each chunk is one. */
export const byteFraming: StreamFraming = {
  splitter: () => ({ push: (chunk) => [chunk], empty: true, end: () => nothing }),
  isComment: () => false,
};
