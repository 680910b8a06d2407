import { Failure, withoutUndefined } from "@modelgate/contracts";
import { Base64Text, decodeBase64, includesMatch, maxStepBytes } from "@modelgate/formats/json";
import { imageTypes, type ImageFile, type ImageRequest, type ImageType, type InputImage } from "./request.ts";

const imageSignatures: readonly (readonly [type: ImageType, isOfType: (bytes: Buffer) => boolean])[] = [
  ["image/png", (bytes) => bytes.toString("latin1", 0, 8) === "\x89PNG\r\n\x1a\n"],
  ["image/jpeg", (bytes) => bytes[0] === 0xff && bytes[1] === 0xd8 && bytes[2] === 0xff],
  ["image/webp", (bytes) => bytes.toString("latin1", 0, 4) === "RIFF" && bytes.toString("latin1", 8, 12) === "WEBP"],
  ["image/gif", (bytes) => /^GIF8[79]a/.test(bytes.toString("latin1", 0, 6))],
];
/** Number of Base64 characters that are enough to recognise an image type. */
const signatureCharacters = 24;

export function imageTypeOf(bytes: Buffer): ImageType | undefined {
  return imageSignatures.find(([, isOfType]) => isOfType(bytes))?.[0];
}

export function imageTypeOfBase64(data: string): ImageType | undefined {
  return imageTypeOf(Buffer.from(data.slice(0, signatureCharacters), "base64"));
}

/** Returns a file with its detected media type. Throws Failure (400) if the bytes are not a supported image. */
export function imageFile(bytes: Buffer, path: string): ImageFile {
  const mediaType = imageTypeOf(bytes);
  if (mediaType === undefined) throw invalidImage(path, allowedTypesText);
  return { mediaType, bytes };
}

/** Reads an image: a URL, a data URL, or Base64. Throws Failure (400). */
export function parseInputImage(value: unknown, path: string): InputImage {
  if (typeof value !== "string") throw invalidImage(path, "a string: a URL, a data URL or Base64");
  if (/^https?:\/\//i.test(value)) return { kind: "url", at: path, url: value };
  return encodedImage(/^data:/i.test(value) ? dataUrlContent(value, path) : value, path);
}

/** Reads an image in Base64. Large images are decoded later, by `decodeImages`. */
export function encodedImage(data: string, path: string): InputImage {
  if (data.length <= maxStepBytes) {
    if (!isBase64(data)) throw invalidImage(path, allowedEncodingsText);
    return { kind: "file", at: path, ...imageFile(Buffer.from(data, "base64"), path) };
  }
  if (imageTypeOfBase64(data) === undefined) throw invalidImage(path, allowedTypesText);
  return { kind: "encoded", at: path, data };
}

/** Decodes all images of a request in short steps. Throws Failure (400) if they are not Base64. */
export function* decodeImages(request: ImageRequest): Generator<undefined, ImageRequest> {
  const { images, mask } = request;
  const files: InputImage[] = [];
  for (const image of images) files.push(yield* decodeImage(image));
  return withoutUndefined({
    ...request,
    images: files,
    mask: mask === undefined ? undefined : yield* decodeImage(mask),
  });
}

function* decodeImage(image: InputImage): Generator<undefined, InputImage> {
  if (image.kind !== "encoded") return image;
  const { data, at: path } = image;
  const last = data.length - (data.length % maxStepBytes || maxStepBytes);
  if ((yield* includesMatch(data, notBase64, last)) || !isBase64(data.slice(last)))
    throw invalidImage(path, allowedEncodingsText);
  return { kind: "file", at: path, ...imageFile(yield* decodeBase64(data), path) };
}

export function imageUrl(image: InputImage): string | Base64Text {
  if (image.kind === "url") return image.url;
  const { mediaType, bytes } = requireImageBytes(image);
  return new Base64Text(`data:${mediaType};base64,`, bytes);
}

/** Returns an image with its bytes. Throws Error for a URL, or for Base64 that is not decoded yet. */
export function requireImageBytes(image: InputImage): ImageFile {
  if (image.kind !== "file") throw new Error(`the bytes of an image are needed, but its kind is ${image.kind}`);
  return image;
}

function dataUrlContent(url: string, path: string): string {
  const comma = url.indexOf(",");
  const head = url.slice("data:".length, Math.max(0, comma));
  if (!/;\s*base64$/i.test(head)) throw invalidImage(path, "a data URL in Base64");
  if (!/^image\/[\w.+-]+/i.test(head)) throw invalidImage(path, "a data URL of an image");
  return url.slice(comma + 1);
}

/** Checks Base64 strictly, because the decoder would skip other characters. */
function isBase64(data: string): boolean {
  const unpadded = data.endsWith("==") ? data.slice(0, -2) : data.endsWith("=") ? data.slice(0, -1) : data;
  if (unpadded === "" || unpadded.length % 4 === 1) return false;
  if (unpadded.length !== data.length && data.length % 4 !== 0) return false;
  return !notBase64.test(unpadded);
}

const allowedTypesText = `an image (${imageTypes.join(", ")})`;
const allowedEncodingsText = "a URL, a data URL or Base64";
const notBase64 = /[^A-Za-z0-9+/]/;

function invalidImage(path: string, kind: string): Failure {
  return new Failure("invalid_value", `${path} must be ${kind}.`, { param: path });
}
