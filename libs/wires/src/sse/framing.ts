import { parseRecord } from "../json/parse-record.ts";
import { parseFrame, SseDecoder } from "./decode.ts";
import { SseSplitter } from "./split.ts";

/** One frame of a vendor's stream: its data, and the name of its event where the framing has one. */
export interface Frame {
  readonly event?: string | undefined;
  readonly data: string;
}

/** Decodes a stream that is converted. Any split of the bytes gives the same frames. */
export interface FrameDecoder {
  /** Returns the frames that are whole now. Throws RangeError for a frame beyond the framing's bound. */
  push(bytes: Buffer): readonly Frame[];
  /** Returns what the stream's end completes. */
  end(): readonly Frame[];
}

/** Cuts a stream that is passed on into the bytes of its frames, untouched. */
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
  decoder(): FrameDecoder;
  splitter(): FrameSplitter;
  /** Whether a frame only keeps the connection alive. */
  isComment(frame: Buffer): boolean;
  /** Whether a frame has data that is not a JSON object: the streams of every wire consist of those. */
  isMalformed(frame: Buffer): boolean;
}

const colon = 0x3a;

/** Server-sent events. */
export const eventStreamFraming: StreamFraming = {
  mediaType: "text/event-stream",
  decoder: () => new SseDecoder(),
  splitter: () => new SseSplitter(),
  isComment: (frame) => frame[0] === colon,
  isMalformed(frame) {
    const data = parseFrame(frame.toString())?.data.trim() ?? "";
    return data !== "" && !data.startsWith("[DONE]") && parseRecord(data) === undefined;
  },
};
