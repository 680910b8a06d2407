import { present } from "@modelgate/contracts";
import type { Rendered } from "../../wire.ts";
import { renderOwn } from "../../kind/own-members.ts";
import type { SpeechRequest } from "../hub/request.ts";

/** The request for a vendor of this wire; events are asked for by name, since bytes are what every vendor gives. */
export function renderRequest(
  request: SpeechRequest,
  { model, events }: { readonly model: string; readonly events: boolean },
): Rendered {
  const own = renderOwn(request.own, "speech");
  const body = present({
    ...own.members,
    model,
    input: request.input,
    voice: request.voice,
    instructions: request.instructions,
    response_format: request.format,
    speed: request.speed,
    stream_format: events ? "sse" : undefined,
  });
  return { body, dropped: own.dropped };
}
