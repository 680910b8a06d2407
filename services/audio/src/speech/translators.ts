import type { Units } from "@modelgate/contracts";
import { estimateTokens, type StreamTranslator } from "@modelgate/relay";
import { wires, type SpeechRequest } from "@modelgate/wires/speech";
import { parseFrame, type Frame } from "@modelgate/wires/sse";
import {
  brokenByVendor,
  endedEarly,
  eventsThrough,
  eventsToClient,
  readingOf,
  type EventReading,
} from "../event-stream.ts";

const { client, vendor } = wires.speech;

/** Usage of a vendor that reports none: sound that came shows that its work was begun. */
const unreported: Units = {};

/** Passes audio as it comes. A break has no words in it: the connection is cut, so that half a file never passes for a whole one. */
export function audioThrough(contentType: string): StreamTranslator {
  return {
    ...bytesToClient(contentType),
    read: (chunk) => readingOf({ done: false, usage: unreported }, chunk),
    end: () => "",
  };
}

/** Writes the audio of a vendor that has no events as events. */
export function audioAsEvents(request: SpeechRequest): StreamTranslator {
  return {
    ...eventsToClient,
    read: (chunk) => readingOf({ done: false, usage: unreported }, client.audioEvent(chunk)),
    end: () => client.doneEvent({ inputTokens: estimateTokens(Buffer.byteLength(request.input)) }),
  };
}

/** Passes events as they came. */
export function speechEvents(): StreamTranslator {
  return eventsThrough(eventReader());
}

/** Writes the audio in a vendor's events as bytes. */
export function eventsAsAudio(contentType: string): StreamTranslator {
  const read = eventReader();
  let done = false;
  return {
    ...bytesToClient(contentType),
    read(frame) {
      const event = parseFrame(frame.toString());
      if (event === undefined) return readingOf({ done: false }, noAudio);
      const reading = read(event);
      done ||= reading.done;
      return readingOf(reading, reading.audio);
    },
    end() {
      if (!done) throw endedEarly();
      return "";
    },
  };
}

const noAudio = Buffer.alloc(0);

/** A stream of bytes has no room for signs of life, nor for an error. */
function bytesToClient(contentType: string) {
  return {
    contentType,
    last: "",
    wordsOf: (words: string) => words,
    mayThink: () => false,
    fail: () => undefined,
    heartbeat: () => "",
  } as const satisfies Partial<StreamTranslator>;
}

/** Reads the events of a stream. Throws Failure for an error, or what cannot be read. */
function eventReader(): (frame: Frame) => EventReading & { readonly audio: Buffer } {
  let usage = unreported;
  return (frame) => {
    const event = vendor.event(frame);
    if (event.kind === "error") throw brokenByVendor();
    if (event.kind === "audio") return { done: false, usage, audio: event.bytes };
    if (event.kind === "other") return { done: false, audio: noAudio };
    usage = event.usage ?? unreported;
    return { done: true, usage, audio: noAudio };
  };
}
