import { Failure, present } from "@modelgate/contracts";
import { isRecord, type JsonRecord } from "../../json/fields.ts";
import { renderOwn } from "../../kind/own-members.ts";
import type { RenderedSpeech, SpeechAnswer, SpeechClient, SpeechVendor } from "../hub/answer.ts";
import { voiceOf, type SpeechRequest } from "../hub/request.ts";
import { contentUsage } from "../../text/content/usage.ts";
import { renderVoice } from "../../text/content/media.ts";
import { unsupportedFailure, Unsupported } from "../../text/hub/field-support.ts";
import type { Wire } from "../../wire.ts";

/** Rate of the vendor's samples where it gives none. */
const usualRate = 24_000;

/** Speech of Gemini (generateContent with AUDIO): samples in JSON. */
export const content = {
  name: "content-speech",
  vendor: { render: renderRequest, parse: parseAnswer },
} as const satisfies Wire<SpeechVendor, SpeechClient>;

function renderRequest(request: SpeechRequest): RenderedSpeech {
  const { input, format, speed, instructions, own } = request;
  if (format === "opus" || format === "aac" || format === "flac")
    throw unsupportedFailure("format", `The vendor of this model has wav and pcm, not ${format}.`);
  const voice = voiceOf(request);
  const unsupported = new Unsupported();
  for (const name of renderOwn(own, "content-speech").dropped) unsupported.note(name);
  // The default of clients, which get wav here, as its media type shows.
  if (format === "mp3") unsupported.note("format");
  unsupported.noteIf("speed", speed === 1 ? undefined : speed);
  const text = instructions === undefined ? input : `${instructions}\n\n${input}`;
  const speechConfig = voice === undefined ? undefined : renderVoice(voice);
  if (speechConfig === undefined) unsupported.noteIf("voice", voice);
  return {
    body: {
      contents: [{ role: "user", parts: [{ text }] }],
      generationConfig: present({ responseModalities: ["AUDIO"], speechConfig }),
    },
    dropped: unsupported.words,
  };
}

function parseAnswer({ candidates, usageMetadata }: JsonRecord): SpeechAnswer {
  const [first] = Array.isArray(candidates) ? candidates.filter(isRecord) : [];
  const content = first?.["content"];
  const parts = isRecord(content) && Array.isArray(content["parts"]) ? content["parts"].filter(isRecord) : [];
  const pieces = parts.flatMap(({ inlineData }) => (isRecord(inlineData) ? [inlineData] : []));
  const data = pieces.flatMap((piece) => (typeof piece["data"] === "string" ? [piece["data"]] : []));
  if (data.length === 0) throw new Failure("upstream_error", "The vendor's answer holds no speech.");
  const samples = Buffer.concat(data.map((each) => Buffer.from(each, "base64")));
  const rate = Number(/rate=(\d+)/.exec(String(pieces[0]?.["mimeType"]))?.[1] ?? usualRate);
  return { samples, rate, usage: asAudio(contentUsage(usageMetadata)) };
}

/** Counts all output tokens as audio: such a model makes nothing else. */
function asAudio(usage: SpeechAnswer["usage"]): SpeechAnswer["usage"] {
  if (usage === undefined) return undefined;
  const { outputTokens = 0, outputAudioTokens = 0, ...more } = usage;
  return { ...more, outputAudioTokens: outputAudioTokens + outputTokens };
}
