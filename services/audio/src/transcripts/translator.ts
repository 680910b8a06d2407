import type { StreamTranslator } from "@modelgate/relay";
import { wires } from "@modelgate/wires/transcripts";
import { brokenByVendor, eventsThrough } from "../event-stream.ts";

const { vendor } = wires.transcriptions;

/** Passes a vendor's stream as it came, read for its words, its end, and what it used. */
export function transcriptEvents(): StreamTranslator {
  return eventsThrough((frame) => {
    const event = vendor.event(frame);
    if (event.kind === "error") throw brokenByVendor();
    if (event.kind === "delta") return { done: false, words: event.text };
    if (event.kind === "done") return { done: true, usage: vendor.usage(event.body) ?? {} };
    return { done: false };
  });
}
