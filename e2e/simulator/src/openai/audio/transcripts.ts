import { transcriptFor, type Transcript, type TimedText } from "../../audio/transcript.ts";
import type { Behaviour } from "../../behaviour.ts";
import { withoutUndefinedMembers } from "../../checks/members.ts";
import { questionFrom } from "../../core/question.ts";
import { tokensOf } from "../../core/tokens.ts";
import type { Frame, Streamed } from "../../stream.ts";
import type { EndpointCall, Endpoint, ParsedRequest } from "../../vendor.ts";
import { isTranscribeModel, readTranscript, type TranscriptRequest } from "./transcript-form.ts";

const tokensPerSecond = 10;

export const transcriptions: Endpoint = {
  method: "POST",
  path: /^\/v1\/audio\/transcriptions$/,
  open: (asking) => open(asking, false),
};

/** Endpoint of translations. The text is that of the transcript, because simulated transcripts are in English. */
export const translations: Endpoint = {
  method: "POST",
  path: /^\/v1\/audio\/translations$/,
  open: (asking) => open(asking, true),
};

async function open({ form }: EndpointCall, translates: boolean): Promise<ParsedRequest> {
  const parsed = await readTranscript(form, translates);
  const { directive, words } = questionFrom(parsed.model, [parsed.prompt]);
  const transcribe = ({ text }: Behaviour): Transcript => transcriptFor(parsed.seconds, text);
  const usage = (behaviour: Behaviour) => usageOf(parsed, words, transcribe(behaviour), behaviour);
  return {
    directive,
    whole: (behaviour) => render(parsed, transcribe(behaviour), usage(behaviour), translates),
    ...(parsed.stream && isTranscribeModel(parsed.model)
      ? { streamed: (behaviour: Behaviour) => inEvents(transcribe(behaviour), usage(behaviour)) }
      : {}),
    ...(parsed.format === "text" || parsed.format === "srt" || parsed.format === "vtt"
      ? {
          bytes: (behaviour: Behaviour) => ({
            contentType: "text/plain; charset=utf-8",
            pieces: [Buffer.from(asText(parsed.format, transcribe(behaviour)))],
          }),
        }
      : {}),
  };
}

function usageOf(
  { model, seconds }: TranscriptRequest,
  prompt: string,
  transcript: Transcript,
  { usage }: Behaviour,
): object | undefined {
  if (usage === null) return undefined;
  if (usage !== undefined) return usage;
  if (!isTranscribeModel(model)) return { type: "duration", seconds: Math.ceil(seconds) };
  const [audio, text, output] = [Math.ceil(seconds * tokensPerSecond), tokensOf(prompt), tokensOf(transcript.text)];
  return {
    type: "tokens",
    input_tokens: audio + text,
    input_token_details: { text_tokens: text, audio_tokens: audio },
    output_tokens: output,
    total_tokens: audio + text + output,
  };
}

function render(
  { format, granularities, language }: TranscriptRequest,
  transcript: Transcript,
  usage: object | undefined,
  translates: boolean,
): object {
  if (format !== "verbose_json") return withoutUndefinedMembers({ text: transcript.text, usage });
  const wants = (what: string): boolean => granularities.includes(what);
  return withoutUndefinedMembers({
    task: translates ? "translate" : "transcribe",
    language: translates || language === "en" ? "english" : language,
    duration: transcript.seconds,
    text: transcript.text,
    segments: wants("word") && !wants("segment") ? undefined : transcript.segments.map(segment),
    words: wants("word") ? transcript.words.map(({ text, start, end }) => ({ word: text, start, end })) : undefined,
    usage,
  });
}

function segment({ text, start, end }: TimedText, id: number): object {
  return {
    id,
    seek: 0,
    start,
    end,
    text,
    tokens: [50_364],
    temperature: 0,
    avg_logprob: -0.2,
    compression_ratio: 0.9,
    no_speech_prob: 0.01,
  };
}

/** Renders a transcript as `text`, `srt` or `vtt`. */
function asText(format: string, { text, segments }: Transcript): string {
  if (format === "text") return `${text}\n`;
  const time = (seconds: number): string =>
    new Date(Math.round(seconds * 1_000))
      .toISOString()
      .slice(11, 23)
      .replace(".", format === "srt" ? "," : ".");
  const blocks = segments.map(
    ({ text: words, start, end }, at) =>
      `${format === "srt" ? `${at + 1}\n` : ""}${time(start)} --> ${time(end)}\n${words.trim()}\n\n`,
  );
  return (format === "srt" ? "" : "WEBVTT\n\n") + blocks.join("");
}

function inEvents({ words, text }: Transcript, usage: object | undefined): Streamed {
  const frame = (event: object, more: Partial<Frame> = {}): Frame => ({ data: JSON.stringify(event), ...more });
  return {
    frames: [
      ...words.map((word, at) =>
        frame({ type: "transcript.text.delta", delta: `${at === 0 ? "" : " "}${word.text}` }, { content: true }),
      ),
      frame(withoutUndefinedMembers({ type: "transcript.text.done", text, usage }), { last: true }),
    ],
    error: (message) => frame({ type: "error", error: { type: "server_error", message } }),
  };
}
