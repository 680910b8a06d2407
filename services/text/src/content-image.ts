import { Failure } from "@modelgate/contracts";
import { inTurnsIfLong } from "@modelgate/platform";
import { reparseJson } from "@modelgate/relay";
import type { ImagesRequest } from "@modelgate/relay/images";
import {
  decodeImages,
  encodedImage,
  imageTypeOfBase64,
  type ImageRequest,
  type ImagesAnswer,
} from "@modelgate/wires/images";
import {
  arrayFraming,
  sseFraming,
  wires,
  type AnswerContext,
  type TextAnswer,
  type TextRequest,
} from "@modelgate/wires/text";

/** A request of the Gemini wire (`generateContent`) that an image model answers. */
export interface ContentImageParams {
  readonly body: Buffer;
  readonly model: string;
  readonly stream: boolean;
  readonly asArray: boolean;
  readonly answerId: string;
  /** Size of the images as the request names it, for example 4K. */
  readonly imageSize?: string | undefined;
}

/** A parsed image request, and the function that renders the images as an answer of the Gemini wire. */
export type ParsedContentImage = Pick<ImagesRequest, "parsed" | "render">;

/** Names that the Gemini wire has for the fields that image vendors may not support. */
export const contentImageSpelling = {
  images: "contents",
  count: "generationConfig.candidateCount",
  size: "generationConfig.imageConfig.aspectRatio",
} as const;

/** Parses a request of the Gemini wire as an image request. Throws Failure (400) that names the invalid field. */
export async function parseContentImage(params: ContentImageParams): Promise<ParsedContentImage> {
  const { body, model, stream } = params;
  const { request, dropped } = wires.content.client.read(await reparseJson(body), { model, stream });
  return {
    parsed: {
      request: await inTurnsIfLong(decodeImages(toImageRequest(request))),
      dropped: [...dropped, ...droppedFields(request)],
    },
    render: (answer) => renderImages(params, request, answer),
  };
}

function toImageRequest(request: TextRequest): ImageRequest {
  const parts = [...request.instructions, ...request.turns.flatMap((turn) => turn.parts)];
  const prompt = parts.flatMap((part) => (part.kind === "text" ? [part.text] : [])).join("\n\n");
  if (prompt.trim() === "")
    throw new Failure("missing_required_parameter", "The contents have no text to draw from.", { param: "contents" });
  return {
    dialect: "images",
    model: request.model,
    prompt,
    images: imagesIn(request),
    count: request.choices,
    size: sizeOf(request.image?.aspectRatio),
    // Clients of the Gemini wire expect the bytes of the images in the answer.
    responseFormat: "b64_json",
    stream: false,
  };
}
function imagesIn({ turns }: TextRequest): ImageRequest["images"] {
  return turns
    .flatMap(({ parts }) => parts)
    .flatMap((part) => (part.kind === "image" ? [part.source] : []))
    .map((source, index) => {
      const path = `contents image ${index + 1}`;
      if (source.kind === "base64") return encodedImage(source.data, path);
      if (source.kind === "url") return { kind: "url", at: path, url: source.url };
      throw new Failure("unsupported_parameter", "The vendor of this model does not support fileData.", {
        param: "contents",
      });
    });
}

/** Returns an image size for an aspect ratio: square, wide or tall. All image vendors support these sizes. */
function sizeOf(aspectRatio: string | undefined): ImageRequest["size"] {
  const [width = 0, height = 0] = (aspectRatio ?? "").split(":").map(Number);
  if (!(width > 0 && height > 0)) return undefined;
  if (width === height) return { width: 1_024, height: 1_024 };
  return width > height ? { width: 1_536, height: 1_024 } : { width: 1_024, height: 1_536 };
}

/** Fields of a text request that an image request can express, or that do not affect images. */
const supportedFields: ReadonlySet<string> = new Set([
  "model",
  "stream",
  "instructions",
  "turns",
  "choices",
  "image",
  "modalities",
]);
/** Fields that cannot be dropped, because the client would receive an answer of another kind. */
const requiredFields = ["tools", "format"] as const;

/** Lists the fields that image vendors cannot express. Throws Failure unsupported_parameter for a required field. */
function droppedFields(request: TextRequest): readonly string[] {
  const { spelling } = wires.content.client;
  const refused = requiredFields.map((field) => (request[field] === undefined ? undefined : spelling[field]));
  const param = refused.find((name) => name !== undefined);
  if (param !== undefined)
    throw new Failure("unsupported_parameter", `The vendor of this model does not support ${param}.`, { param });
  const names: Readonly<Record<string, string | undefined>> = spelling;
  const unsupported = Object.entries(request).flatMap(([name, value]) =>
    value === undefined || supportedFields.has(name) ? [] : (names[name] ?? []),
  );
  return request.image?.size === undefined ? unsupported : [...unsupported, "generationConfig.imageConfig.imageSize"];
}

function renderImages(
  params: ContentImageParams,
  request: TextRequest,
  answer: ImagesAnswer,
): ReturnType<ParsedContentImage["render"]> {
  const context: AnswerContext = {
    model: params.model,
    requestBody: {},
    request,
    answerId: params.answerId,
    now: Math.floor(Date.now() / 1_000),
    inputTokens: 0,
  };
  const json = JSON.stringify(wires.content.client.render(answerOf(answer), context));
  if (!params.stream) return { body: Buffer.from(json) };
  const framing = params.asArray ? arrayFraming() : sseFraming();
  return { body: Buffer.from(framing.piece(json) + framing.end()), contentType: framing.contentType };
}

function answerOf({ created = 0, images, tokens }: ImagesAnswer): TextAnswer {
  const parts = images.map((image) => {
    if ("url" in image) return { kind: "image", source: { kind: "url", url: image.url } } as const;
    const mediaType = imageTypeOfBase64(image.base64) ?? "image/png";
    return { kind: "image", source: { kind: "base64", mediaType, data: image.base64 } } as const;
  });
  const usage = tokens === undefined ? {} : { usage: tokens };
  return { id: "", model: "", createdAt: created, choices: [{ parts, finish: "stop" }], ...usage };
}
