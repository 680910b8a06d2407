import type { Frame, StreamFraming } from "../sse/framing.ts";
import { readMessage, wordsOfFailure } from "./message.ts";
import { AmazonSplitter } from "./splitter.ts";

/** The media type of Amazon's event streams. */
export const amazonStreamType = "application/vnd.amazon.eventstream";

/** The name of a frame that says how the stream failed: `{"failure": {"code", "message"}}`. */
export const failureName = "failure";

/**
 * Amazon's event streams. A frame's data is one member, `{"<type>": <payload>}`, as the service's model has them: the
 * payload alone does not say what it is.
 */
export const amazonFraming: StreamFraming = {
  mediaType: amazonStreamType,
  splitter: () => new AmazonSplitter(),
  parse(frame): Frame {
    const message = readMessage(frame);
    if (message.kind === "event")
      return { event: message.type, data: `{${JSON.stringify(message.type)}:${message.payload || "{}"}}` };
    const failure = { code: message.type, message: wordsOfFailure(message) };
    return { event: failureName, data: JSON.stringify({ [failureName]: failure }) };
  },
};
