import { Failure } from "@modelgate/contracts";
import type { AnswerForm, Exchange } from "@modelgate/relay";
import { speechCodec, speechFormats, type SpeechRequest } from "@modelgate/wires/speech";
import { isErrorEvent } from "../event-stream.ts";
import { audioAsEvents, audioThrough, eventsAsAudio, speechEvents } from "./carriers.ts";

/**
 * One attempt at speech. A vendor answers with audio or with events, whichever it was asked for: each is brought to the
 * client as the client asked, piece by piece as it comes.
 */
export function speechExchange(
  request: SpeechRequest,
  target: { readonly model: string; readonly events: boolean },
): Exchange {
  const { body, dropped } = speechCodec.renderRequest(request, target);
  let form: AnswerForm = "bytes";
  let contentType: string = speechFormats[request.format];
  return {
    wire: speechCodec.wire,
    body: Buffer.from(JSON.stringify(body)),
    headers: { accept: target.events ? "text/event-stream" : "*/*" },
    dropped,
    formOf({ headers }) {
      const type = String(headers["content-type"] ?? "");
      form = formOf(type);
      // What the vendor says that it sends is what the client gets to know.
      if (type.startsWith("audio/")) contentType = type;
      return form;
    },
    refuses: (first) => form === "events" && isErrorEvent(first, speechCodec.readEvent),
    read: () => Promise.reject(new Failure("upstream_error", "The vendor did not answer with audio.")),
    stream(produced) {
      if (form === "events") return request.events ? speechEvents(produced) : eventsAsAudio(produced, contentType);
      return request.events ? audioAsEvents(request, produced) : audioThrough(produced, contentType);
    },
  };
}

/** What is neither audio nor events is an error in disguise. */
function formOf(type: string): AnswerForm {
  if (type.includes("text/event-stream")) return "events";
  return type.startsWith("audio/") || type.startsWith("application/octet-stream") ? "bytes" : "whole";
}
