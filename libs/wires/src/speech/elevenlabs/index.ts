import { present } from "@modelgate/contracts";
import { renderOwn } from "../../kind/own-members.ts";
import type { RenderedSpeech, SpeechClient, SpeechVendor } from "../hub/answer.ts";
import { voiceOf, type SpeechFormat, type SpeechRequest } from "../hub/request.ts";
import { unsupportedFailure, Unsupported } from "../../text/hub/field-support.ts";
import type { Target, Wire } from "../../wire.ts";

/** The vendor's names of formats; it has no others. */
const formats: Readonly<Partial<Record<SpeechFormat, string>>> = {
  mp3: "mp3_44100_128",
  opus: "opus_48000_128",
  wav: "wav_24000",
  pcm: "pcm_24000",
};

/** ElevenLabs' text to speech: its address holds the voice, by its id, and the format. */
export const elevenlabs = {
  name: "elevenlabs-speech",
  vendor: { render: renderRequest },
} as const satisfies Wire<SpeechVendor, SpeechClient>;

function renderRequest(request: SpeechRequest, { model }: Target): RenderedSpeech {
  const { input, format, speed, instructions, own } = request;
  const voice = voiceOf(request);
  if (voice === undefined) throw unsupportedFailure("voice", "The vendor of this model needs a voice, by its id.");
  const named = formats[format];
  if (named === undefined) throw unsupportedFailure("format", `The vendor of this model has no ${format}.`);
  const unsupported = new Unsupported();
  for (const name of renderOwn(own, "elevenlabs-speech").dropped) unsupported.note(name);
  unsupported.noteIf("instructions", instructions);
  return {
    body: present({ text: input, model_id: model, voice_settings: speed === undefined ? undefined : { speed } }),
    query: { voice, output_format: named },
    dropped: unsupported.words,
  };
}
