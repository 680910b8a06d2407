import { Failure, present } from "@modelgate/contracts";
import { Fields, type JsonRecord } from "../../json/fields.ts";
import type { Parsed } from "../../wire.ts";
import { ownMembers } from "../../kind/own-members.ts";
import { speechFormats, type SpeechFormat, type SpeechRequest } from "../hub/request.ts";

const formats = Object.keys(speechFormats).filter((name): name is SpeechFormat => name in speechFormats);
const [slowest, fastest] = [0.25, 4] as const;

/** A request for speech (interface endpoint 27) in the neutral form. Unknown members travel on to the vendor. */
export function parseRequest(body: JsonRecord): Parsed<SpeechRequest> {
  const fields = new Fields(body);
  const input = fields.needText("input");
  if (input.trim() === "") throw new Failure("invalid_value", "input must not be blank.", { param: "input" });
  const request: SpeechRequest = {
    model: fields.needText("model"),
    input,
    format: fields.word("response_format", formats) ?? "mp3",
    events: fields.word("stream_format", ["audio", "sse"]) === "sse",
    ...present({
      voice: fields.raw("voice"),
      instructions: fields.text("instructions"),
      speed: speedOf(fields),
      own: ownMembers("speech", fields),
    }),
  };
  return { request, dropped: [] };
}

function speedOf(fields: Fields): number | undefined {
  const speed = fields.number("speed");
  if (speed !== undefined && !(speed >= slowest && speed <= fastest))
    throw fields.wrong("speed", `a number from ${slowest} to ${fastest}`);
  return speed;
}
