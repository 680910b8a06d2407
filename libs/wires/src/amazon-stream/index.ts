// Amazon's event streams: frames with checksums instead of lines.
export { amazonFraming, amazonStreamType } from "./framing.ts";
export { readMessage, wordsOfFailure, type AmazonMessage } from "./framing.ts";
export { AmazonSplitter } from "./splitter.ts";
