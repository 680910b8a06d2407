import { Failure, type UpstreamWire } from "@modelgate/contracts";
import { lastRemembered, tellLosses, type CarriedAnswer, type Exchange } from "@modelgate/relay";
import {
  arrayFraming,
  imageFile,
  imagesVendors,
  imageTypeOf,
  parseRecord,
  sseFraming,
  textCodecs,
  unitsOfImages,
  type AnswerContext,
  type ImageRequest,
  type ImagesAnswer,
  type JsonObject,
  type TextAnswer,
  type TextRequest,
} from "@modelgate/wires";

/** The wires of images that answer at once: what generated content can be drawn through. */
const drawingWires = ["images", "image-edits", "qwen-images"] as const;
type DrawingWire = (typeof drawingWires)[number];

/** A request of generated content that a model of images is to answer. */
export interface Drawing {
  readonly body: Buffer;
  readonly model: string;
  readonly stream: boolean;
  readonly asArray: boolean;
  readonly strict: boolean;
  readonly answerId: string;
}

/** A drawing that was read: what was said, and the image that it asks for. */
export interface ReadDrawing extends Drawing {
  readonly request: TextRequest;
  readonly asked: ImageRequest;
  /** A picture in the request makes it an edit. */
  readonly wires: readonly DrawingWire[];
}

/** Reads a drawing once, for all attempts. Throws Failure (400) naming the field. */
export function readDrawing(drawing: Drawing): ReadDrawing {
  const { body, model, stream } = drawing;
  const value: JsonObject = JSON.parse(body.toString());
  const { request } = textCodecs.content.parseRequest(value, { model, stream });
  const asked = imageRequest(request);
  return { ...drawing, request, asked, wires: [asked.images.length > 0 ? "image-edits" : "images", "qwen-images"] };
}

/** The exchange with a vendor of images: words become its prompt, its images inline data. */
export function drawnContent(drawing: ReadDrawing, wire: UpstreamWire, upstreamModel: string): Exchange {
  const { asked, request } = drawing;
  const vendor = imagesVendors[drawingWire(wire)];
  const asker = { spelling: {}, strict: drawing.strict };
  const { body: sent, dropped } = tellLosses(asker, lostOf(request), () => {
    const rendered = vendor.renderRequest(asked, { model: upstreamModel });
    return { body: rendered, dropped: rendered.dropped };
  });
  const answerIn = lastRemembered((bytes): ImagesAnswer => {
    const parsed = vendor.parseAnswer(parseRecord(bytes.toString()) ?? {});
    if ("task" in parsed) throw new Failure("upstream_error", "The vendor began a task instead of answering.");
    return parsed;
  });
  return {
    wire,
    body: sent.body,
    headers: { "content-type": sent.contentType },
    dropped,
    asksStream: false,
    formOf: () => "whole",
    refuses: () => false,
    usageOf(bytes) {
      try {
        return unitsOfImages(answerIn(bytes));
      } catch {
        return undefined;
      }
    },
    whole: (bytes) => tell(drawing, answerIn(bytes)),
    stream() {
      throw new Error("a drawing is never streamed by its vendor");
    },
  };
}

function drawingWire(wire: UpstreamWire): DrawingWire {
  const found = drawingWires.find((known) => known === wire);
  if (found === undefined) throw new Error(`${wire} draws nothing`);
  return found;
}

function imageRequest(request: TextRequest): ImageRequest {
  const parts = [...request.instructions, ...request.turns.flatMap((turn) => turn.parts)];
  const prompt = parts.flatMap((part) => (part.kind === "text" ? [part.text] : [])).join("\n\n");
  if (prompt.trim() === "")
    throw new Failure("missing_required_parameter", "The contents hold no words to draw.", { param: "contents" });
  return {
    dialect: "images",
    model: request.model,
    prompt,
    images: imagesIn(request),
    count: request.choices,
    size: sizeOf(request.image?.aspectRatio),
    responseFormat: "b64_json",
    stream: false,
  };
}

function imagesIn({ turns }: TextRequest): ImageRequest["images"] {
  return turns
    .flatMap(({ parts }) => parts)
    .flatMap((part) => (part.kind === "image" ? [part.source] : []))
    .map((source, index) => {
      const at = `contents image ${index + 1}`;
      if (source.kind === "base64") return { kind: "file", at, ...imageFile(Buffer.from(source.data, "base64"), at) };
      if (source.kind === "url") return { kind: "url", at, url: source.url };
      throw new Failure("unsupported_parameter", "The vendor of this model cannot take fileData.", {
        param: "contents",
      });
    });
}

/** The shapes that vendors of images have: square, wide and tall. */
function sizeOf(aspectRatio: string | undefined): ImageRequest["size"] {
  const [width = 0, height = 0] = (aspectRatio ?? "").split(":").map(Number);
  if (!(width > 0 && height > 0)) return undefined;
  if (width === height) return { width: 1_024, height: 1_024 };
  return width > height ? { width: 1_536, height: 1_024 } : { width: 1_024, height: 1_536 };
}

/** A class of resolution has no word in these wires. */
function lostOf({ image }: TextRequest): readonly string[] {
  return image?.size === undefined ? [] : ["generationConfig.imageConfig.imageSize"];
}

function tell(drawing: ReadDrawing, made: ImagesAnswer): CarriedAnswer {
  const context: AnswerContext = {
    model: drawing.model,
    asked: {},
    request: drawing.request,
    answerId: drawing.answerId,
    now: Math.floor(Date.now() / 1_000),
    inputTokens: 0,
  };
  const json = JSON.stringify(textCodecs.content.renderAnswer(answerOf(made), context));
  const carried = { usage: unitsOfImages(made), words: () => "" };
  if (!drawing.stream) return { ...carried, json: Buffer.from(json) };
  const framing = drawing.asArray ? arrayFraming() : sseFraming();
  return { ...carried, json: Buffer.from(framing.piece(json) + framing.end()), contentType: framing.contentType };
}

function answerOf({ created = 0, images, tokens }: ImagesAnswer): TextAnswer {
  const parts = images.map((image) => {
    if ("url" in image) return { kind: "image", source: { kind: "url", url: image.url } } as const;
    const mediaType = imageTypeOf(Buffer.from(image.base64.slice(0, 64), "base64")) ?? "image/png";
    return { kind: "image", source: { kind: "base64", mediaType, data: image.base64 } } as const;
  });
  const usage = tokens === undefined ? {} : { usage: tokens };
  return { id: "", model: "", createdAt: created, choices: [{ parts, finish: "stop" }], ...usage };
}
