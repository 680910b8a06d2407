import { audioFormatOf } from "../audio/formats.ts";
import { transcriptFor, secondsOf } from "../audio/transcript.ts";
import { synthesize } from "../audio/voice.ts";
import { textAt } from "../checks/members.ts";
import { requireShape, Refusal } from "../checks/refusal.ts";
import { shapeOf } from "../checks/notation.ts";
import { freshId } from "../core/ids.ts";
import { questionFrom } from "../core/question.ts";
import { createVendor, headerOf, isBadKey, type Endpoint, type Vendor, type VendorCall } from "../vendor.ts";

const shape = shapeOf(String.raw`{ text: /^[\s\S]{1,2000}$/u "1 to 2000 characters" }`);
const encodings: ReadonlySet<string> = new Set(["mp3", "opus", "flac", "aac", "linear16"]);

const speech: Endpoint = {
  method: "POST",
  path: /^\/v1\/speak$/,
  open({ body, query }) {
    requireShape(body, shape);
    const model = query.get("model") ?? "aura-asteria-en";
    if (!/^aura-(?:\d+-)?\w+-[a-z]{2}$/.test(model)) throw new Refusal(400, `No such model: ${model}`);
    const encoding = query.get("encoding") ?? "mp3";
    if (!encodings.has(encoding)) throw new Refusal(400, `Unsupported encoding: ${encoding}`);
    const name = encoding === "linear16" ? (query.get("container") === "none" ? "pcm" : "wav") : encoding;
    const format = audioFormatOf(name);
    if (format === undefined) throw new Refusal(400, `Unsupported encoding: ${encoding}`);
    const { words, directive } = questionFrom(model, [textAt(body, "text") ?? ""]);
    const pieces = () => format.encode(synthesize(words, { voice: model, speed: 1 }));
    return {
      directive,
      whole: () => ({}),
      headers: { "dg-char-count": String(words.length) },
      bytes: () => ({ contentType: format.contentType, pieces: pieces() }),
    };
  },
};

const knownParameters: ReadonlySet<string> = new Set([
  "model",
  "language",
  "detect_language",
  "smart_format",
  "punctuate",
  "utterances",
  "diarize",
  "keyterm",
]);

const transcripts: Endpoint = {
  method: "POST",
  path: /^\/v1\/listen$/,
  async open({ bytes, headers, query }) {
    for (const name of query.keys())
      if (!knownParameters.has(name)) throw new Refusal(400, `Unknown parameter: ${name}`);
    const model = query.get("model") ?? "nova-3";
    const seconds = await secondsOf(bytes, headers["content-type"] ?? "");
    if (seconds === undefined)
      throw new Refusal(400, "failed to process audio: corrupt or unsupported data", { code: "Bad Request" });
    return {
      whole: ({ text: script }) => {
        const transcript = transcriptFor(seconds, script);
        const words = transcript.words.map(({ text: word, start, end }) => ({
          word: word.toLowerCase(),
          start,
          end,
          confidence: 0.99,
          punctuated_word: word,
        }));
        const detected = query.get("detect_language") === "true" ? { detected_language: "en" } : {};
        return {
          metadata: {
            request_id: freshId(""),
            created: new Date(0).toISOString(),
            duration: seconds,
            channels: 1,
            models: [model],
          },
          results: {
            channels: [{ ...detected, alternatives: [{ transcript: transcript.text, confidence: 0.99, words }] }],
          },
        };
      },
    };
  },
};

function tokenOf({ headers }: VendorCall): string {
  return /^token (.+)$/i.exec(headerOf(headers, "authorization"))?.[1] ?? "";
}

export const deepgram: Vendor = createVendor({
  prefix: "/deepgram",
  endpoints: [speech, transcripts],
  authenticate(call) {
    const key = tokenOf(call);
    if (key === "" || isBadKey(key)) throw new Refusal(401, "Invalid credentials.", { code: "INVALID_AUTH" });
    return key;
  },
  renderError: ({ message, code }) => ({ err_code: code ?? "Bad Request", err_msg: message, request_id: freshId("") }),
});
