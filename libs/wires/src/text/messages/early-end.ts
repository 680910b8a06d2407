import type { JsonRecord } from "../../json/fields.ts";
import type { EarlyEnd } from "../early-end.ts";
import { parseFrameRecord } from "../../sse/frame-json.ts";
import { frame } from "./part-writer.ts";
import { stopReasonOf } from "./endings.ts";
import { renderUsage } from "./usage.ts";

/** Events that change nothing of what is open: most of a stream. */
const quietLines = ["event: content_block_delta\n", "event: ping\n"].map((line) => Buffer.from(line));

/** Ends a stream of message events early: the open block, why the message stopped with its usage, and its stop. */
export function endMessageEarly(): EarlyEnd {
  let begun = false;
  let finished = false;
  let open: unknown;
  return {
    saw(bytes) {
      if (quietLines.some((line) => bytes.subarray(0, line.length).equals(line))) return;
      const event = parseFrameRecord(bytes);
      const type = event?.["type"];
      if (type === "message_start") begun = true;
      else if (type === "content_block_start") open = event?.["index"];
      else if (type === "content_block_stop") open = undefined;
      else if (type === "message_delta") finished = true;
    },
    frames(used) {
      if (!begun) return undefined;
      const event = (type: string, members: JsonRecord = {}): string =>
        frame(type, JSON.stringify({ type, ...members }));
      const delta = { stop_reason: stopReasonOf("length", false), stop_sequence: null };
      return [
        ...(open === undefined ? [] : [event("content_block_stop", { index: open })]),
        ...(finished ? [] : [event("message_delta", { delta, usage: renderUsage(used) })]),
        event("message_stop"),
      ];
    },
  };
}
