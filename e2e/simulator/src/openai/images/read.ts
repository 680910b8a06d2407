import { memberOf, numberAt, textAt } from "../../checks/members.ts";
import { requireShape, Refusal, wrongField } from "../../checks/refusal.ts";
import { Shapes } from "../../checks/notation.ts";
import type { Form } from "../../core/form.ts";
import { questionFrom, type Question } from "../../core/question.ts";
import type { PictureFormat, PictureSize } from "../../pictures/picture.ts";

/** Parsed request to an image model. */
export interface ImagesRequest {
  readonly question: Question;
  readonly size: PictureSize;
  readonly count: number;
  readonly format: PictureFormat;
  /** True if the answer has addresses instead of bytes. */
  readonly asUrls: boolean;
  readonly stream: boolean;
  readonly partials: number;
  readonly background: string;
  readonly quality: string;
  /** Number of images in the request. */
  readonly images: number;
}

/** Models that always answer with Base64 and accept the newer parameters. */
const gptImageModel = /^(?:chat)?gpt-image/;
const dallEModel = /^dall-e/;

const shapes = new Shapes(String.raw`
  Common = {
    prompt: filled, model?: filled, n?: integer(1, 10),
    size?: /^(?:\d{1,4}x\d{1,4}|auto)$/ "a size such as 1024x1024",
    quality?: "auto" | "low" | "medium" | "high" | "standard" | "hd", user?: string
  };
  Older = { style?: "vivid" | "natural", response_format?: "url" | "b64_json" };
  Newer = {
    background?: "transparent" | "opaque" | "auto", moderation?: "low" | "auto", output_format?: "png" | "jpeg" | "webp",
    output_compression?: integer(0, 100), stream?: boolean, partial_images?: integer(0, 3)
  };
  Edit = { input_fidelity?: "low" | "high" };
  native = nullable<{ ...Common, ...Newer }>;
  nativeEdit = nullable<{ ...native, ...Edit }>;
  classic = nullable<{ ...Common, ...Older }>;
  classicEdit = nullable<{ ...classic, ...Edit }>;
  // Compatible vendors accept more fields.
  other = nullable<{
    ...Common, ...Older, ...Newer, seed?: integer(-1), watermark?: boolean, prompt_extend?: boolean,
    negative_prompt?: string, image?: string | string[1..]
  }>;
  otherEdit = nullable<{ ...other, ...Edit }>;
`);

function shapeFor(model: string, act: "" | "Edit" = "") {
  return shapes.of(`${gptImageModel.test(model) ? "native" : dallEModel.test(model) ? "classic" : "other"}${act}`);
}

/** Reads a request to generate images. Throws a Refusal if it is invalid. */
export function readGeneration(body: unknown): ImagesRequest {
  const model = textAt(body, "model") ?? "dall-e-2";
  requireShape(body, shapeFor(model));
  const image = memberOf(body, "image");
  return parseRequest(body, model, image === undefined ? 0 : Array.isArray(image) ? image.length : 1);
}

const pictureField = /^image(?:\[\])?$/;
const numericFields: ReadonlySet<string> = new Set(["n", "output_compression", "partial_images", "seed"]);
const booleanFields: ReadonlySet<string> = new Set(["stream", "watermark", "prompt_extend"]);

/** Reads a form to edit images. Throws a Refusal if it is invalid. */
export function readEdit(form: Form | undefined): ImagesRequest {
  if (form === undefined) throw new Refusal(400, "The body must be multipart/form-data.");
  const body = Object.fromEntries(form.fields.map(([name, value]) => [name, parseField(name, value)]));
  const model = textAt(body, "model") ?? "dall-e-2";
  requireShape(body, shapeFor(model, "Edit"));
  const images = form.files.filter(({ name }) => pictureField.test(name));
  if (images.length === 0) throw new Refusal(400, "An image is required.", { problem: "missing", path: ["image"] });
  for (const { name, bytes } of form.files) {
    if (name !== "mask" && !pictureField.test(name))
      throw new Refusal(400, `There is no parameter '${name}'.`, { problem: "unknown", path: [name] });
    if (!isPicture(bytes)) throw wrongField([name], "The image is not a PNG, JPEG or WebP.", "invalid_image_file");
  }
  return parseRequest(body, model, images.length);
}

function parseField(name: string, value: string): unknown {
  if (numericFields.has(name)) return Number(value);
  return booleanFields.has(name) ? value === "true" : value;
}

function isPicture(bytes: Buffer): boolean {
  const head = bytes.toString("latin1", 0, 12);
  return head.startsWith("\x89PNG") || head.startsWith("\xff\xd8\xff") || /^RIFF....WEBP/s.test(head);
}

function parseRequest(body: unknown, model: string, images: number): ImagesRequest {
  const [, width = 1_024, height = 1_024] = /^(\d+)x(\d+)$/.exec(textAt(body, "size") ?? "")?.map(Number) ?? [];
  return {
    question: questionFrom(model, [textAt(body, "prompt") ?? ""]),
    size: { width, height },
    count: numberAt(body, "n") ?? 1,
    format: formatOf(textAt(body, "output_format")),
    asUrls: !gptImageModel.test(model) && textAt(body, "response_format") !== "b64_json",
    stream: memberOf(body, "stream") === true,
    partials: numberAt(body, "partial_images") ?? 0,
    background: textAt(body, "background") ?? "opaque",
    quality: textAt(body, "quality") ?? "medium",
    images,
  };
}

function formatOf(word: string | undefined): PictureFormat {
  return word === "jpeg" || word === "webp" ? word : "png";
}
