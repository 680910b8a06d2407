import type { SessionWire } from "@modelgate/contracts";
import { type ImageRequest, type InputImage, wires as imageWires } from "@modelgate/wires/images";
import { type ModerationRequest, wires as moderationWires } from "@modelgate/wires/moderation";
import { type RankingRequest, wires as rankingWires } from "@modelgate/wires/ranking";
import { type SpeechRequest, wires as speechWires } from "@modelgate/wires/speech";
import { type TranscriptsRequest, wires as transcriptWires } from "@modelgate/wires/transcripts";
import { type VectorsRequest, wires as vectorWires } from "@modelgate/wires/vectors";
import { type VideoImage, type VideoRequest, wires as videoWires } from "@modelgate/wires/video";
import { type FieldExamples, tableOf } from "./kind-table.ts";

/** Returns a table for each kind other than text: its fields, and how each vendor's wire sends them. */
export function kindFieldsTables(): string {
  return [
    "## Fields of other kinds",
    "",
    "These tables show how each field is sent on a vendor's wire. A field has the name that the most common clients use. The words mean:",
    "",
    "- sent: the vendor gets the field, converted to the values of its wire",
    "- in part: the vendor gets the part of the field that its wire can express, and the rest is dropped",
    "- gateway: modelgate applies the field to the vendor's answer, so nothing is lost",
    "- **dropped** and **refused**: the same as in the first table of this page",
    "",
    "A field that is in no table is sent if the vendor uses the client's wire, and dropped otherwise.",
    "",
    embeddings(),
    rerank(),
    images(),
    speech(),
    transcripts(),
    videos(),
    moderation(),
    ...realtime(),
  ].join("\n");
}

function embeddings(): string {
  const content = { kind: "text", text: "text" } as const;
  return tableOf<VectorsRequest>({
    title: "Embeddings",
    wires: vectorWires,
    base: { model: "m", inputs: [{ content }] },
    fields: {
      inputs: {
        "input of tokens": { inputs: [{ content: { kind: "tokens", tokens: [1] } }] },
        "input_type: query": { inputs: [{ content, task: "query" }] },
        "input_type: similarity": { inputs: [{ content, task: "similarity" }] },
        title: { inputs: [{ content, title: "t" }] },
      },
      dimensions: { dimensions: { dimensions: 256 } },
      encoding: { encoding_format: { encoding: "base64" } },
      user: { user: { user: "u" } },
    } satisfies FieldExamples<VectorsRequest, "model" | "additional">,
  });
}

function rerank(): string {
  return tableOf<RankingRequest>({
    title: "Rerank",
    wires: rankingWires,
    base: { model: "m", query: "q", documents: [{ text: "a", title: "t" }], returnDocuments: false },
    fields: {
      top: { top_n: { top: 1 } },
      returnDocuments: { return_documents: { returnDocuments: true } },
      rankFields: { rank_fields: { rankFields: ["title"] } },
      maxChunksPerDocument: { max_chunks_per_doc: { maxChunksPerDocument: 2 } },
      maxTokensPerDocument: { max_tokens_per_doc: { maxTokensPerDocument: 100 } },
    } satisfies FieldExamples<RankingRequest, "model" | "query" | "documents" | "additional">,
  });
}

function images(): string {
  const image: InputImage = { kind: "file", at: "image", mediaType: "image/png", bytes: Buffer.from("image") };
  return tableOf<ImageRequest>({
    title: "Images",
    wires: imageWires,
    base: { dialect: "images", model: "m", prompt: "p", images: [], stream: false },
    fields: {
      images: { image: { images: [image] } },
      mask: { mask: { images: [image], mask: image } },
      count: { n: { count: 2 } },
      size: { size: { size: { width: 1024, height: 1024 } } },
      quality: { quality: { quality: "high" } },
      style: { style: { style: "vivid" } },
      background: { background: { background: "opaque" } },
      moderation: { moderation: { moderation: "low" } },
      inputFidelity: { input_fidelity: { inputFidelity: "high" } },
      outputFormat: { output_format: { outputFormat: "png" } },
      outputCompression: { output_compression: { outputFormat: "jpeg", outputCompression: 50 } },
      negativePrompt: { negative_prompt: { negativePrompt: "n" } },
      promptExtend: { prompt_extend: { promptExtend: true } },
      watermark: { watermark: { watermark: true } },
      seed: { seed: { seed: 1 } },
      user: { user: { user: "u" } },
      responseFormat: { response_format: { responseFormat: "b64_json" } },
      stream: { stream: { stream: true } },
      partialImages: { partial_images: { stream: true, partialImages: 2 } },
    } satisfies FieldExamples<ImageRequest, "dialect" | "model" | "prompt" | "additional">,
  });
}

function speech(): string {
  return tableOf<SpeechRequest>({
    title: "Speech",
    note: "ElevenLabs gets a `speed` from 0.7 to 1.2, and Deepgram's Aura 2 from 0.7 to 1.5. Another speed is dropped.",
    wires: speechWires,
    // Deepgram accepts a voice only for models with this name.
    base: { model: "aura-2", input: "text", voice: "v", format: "pcm", events: false },
    fields: {
      voice: { voice: { voice: "other" } },
      instructions: { instructions: { instructions: "slowly" } },
      format: {
        "response_format: mp3": { format: "mp3" },
        "response_format: opus": { format: "opus" },
        "response_format: aac": { format: "aac" },
        "response_format: flac": { format: "flac" },
        "response_format: wav": { format: "wav" },
        "response_format: pcm": { format: "pcm" },
      },
      speed: { speed: { speed: 1.1 } },
      events: { "stream_format: sse": { events: true } },
    } satisfies FieldExamples<SpeechRequest, "model" | "input" | "isDefaultFormat" | "additional">,
  });
}

function transcripts(): string {
  return tableOf<TranscriptsRequest>({
    title: "Transcripts",
    note: "Clients of translations cannot request a stream, or `diarized_json`.",
    wires: transcriptWires,
    base: { wire: "transcriptions", model: "m", format: "json", granularities: [], stream: false, additional: [] },
    fields: {
      language: { language: { language: "de" } },
      prompt: { prompt: { prompt: "p" } },
      format: {
        "response_format: json": { format: "json" },
        "response_format: text": { format: "text" },
        "response_format: srt": { format: "srt" },
        "response_format: vtt": { format: "vtt" },
        "response_format: verbose_json": { format: "verbose_json" },
        "response_format: diarized_json": { format: "diarized_json" },
      },
      temperature: { temperature: { temperature: 1 } },
      granularities: { timestamp_granularities: { format: "verbose_json", granularities: ["word"] } },
      stream: { stream: { stream: true } },
    } satisfies FieldExamples<TranscriptsRequest, "wire" | "model" | "additional">,
  });
}

function videos(): string {
  const firstFrame: VideoImage = { kind: "data", mediaType: "image/png", data: "aW1hZ2U=" };
  const size = { width: 1280, height: 720 };
  return tableOf<VideoRequest>({
    title: "Videos",
    wires: videoWires,
    base: { model: "m", prompt: "p" },
    fields: {
      negativePrompt: { negative_prompt: { negativePrompt: "n" } },
      firstFrame: { "image (first frame)": { firstFrame } },
      lastFrame: { "image_tail (last frame)": { firstFrame, lastFrame: firstFrame } },
      seconds: {
        "seconds: 4": { seconds: 4 },
        "seconds: 5": { seconds: 5 },
        "seconds: 8": { seconds: 8 },
        "seconds: 10": { seconds: 10 },
        "seconds: 20": { seconds: 20 },
      },
      size: { size: { size }, "size with a first frame": { firstFrame, size } },
      aspectRatio: {
        aspect_ratio: { aspectRatio: "16:9" },
        "aspect_ratio with a first frame": { firstFrame, aspectRatio: "16:9" },
      },
      // Many vendors always make 24 frames per second.
      fps: { "fps other than 24": { fps: 30 } },
      seed: { seed: { seed: 1 } },
      extras: {
        metadata: {
          extras: { watermark: true, cfg_scale: 0.5, personGeneration: "allow_adult" },
        },
      },
    } satisfies FieldExamples<VideoRequest, "model" | "prompt" | "additional">,
  });
}

function moderation(): string {
  return tableOf<ModerationRequest>({
    title: "Moderation",
    note: "A chat model that serves moderations gets the texts and images in its prompt.",
    wires: moderationWires,
    base: { model: "m", items: [{ parts: [{ kind: "text", text: "text" }] }] },
    fields: {
      items: {
        "input of several texts": {
          items: [{ parts: [{ kind: "text", text: "a" }] }, { parts: [{ kind: "text", text: "b" }] }],
        },
        "input of images": { items: [{ parts: [{ kind: "image", url: "https://images.example/1.png" }] }] },
      },
    } satisfies FieldExamples<ModerationRequest, "model" | "additional">,
  });
}

/** Sentences on the wires of sessions, which have no request to render. */
const sessions = {
  realtime:
    "gets every setting of the realtime format. `thinkingConfig` and other settings that only Gemini's models have are dropped, and " +
    "`dropped` of `setupComplete` names them.",
  "gemini-live":
    "cannot express all settings of the realtime format. Forced tools, tools other than functions, audio formats other than PCM, settings " +
    "of a single response, `create_response: false` and the deletion of items are refused. OpenAI's voices, the speed, noise reduction and " +
    "the model for transcription are dropped, and `dropped` of each `session.updated` names them.",
  "gpt-live":
    "serves only clients of GPT-Live. Stored sessions, and work that is delegated to other models of the vendor, are refused " +
    "([OpenAI](../vendors/openai.md#gpt-live)).",
} as const satisfies Record<SessionWire, string>;

function realtime(): readonly string[] {
  return [
    "## Realtime",
    "",
    ...Object.entries(sessions).map(([wire, text]) => `- A vendor of \`${wire}\` ${text}`),
    "",
  ];
}
