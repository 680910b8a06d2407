import { renderOwn } from "../../kind/own-members.ts";
import type { RenderedSpeech, SpeechClient, SpeechVendor } from "../hub/answer.ts";
import { voiceOf, type SpeechFormat, type SpeechRequest } from "../hub/request.ts";
import { Unsupported } from "../../text/hub/field-support.ts";
import type { Target, Wire } from "../../wire.ts";

/** Parameters of the address for each format. */
const formats: Readonly<Record<SpeechFormat, Readonly<Record<string, string>>>> = {
  mp3: { encoding: "mp3" },
  opus: { encoding: "opus", container: "ogg" },
  aac: { encoding: "aac" },
  flac: { encoding: "flac" },
  wav: { encoding: "linear16", container: "wav", sample_rate: "24000" },
  pcm: { encoding: "linear16", container: "none", sample_rate: "24000" },
};

/** A whole model names its voice: `aura-2-thalia-en`. */
const family = /^aura(?:-\d+)?$/;

/** Deepgram's text to speech: its address holds all but the text. */
export const deepgram = {
  name: "deepgram-speech",
  vendor: { render: renderRequest },
} as const satisfies Wire<SpeechVendor, SpeechClient>;

function renderRequest(request: SpeechRequest, { model }: Target): RenderedSpeech {
  const { input, format, speed, instructions, own } = request;
  const voice = voiceOf(request);
  const isOpen = voice !== undefined && family.test(model);
  const unsupported = new Unsupported();
  for (const name of renderOwn(own, "deepgram-speech").dropped) unsupported.note(name);
  unsupported.noteIf("instructions", instructions);
  unsupported.noteIf("speed", speed === 1 ? undefined : speed);
  if (!isOpen) unsupported.noteIf("voice", voice);
  return {
    body: { text: input },
    query: { model: isOpen ? `${model}-${voice}-en` : model, ...formats[format] },
    dropped: unsupported.words,
  };
}
