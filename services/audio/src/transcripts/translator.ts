import type { StreamTranslator } from "@modelgate/relay";
import { transcriptsCodec } from "@modelgate/wires/transcripts";
import { brokenByVendor, eventsThrough } from "../event-stream.ts";

/** Passes a vendor's stream as it came, read for its words, its end, and what it used. */
export function transcriptEvents(): StreamTranslator {
  return eventsThrough((frame) => {
    const event = transcriptsCodec.readEvent(frame);
    if (event.kind === "error") throw brokenByVendor();
    if (event.kind === "delta") return { done: false, words: event.text };
    if (event.kind === "done") return { done: true, usage: transcriptsCodec.readUsage(event.body) ?? {} };
    return { done: false };
  });
}
