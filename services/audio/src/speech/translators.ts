import type { Units } from "@modelgate/contracts";
import { estimateTokens, type StreamTranslator } from "@modelgate/relay";
import { wires, type SpeechRequest } from "@modelgate/wires/speech";
import { parseFrame, type Frame } from "@modelgate/formats/sse";
import {
  vendorErrorFailure,
  endedEarlyFailure,
  passEvents,
  eventStreamFormat,
  makeFrameReading,
  type EventReading,
} from "../event-stream.ts";

const { client, vendor } = wires.speech;

/** Usage if the vendor reports none. It is an empty object, to show that the vendor has begun to answer. */
const unreportedUsage: Units = {};

/**
 * Creates a translator that passes audio unchanged. Audio cannot contain an error, so the connection is cut after one.
 */
export function passAudio(contentType: string): StreamTranslator {
  return {
    ...audioFormat(contentType),
    read: (chunk) => makeFrameReading({ done: false, usage: unreportedUsage }, chunk),
    end: () => "",
  };
}

/** Creates a translator from a vendor's audio bytes to events. */
export function audioToEvents(request: SpeechRequest): StreamTranslator {
  const { write } = client.stream();
  const usage = { inputTokens: estimateTokens(Buffer.byteLength(request.input)) };
  return {
    ...eventStreamFormat,
    read: (chunk) => makeFrameReading({ done: false, usage: unreportedUsage }, write({ kind: "audio", bytes: chunk })),
    end: () => write({ kind: "done", usage }),
  };
}

/** Creates a translator that passes a vendor's speech events unchanged. */
export function passSpeechEvents(): StreamTranslator {
  return passEvents(eventReader());
}

/** Creates a translator from a vendor's audio events to audio bytes. */
export function eventsToAudio(contentType: string): StreamTranslator {
  const read = eventReader();
  let isDone = false;
  return {
    ...audioFormat(contentType),
    read(frame) {
      const event = parseFrame(frame.toString());
      if (event === undefined) return makeFrameReading({ done: false }, noAudio);
      const reading = read(event);
      isDone ||= reading.done;
      return makeFrameReading(reading, reading.audio);
    },
    end() {
      if (!isDone) throw endedEarlyFailure();
      return "";
    },
  };
}

const noAudio = Buffer.alloc(0);

/** Returns the members that translators to audio bytes share. Audio bytes cannot contain heartbeats or errors. */
function audioFormat(contentType: string) {
  return {
    contentType,
    last: "",
    extractText: (text: string) => text,
    mayContainReasoning: () => false,
    fail: () => undefined,
    heartbeat: () => "",
  } as const satisfies Partial<StreamTranslator>;
}

/** Creates a reader of speech events. The reader throws Failure for an error or an unreadable event. */
function eventReader(): (frame: Frame) => EventReading & { readonly audio: Buffer } {
  const reader = vendor.stream();
  let usage = unreportedUsage;
  return (frame) => {
    const event = reader.read(frame);
    if (event.kind === "error") throw vendorErrorFailure();
    if (event.kind === "audio") return { done: false, usage, audio: event.bytes };
    if (event.kind === "other") return { done: false, audio: noAudio };
    usage = event.usage ?? unreportedUsage;
    return { done: true, usage, audio: noAudio };
  };
}
