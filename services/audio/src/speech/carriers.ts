import { Failure } from "@modelgate/contracts";
import { estimateTokens, type Carried, type Produced, type StreamCarrier } from "@modelgate/relay";
import { SseDecoder, SseSplitter, speechCodec, type SpeechRequest } from "@modelgate/wires";
import { eventStream, failureEvent, signOfLife } from "../event-stream.ts";

/** Audio as it comes. A break has no words in it: the connection is cut, so that half a file never passes for a whole one. */
export function bytesThrough(produced: Produced, contentType: string): StreamCarrier {
  return {
    contentType,
    push(chunk) {
      produced.usage ??= {};
      return { out: chunk };
    },
    done: false,
    end: () => "",
    last: "",
    fail: () => undefined,
    heartbeat: () => "",
  };
}

/** Audio of a vendor that has no events, as events. */
export function bytesAsEvents(request: SpeechRequest, produced: Produced): StreamCarrier {
  return {
    contentType: eventStream,
    push(chunk) {
      produced.usage ??= {};
      return { out: speechCodec.writeAudio(chunk) };
    },
    done: false,
    end: () => speechCodec.writeDone({ inputTokens: estimateTokens(Buffer.byteLength(request.input)) }),
    last: "",
    fail: failureEvent,
    heartbeat: () => signOfLife,
  };
}

/** Events as they came, looked at for their end and what was used. */
export function eventsThrough(produced: Produced): StreamCarrier {
  const splitter = new SseSplitter();
  const reader = new EventReader(produced);
  return {
    contentType: eventStream,
    push(chunk) {
      const frames = splitter.push(chunk);
      for (const frame of frames) reader.read(frame);
      return { out: Buffer.concat(frames) };
    },
    get done() {
      return reader.done;
    },
    end() {
      reader.end();
      return "";
    },
    last: "",
    fail: failureEvent,
    heartbeat: () => signOfLife,
  };
}

/** The audio in a vendor's events, as bytes. */
export function eventsAsBytes(produced: Produced, contentType: string): StreamCarrier {
  const reader = new EventReader(produced);
  return {
    contentType,
    push: (chunk): Carried => ({ out: Buffer.concat(reader.read(chunk)) }),
    get done() {
      return reader.done;
    },
    end() {
      reader.end();
      return "";
    },
    last: "",
    fail: () => undefined,
    heartbeat: () => "",
  };
}

/** Reads a vendor's events: pieces of audio out, usage noted. */
class EventReader {
  readonly #decoder = new SseDecoder();
  readonly #produced: Produced;
  done = false;

  constructor(produced: Produced) {
    this.#produced = produced;
  }

  /** Throws Failure upstream_error for an error of the vendor's, or what cannot be read. */
  read(chunk: Uint8Array): readonly Buffer[] {
    const pieces: Buffer[] = [];
    for (const frame of this.#decoder.push(chunk)) {
      const event = speechCodec.readEvent(frame);
      if (event.kind === "error") throw new Failure("upstream_error", "The vendor failed in the middle of its answer.");
      if (event.kind === "audio") {
        this.#produced.usage ??= {};
        pieces.push(event.bytes);
      }
      if (event.kind === "done") {
        this.#produced.usage = event.usage ?? {};
        this.done = true;
      }
    }
    return pieces;
  }

  /** Throws Failure where the stream ended before its last event. */
  end(): void {
    if (!this.done) throw new Failure("upstream_error", "The vendor's stream ended before its last event.");
  }
}
