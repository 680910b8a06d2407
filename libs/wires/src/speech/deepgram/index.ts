import { renderAdditionalMembers } from "../../kind/index.ts";
import { nonDefaultSpeed, voiceName } from "../hub/index.ts";
import type { SpeechClient, SpeechVendor, SpeechFormat, SpeechRequest } from "../hub/index.ts";
import type { Rendered, Target, Wire } from "../../wire.ts";

const formats: Readonly<Record<SpeechFormat, Readonly<Record<string, string>>>> = {
  mp3: { encoding: "mp3" },
  opus: { encoding: "opus", container: "ogg" },
  aac: { encoding: "aac" },
  flac: { encoding: "flac" },
  wav: { encoding: "linear16", container: "wav", sample_rate: "24000" },
  pcm: { encoding: "linear16", container: "none", sample_rate: "24000" },
};

/** Matches a model name without a voice. A complete name has a voice: `aura-2-thalia-en`. */
const modelWithoutVoice = /^aura(?:-\d+)?$/;

export const deepgram = {
  name: "deepgram-speech",
  vendor: { render: renderRequest },
} as const satisfies Wire<SpeechVendor, SpeechClient>;

function renderRequest(request: SpeechRequest, { model }: Target): Rendered {
  const { input, format, speed, instructions, additional } = request;
  const voice = voiceName(request);
  const addsVoice = voice !== undefined && modelWithoutVoice.test(model);
  const unsupported = { instructions, speed: nonDefaultSpeed(speed), voice: !addsVoice && voice };
  return {
    body: { text: input },
    query: { model: addsVoice ? `${model}-${voice}-en` : model, ...formats[format] },
    dropped: renderAdditionalMembers(additional, "deepgram-speech", unsupported).dropped,
  };
}
