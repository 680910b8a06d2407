import { Failure, withoutUndefined } from "@modelgate/contracts";
import { asRecord, asRecords, type JsonRecord } from "@modelgate/formats/json";
import { renderAdditionalMembers } from "../../kind/index.ts";
import { nonDefaultSpeed, voiceName } from "../hub/index.ts";
import type { SpeechAnswer, SpeechClient, SpeechVendor, SpeechRequest } from "../hub/index.ts";
import { requireCompleteAnswer } from "../../text/content/blocked.ts";
import { contentUsage } from "../../text/content/usage.ts";
import { renderVoice } from "../../text/content/sources.ts";
import { unsupportedFailure } from "../../text/hub/request.ts";
import type { Rendered, Wire } from "../../wire.ts";

/** Sample rate in Hz, if the vendor reports none. */
const usualRate = 24_000;

/** Speech of Gemini (generateContent with AUDIO). */
export const content = {
  name: "content-speech",
  vendor: { render: renderRequest, parse: parseAnswer },
} as const satisfies Wire<SpeechVendor, SpeechClient>;

function renderRequest(request: SpeechRequest): Rendered {
  const { input, format, isDefaultFormat, speed, instructions, additional } = request;
  if (format !== "wav" && format !== "pcm" && isDefaultFormat !== true)
    throw unsupportedFailure("format", `The vendor of this model supports wav and pcm, not ${format}.`);
  const voice = voiceName(request);
  const text = instructions === undefined ? input : `${instructions}\n\n${input}`;
  const speechConfig = voice === undefined ? undefined : renderVoice(voice);
  // The default format (mp3) is replaced by WAV, so it is reported as unsupported.
  const unsupported = {
    format: isDefaultFormat,
    speed: nonDefaultSpeed(speed),
    voice: speechConfig === undefined && voice,
  };
  return {
    body: {
      contents: [{ role: "user", parts: [{ text }] }],
      generationConfig: withoutUndefined({ responseModalities: ["AUDIO"], speechConfig }),
    },
    dropped: renderAdditionalMembers(additional, "content-speech", unsupported).dropped,
  };
}

function parseAnswer(body: JsonRecord): SpeechAnswer {
  requireCompleteAnswer(body, "The vendor declined to speak this text.");
  const { candidates, usageMetadata } = body;
  const { parts } = asRecord(asRecords(candidates)[0]?.["content"]);
  const pieces = asRecords(parts).map(({ inlineData }) => asRecord(inlineData));
  const data = pieces.flatMap((piece) => (typeof piece["data"] === "string" ? [piece["data"]] : []));
  if (data.length === 0) throw new Failure("upstream_error", "The vendor's answer contains no audio.");
  const samples = Buffer.concat(data.map((each) => Buffer.from(each, "base64")));
  const rate = Number(
    /rate=(\d+)/.exec(String(pieces.find(({ data: each }) => each !== undefined)?.["mimeType"]))?.[1] ?? usualRate,
  );
  return { samples, rate, usage: countAsAudio(contentUsage(usageMetadata)) };
}

/** Converts all output tokens to audio tokens, because models for speech have no other output. */
function countAsAudio(usage: SpeechAnswer["usage"]): SpeechAnswer["usage"] {
  if (usage === undefined) return undefined;
  const { outputTokens = 0, outputAudioTokens = 0, ...more } = usage;
  return { ...more, outputAudioTokens: outputAudioTokens + outputTokens };
}
