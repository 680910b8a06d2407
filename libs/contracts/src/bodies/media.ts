import { Type } from "typebox";

const model = Type.String({ minLength: 1, description: "a model name from `GET /v1/models`" });
const optionalText = Type.Optional(Type.String());
const positiveInteger = Type.Optional(Type.Integer({ minimum: 1 }));
const file = (description: string) => Type.Unsafe<string>({ type: "string", format: "binary", description });

const optionalBoolean = Type.Optional(Type.Boolean());
const optionalEnum = (...values: readonly string[]) => Type.Optional(Type.Enum([...values]));
const imageValue = (description: string) =>
  Type.Optional(
    Type.Unknown({ description: `${description}, as a URL, a data URL or Base64. In a form, images are files` }),
  );

/** Body of image requests, in OpenAI's format or in Qwen's (`input`, `parameters`). In a form, numbers are text. */
export const ImageRequest = Type.Object(
  {
    model,
    prompt: Type.Optional(Type.String({ maxLength: 32_000 })),
    size: Type.Optional(Type.String({ description: "<width>x<height>, or auto" })),
    n: Type.Optional(Type.Integer({ minimum: 1, maximum: 10 })),
    image: imageValue("the image or images to edit"),
    mask: imageValue("mask, whose opaque areas are left unchanged"),
    quality: optionalText,
    style: optionalText,
    background: optionalEnum("transparent", "opaque", "auto"),
    moderation: optionalText,
    input_fidelity: optionalText,
    output_format: optionalEnum("png", "jpeg", "webp"),
    output_compression: Type.Optional(Type.Integer({ minimum: 0, maximum: 100 })),
    response_format: optionalEnum("url", "b64_json"),
    stream: optionalBoolean,
    partial_images: Type.Optional(Type.Integer({ minimum: 0, maximum: 3 })),
    negative_prompt: optionalText,
    prompt_extend: optionalBoolean,
    watermark: optionalBoolean,
    seed: Type.Optional(Type.Integer()),
    user: optionalText,
    input: Type.Optional(
      Type.Object({
        messages: Type.Array(
          Type.Object({
            role: Type.String(),
            content: Type.Array(Type.Object({ text: optionalText, image: imageValue("the image to edit") })),
          }),
          { minItems: 1, maxItems: 1 },
        ),
      }),
    ),
    parameters: Type.Optional(
      Type.Object({
        negative_prompt: optionalText,
        prompt_extend: optionalBoolean,
        watermark: optionalBoolean,
        seed: Type.Optional(Type.Integer()),
        size: Type.Optional(Type.String({ description: "<width>*<height>" })),
        n: Type.Optional(Type.Integer({ minimum: 1, maximum: 10 })),
      }),
    ),
  },
  { $id: "ImageRequest" },
);

const textFormats = ["json", "text", "srt", "verbose_json", "vtt"] as const;
const optionalFormats = (names: readonly string[]) =>
  Type.Optional(Type.Union(names.map((name) => Type.Literal(name))));

const optionalTexts = (description: string) => Type.Optional(Type.Array(Type.String(), { description }));

export const TranscriptionForm = Type.Object(
  {
    file: file("audio file"),
    model,
    language: Type.Optional(Type.String({ description: "ISO-639-1" })),
    prompt: optionalText,
    response_format: optionalFormats([...textFormats, "diarized_json"]),
    temperature: Type.Optional(Type.Number({ minimum: 0, maximum: 1 })),
    timestamp_granularities: Type.Optional(
      Type.Array(Type.Union([Type.Literal("word"), Type.Literal("segment")]), {
        description: "only with verbose_json. Another name is timestamp_granularities[]",
      }),
    ),
    stream: Type.Optional(
      Type.Boolean({
        description: "if true, the answer is a stream of server-sent events. Only with json, text or diarized_json",
      }),
    ),
    include: optionalTexts("logprobs. Another name is include[]"),
    chunking_strategy: Type.Optional(Type.Unknown({ description: "auto, or an object with the type server_vad" })),
    known_speaker_names: optionalTexts("only with diarized_json. Another name is known_speaker_names[]"),
    known_speaker_references: optionalTexts("data URLs. Another name is known_speaker_references[]"),
    keywords: optionalTexts("words that the recording may contain. Another name is keywords[]"),
    languages: optionalTexts("ISO-639-1. Another name is languages[]"),
  },
  { $id: "TranscriptionForm" },
);

export const TranslationForm = Type.Object(
  {
    file: file("audio file"),
    model,
    prompt: optionalText,
    response_format: optionalFormats(textFormats),
    temperature: Type.Optional(Type.Number({ minimum: 0, maximum: 1 })),
  },
  { $id: "TranslationForm" },
);

export const SpeechRequest = Type.Object(
  {
    model,
    input: Type.String({ minLength: 1 }),
    voice: Type.Optional(Type.Unknown({ description: "the vendor's name of a voice, or {id}" })),
    instructions: optionalText,
    response_format: Type.Optional(
      Type.Union([
        Type.Literal("mp3"),
        Type.Literal("opus"),
        Type.Literal("aac"),
        Type.Literal("flac"),
        Type.Literal("wav"),
        Type.Literal("pcm"),
      ]),
    ),
    speed: Type.Optional(Type.Number({ minimum: 0.25, maximum: 4 })),
    stream_format: Type.Optional(Type.Union([Type.Literal("audio"), Type.Literal("sse")])),
  },
  { $id: "SpeechRequest" },
);

const callbackUrl = Type.Optional(
  Type.String({
    description: "public http or https address that gets each change of the task as a signed POST request",
  }),
);

export const VideoForm = Type.Object(
  {
    model,
    prompt: Type.String(),
    seconds: Type.Optional(Type.Union([Type.String({ description: "a whole number" }), Type.Integer({ minimum: 1 })])),
    size: Type.Optional(Type.String({ description: "<width>x<height>" })),
    input_reference: Type.Optional(
      Type.Union([
        file("reference image"),
        Type.Object(
          { image_url: optionalText, file_id: optionalText },
          { description: "in JSON, an address, a data URL or a file" },
        ),
      ]),
    ),
    callback_url: callbackUrl,
  },
  { $id: "VideoForm" },
);

export const VideoRemixRequest = Type.Object({ prompt: Type.String({ minLength: 1 }) }, { $id: "VideoRemixRequest" });

/** Body that creates a video task, with members of several vendors. */
export const VideoRequest = Type.Object(
  {
    model: Type.Optional(model),
    model_name: Type.Optional(model),
    prompt: optionalText,
    negative_prompt: optionalText,
    image: Type.Optional(Type.String({ description: "a URL, a data URL or Base64" })),
    image_tail: Type.Optional(Type.String({ description: "last frame, in the same form as image" })),
    duration: Type.Optional(
      Type.Union([Type.Integer({ minimum: 1 }), Type.String()], { description: "length in seconds" }),
    ),
    width: positiveInteger,
    height: positiveInteger,
    aspect_ratio: Type.Optional(Type.String({ description: "<width>:<height>" })),
    fps: positiveInteger,
    seed: Type.Optional(Type.Integer()),
    n: Type.Optional(Type.Integer({ minimum: 1, maximum: 1 })),
    metadata: Type.Optional(Type.Record(Type.String(), Type.Unknown())),
    callback_url: callbackUrl,
  },
  { $id: "VideoRequest" },
);

/** Body of video tasks in the epsilon format (Jimeng): it creates a task, or fetches the result of `task_id`. */
export const EpsilonRequest = Type.Object(
  {
    req_key: Type.String(),
    prompt: optionalText,
    binary_data_base64: Type.Optional(Type.Array(Type.String())),
    image_urls: Type.Optional(Type.Array(Type.String())),
    seed: Type.Optional(Type.Integer()),
    frames: Type.Optional(Type.Integer({ minimum: 1, description: "number of frames: 24 per second, plus 1" })),
    aspect_ratio: Type.Optional(Type.String({ description: "<width>:<height>" })),
    task_id: Type.Optional(Type.String({ description: "task whose result is fetched" })),
    callback_url: callbackUrl,
  },
  { $id: "EpsilonRequest" },
);

/** Body of endpoints that are only declared and answer 501. */
export const EmptyObject = Type.Object({}, { $id: "EmptyObject" });
export const FileForm = Type.Object({ file: file("the file"), purpose: Type.String() }, { $id: "FileForm" });

/** Body of POST /v1/realtime/client_secrets. The vendor checks the other settings of the session. */
export const ClientSecretRequest = Type.Object(
  {
    expires_after: Type.Optional(
      Type.Object({
        anchor: Type.Optional(Type.Literal("created_at")),
        seconds: Type.Optional(Type.Integer({ minimum: 10, maximum: 7_200 })),
      }),
    ),
    session: Type.Object({ model, type: Type.Optional(Type.Literal("realtime")) }),
  },
  { $id: "ClientSecretRequest" },
);
