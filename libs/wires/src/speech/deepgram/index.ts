import { withoutUndefined } from "@modelgate/contracts";
import { renderAdditionalMembers } from "../../kind/index.ts";
import { nonDefaultSpeed, speedWithin, voiceName } from "../hub/index.ts";
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

/** Matches models that accept a speed (https://developers.deepgram.com/docs/tts-voice-controls). */
const modelWithSpeed = /^aura-2-.+-(?:en|es)$/;

export const deepgram = {
  name: "deepgram-speech",
  vendor: { render: renderRequest },
} as const satisfies Wire<SpeechVendor, SpeechClient>;

function renderRequest(request: SpeechRequest, { model }: Target): Rendered {
  const { input, format, speed, instructions, additional } = request;
  const voice = voiceName(request);
  const addsVoice = voice !== undefined && modelWithoutVoice.test(model);
  const fullModel = addsVoice ? `${model}-${voice}-en` : model;
  const wanted = nonDefaultSpeed(speed);
  const accepted = modelWithSpeed.test(fullModel) ? speedWithin(wanted, 0.7, 1.5) : undefined;
  const unsupported = {
    instructions,
    speed: accepted === undefined ? wanted : undefined,
    voice: !addsVoice && voice,
  };
  return {
    body: { text: input },
    query: withoutUndefined({ model: fullModel, ...formats[format], speed: accepted?.toString() }),
    dropped: renderAdditionalMembers(additional, "deepgram-speech", unsupported).dropped,
  };
}
