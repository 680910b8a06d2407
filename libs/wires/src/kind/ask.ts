import type { Media } from "../text/media.ts";

/** All that admission needs to know of a request of a kind that answers in one piece. */
export interface Ask<Request> {
  readonly model: string;
  /** UTF-8 bytes of all that is text to the model. */
  readonly textBytes: number;
  /** What is no text: images, and input that came as tokens. */
  readonly media: Media;
  /** Most output tokens; undefined where the request sets no bound. */
  readonly maxOutputTokens: number | undefined;
  /** The request in the neutral form, checked and read. */
  readonly request: Request;
  /** Hints of the client that the neutral form does not hold, in the client's spelling. */
  readonly dropped: readonly string[];
}

/** UTF-8 bytes of texts, with a few more for what models put around each. */
export function bytesOfTexts(texts: Iterable<string>): number {
  let bytes = 0;
  for (const text of texts) bytes += Buffer.byteLength(text) + bytesAround;
  return bytes;
}

/** A model marks a text's begin and end by a token each, a token being at least two bytes. */
const bytesAround = 4;
