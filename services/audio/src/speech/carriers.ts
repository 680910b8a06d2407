import { estimateTokens, type Carried, type Produced, type StreamCarrier } from "@modelgate/relay";
import { speechCodec, type SpeechRequest } from "@modelgate/wires/speech";
import { SseDecoder, type Frame } from "@modelgate/wires/sse";
import { brokenByVendor, endedEarly, eventsThrough, eventsToClient } from "../event-stream.ts";

/** Audio as it comes. A break has no words in it: the connection is cut, so that half a file never passes for a whole one. */
export function audioThrough(produced: Produced, contentType: string): StreamCarrier {
  return {
    ...bytesToClient(contentType),
    push(chunk) {
      produced.usage ??= {};
      return { out: chunk };
    },
    done: false,
    end: () => "",
  };
}

/** Audio of a vendor that has no events, as events. */
export function audioAsEvents(request: SpeechRequest, produced: Produced): StreamCarrier {
  return {
    ...eventsToClient,
    push(chunk) {
      produced.usage ??= {};
      return { out: speechCodec.writeAudio(chunk) };
    },
    done: false,
    end: () => speechCodec.writeDone({ inputTokens: estimateTokens(Buffer.byteLength(request.input)) }),
  };
}

/** Events as they came, looked at for their end and what was used. */
export function speechEvents(produced: Produced): StreamCarrier {
  return eventsThrough((event) => readEvent(event, produced).isLast);
}

/** The audio in a vendor's events, as bytes. */
export function eventsAsAudio(produced: Produced, contentType: string): StreamCarrier {
  const decoder = new SseDecoder();
  let done = false;
  return {
    ...bytesToClient(contentType),
    push(chunk): Carried {
      const read = decoder.push(chunk).map((event) => readEvent(event, produced));
      done ||= read.some(({ isLast }) => isLast);
      return { out: Buffer.concat(read.map(({ audio }) => audio)) };
    },
    get done() {
      return done;
    },
    end() {
      if (!done) throw endedEarly();
      return "";
    },
  };
}

/** A stream of bytes has no room for signs of life, nor for an error. */
function bytesToClient(contentType: string) {
  return {
    contentType,
    last: "",
    fail: () => undefined,
    heartbeat: () => "",
  } as const satisfies Partial<StreamCarrier>;
}

/** The audio in a vendor's event; what was used is noted. Throws Failure for an error, or what cannot be read. */
function readEvent(frame: Frame, produced: Produced): { readonly audio: Buffer; readonly isLast: boolean } {
  const event = speechCodec.readEvent(frame);
  if (event.kind === "error") throw brokenByVendor();
  if (event.kind === "audio") produced.usage ??= {};
  if (event.kind === "done") produced.usage = event.usage ?? {};
  return { audio: event.kind === "audio" ? event.bytes : Buffer.alloc(0), isLast: event.kind === "done" };
}
