import { withoutUndefined } from "@modelgate/contracts";
import { renderAdditionalMembers } from "../../kind/index.ts";
import { speedWithin, voiceName } from "../hub/index.ts";
import type { SpeechClient, SpeechVendor, SpeechFormat, SpeechRequest } from "../hub/index.ts";
import { unsupportedFailure } from "../../text/hub/request.ts";
import type { Rendered, Target, Wire } from "../../wire.ts";

const formats: Readonly<Partial<Record<SpeechFormat, string>>> = {
  mp3: "mp3_44100_128",
  opus: "opus_48000_128",
  wav: "wav_24000",
  pcm: "pcm_24000",
};

export const elevenlabs = {
  name: "elevenlabs-speech",
  vendor: { render: renderRequest },
} as const satisfies Wire<SpeechVendor, SpeechClient>;

function renderRequest(request: SpeechRequest, { model }: Target): Rendered {
  const { input, format, speed, instructions, additional } = request;
  const voice = voiceName(request);
  if (voice === undefined) throw unsupportedFailure("voice", "The vendor of this model requires a voice id.");
  const formatName = formats[format];
  if (formatName === undefined)
    throw unsupportedFailure("format", `The vendor of this model does not support ${format}.`);
  // The vendor answers 400 to another speed.
  const accepted = speedWithin(speed, 0.7, 1.2);
  return {
    body: withoutUndefined({
      text: input,
      model_id: model,
      voice_settings: accepted === undefined ? undefined : { speed: accepted },
    }),
    query: { voice, output_format: formatName },
    dropped: renderAdditionalMembers(additional, "elevenlabs-speech", {
      instructions,
      speed: accepted === undefined ? speed : undefined,
    }).dropped,
  };
}
