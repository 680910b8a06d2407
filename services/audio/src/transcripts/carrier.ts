import type { Produced, StreamCarrier } from "@modelgate/relay";
import { transcriptsCodec } from "@modelgate/wires/transcripts";
import { brokenByVendor, eventsThrough } from "../event-stream.ts";

/** A vendor's stream as it came, looked at for its words, its end, and what it used. */
export function transcriptEvents(produced: Produced): StreamCarrier {
  return eventsThrough((frame) => {
    const event = transcriptsCodec.readEvent(frame);
    if (event.kind === "error") throw brokenByVendor();
    if (event.kind === "delta") produced.add(event.text);
    if (event.kind === "done") produced.usage = transcriptsCodec.readUsage(event.body) ?? {};
    return event.kind === "done";
  });
}
