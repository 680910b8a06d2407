import { synthesize } from "../audio/voice.ts";
import { audioFormatOf } from "../audio/formats.ts";
import { transcriptFor, secondsOf } from "../audio/transcript.ts";
import { memberOf, numberAt, textAt } from "../checks/members.ts";
import { requireShape, Refusal } from "../checks/refusal.ts";
import { shapeOf } from "../checks/notation.ts";
import { valuesOf } from "../core/form.ts";
import { questionFrom } from "../core/question.ts";
import { createVendor, headerOf, isBadKey, type Endpoint, type Vendor } from "../vendor.ts";

const shape = shapeOf(String.raw`nullable<{
  text: /^[\s\S]{1,5000}$/u "1 to 5000 characters", model_id?: string, language_code?: string,
  voice_settings?: nullable<{
    speed?: number(0.7, 1.2), stability?: number(0, 1), similarity_boost?: number(0, 1), style?: number(0, 1)
  }>
}>`);
const formats = /^(mp3|opus|wav|pcm)_\d+(?:_\d+)?$/;

const speech: Endpoint = {
  method: "POST",
  path: /^\/v1\/text-to-speech\/([^/]+)(\/stream)?$/,
  open({ body, query, groups: [voice = "", streamed] }) {
    requireShape(body, shape);
    const outputFormat = query.get("output_format") ?? "mp3_44100_128";
    const [, name = ""] = formats.exec(outputFormat) ?? [];
    const format = audioFormatOf(name);
    if (format === undefined || (streamed === "/stream" && name === "wav"))
      throw new Refusal(422, `output_format ${outputFormat} is not one of ours.`);
    const { words, directive } = questionFrom(textAt(body, "model_id") ?? "", [textAt(body, "text") ?? ""]);
    const speed = numberAt(memberOf(body, "voice_settings"), "speed") ?? 1;
    const pieces = () => format.encode(synthesize(words, { voice, speed }));
    return { directive, whole: () => ({}), bytes: () => ({ contentType: format.contentType, pieces: pieces() }) };
  },
};

const knownParameters: ReadonlySet<string> = new Set([
  "model_id",
  "language_code",
  "timestamps_granularity",
  "tag_audio_events",
  "temperature",
  "num_speakers",
  "diarize",
  "file_format",
]);

const transcripts: Endpoint = {
  method: "POST",
  path: /^\/v1\/speech-to-text$/,
  async open({ form }) {
    if (form === undefined) throw new Refusal(422, "A form is wanted.");
    const strange = form.fields.find(([name]) => !knownParameters.has(name));
    if (strange !== undefined) throw new Refusal(422, `There is no field ${strange[0]}.`);
    const [model] = valuesOf(form, "model_id");
    if (model === undefined || !/^scribe_v\d/.test(model)) throw new Refusal(400, "model_id is not one of ours.");
    const [file] = form.files;
    const seconds = file === undefined ? undefined : await secondsOf(file.bytes, file.contentType);
    if (seconds === undefined) throw new Refusal(400, "The file is not audio.");
    return {
      directive: undefined,
      whole: ({ text: script }) => {
        const transcript = transcriptFor(seconds, script);
        return {
          language_code: valuesOf(form, "language_code")[0] ?? "eng",
          language_probability: 0.98,
          text: transcript.text,
          words: transcript.words.flatMap(({ text: word, start, end }, at) => [
            ...(at === 0 ? [] : [{ text: " ", start, end: start, type: "spacing", logprob: 0 }]),
            { text: word, start, end, type: "word", logprob: -0.1 },
          ]),
        };
      },
    };
  },
};

export const elevenlabs: Vendor = createVendor({
  prefix: "/elevenlabs",
  endpoints: [speech, transcripts],
  authenticate({ headers }) {
    const key = headerOf(headers, "xi-api-key");
    if (key === "" || isBadKey(key)) throw new Refusal(401, "Invalid API key", { code: "invalid_api_key" });
    return key;
  },
  renderError: ({ message, code, status }) => ({ detail: { status: code ?? `error_${status}`, message } }),
});
