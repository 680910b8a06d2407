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

/** Usage of a vendor that reports none; received audio shows that it started. */
const unreported: Units = {};

/**
 * Passes audio through. An interruption cannot be expressed in audio: the connection is cut, so that half a file never
 * looks complete.
 */
export function audioThrough(contentType: string): StreamTranslator {
  return {
    ...bytesToClient(contentType),
    read: (chunk) => readingOf({ done: false, usage: unreported }, chunk),
    end: () => "",
  };
}

/** Converts audio bytes of a vendor to events. */
export function audioAsEvents(request: SpeechRequest): StreamTranslator {
  return {
    ...eventsToClient,
    read: (chunk) => readingOf({ done: false, usage: unreported }, client.audioEvent(chunk)),
    end: () => client.doneEvent({ inputTokens: estimateTokens(Buffer.byteLength(request.input)) }),
  };
}

/** Passes events through. */
export function speechEvents(): StreamTranslator {
  return eventsThrough(eventReader());
}

/** Converts a vendor's audio events to audio bytes. */
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

/** Returns the framing of an audio byte stream, which cannot contain heartbeats or an error. */
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

/** Returns a reader of stream events. It throws Failure for an error or an unreadable event. */
function eventReader(): (frame: Frame) => EventReading & { readonly audio: Buffer } {
  const reader = vendor.stream();
  let usage = unreported;
  return (frame) => {
    const event = reader.read(frame);
    if (event.kind === "error") throw brokenByVendor();
    if (event.kind === "audio") return { done: false, usage, audio: event.bytes };
    if (event.kind === "other") return { done: false, audio: noAudio };
    usage = event.usage ?? unreported;
    return { done: true, usage, audio: noAudio };
  };
}
