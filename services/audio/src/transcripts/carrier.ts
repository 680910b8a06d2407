import { Failure } from "@modelgate/contracts";
import type { Produced, StreamCarrier } from "@modelgate/relay";
import { SseDecoder, SseSplitter, transcriptsCodec } from "@modelgate/wires";
import { eventStream, failureEvent, signOfLife } from "../event-stream.ts";

/** A vendor's stream as it came, looked at for its words, its end, and what it used. */
export function transcriptEvents(produced: Produced): StreamCarrier {
  const splitter = new SseSplitter();
  const decoder = new SseDecoder();
  let done = false;
  const look = (frame: Uint8Array): void => {
    for (const each of decoder.push(frame)) {
      const event = transcriptsCodec.readEvent(each);
      if (event.kind === "error") throw new Failure("upstream_error", "The vendor failed in the middle of its answer.");
      if (event.kind === "delta") produced.add(event.text);
      if (event.kind === "done") {
        produced.usage = transcriptsCodec.readUsage(event.body) ?? {};
        done = true;
      }
    }
  };
  return {
    contentType: eventStream,
    push(chunk) {
      const frames = splitter.push(chunk);
      for (const frame of frames) look(frame);
      return { out: Buffer.concat(frames) };
    },
    get done() {
      return done;
    },
    end() {
      if (!done) throw new Failure("upstream_error", "The vendor's stream ended before its last event.");
      return "";
    },
    last: "",
    fail: failureEvent,
    heartbeat: () => signOfLife,
  };
}
