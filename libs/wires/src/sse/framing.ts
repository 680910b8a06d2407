import type { Frame } from "./frame.ts";
import { parseFrame } from "./decode.ts";
import { SseSplitter } from "./split.ts";

export type { Frame };

/** Cuts a stream into the bytes of its frames, untouched. Any split of the bytes gives the same frames. */
export interface FrameSplitter {
  /** Returns the frames that are whole now. Throws RangeError for a frame beyond the framing's bound. */
  push(chunk: Buffer): readonly Buffer[];
  /** Whether the stream stands between two frames. */
  readonly empty: boolean;
  /** Returns the bytes of an unfinished last frame. */
  end(): Buffer;
}

/** How a wire's streams are cut into frames. */
export interface StreamFraming {
  /** The media type that a vendor's stream has. */
  readonly mediaType: string;
  splitter(): FrameSplitter;
  /** Parses one frame; undefined for one without data, which only keeps the connection alive. */
  parse(frame: Buffer): Frame | undefined;
}

/** Server-sent events. */
export const eventStreamFraming: StreamFraming = {
  mediaType: "text/event-stream",
  splitter: () => new SseSplitter(),
  parse(frame) {
    const text = frame.toString();
    return parseFrame(text.startsWith(byteOrderMark) ? text.slice(1) : text);
  },
};

/** May stand before the first event of a stream. */
const byteOrderMark = "\ufeff";
