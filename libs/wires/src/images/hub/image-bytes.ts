import { Failure } from "@modelgate/contracts";
import { imageTypes, type ImageFile, type ImageType, type InputImage } from "./request.ts";

/** How an image file begins. */
const beginnings: readonly (readonly [type: ImageType, isOne: (bytes: Buffer) => boolean])[] = [
  ["image/png", (bytes) => bytes.toString("latin1", 0, 8) === "\x89PNG\r\n\x1a\n"],
  ["image/jpeg", (bytes) => bytes[0] === 0xff && bytes[1] === 0xd8 && bytes[2] === 0xff],
  ["image/webp", (bytes) => bytes.toString("latin1", 0, 4) === "RIFF" && bytes.toString("latin1", 8, 12) === "WEBP"],
  ["image/gif", (bytes) => /^GIF8[79]a/.test(bytes.toString("latin1", 0, 6))],
];
/** Enough Base64 for any of them. */
const beginningCharacters = 24;

/** What kind of image bytes are; undefined for none that is known. */
export function imageTypeOf(bytes: Buffer): ImageType | undefined {
  return beginnings.find(([, isOne]) => isOne(bytes))?.[0];
}

/** The same of Base64. */
export function imageTypeOfBase64(data: string): ImageType | undefined {
  return imageTypeOf(Buffer.from(data.slice(0, beginningCharacters), "base64"));
}

/** Bytes that must be an image. Throws Failure (400) naming `at`. */
export function imageFile(bytes: Buffer, at: string): ImageFile {
  const mediaType = imageTypeOf(bytes);
  if (mediaType === undefined) throw wrongImage(at, `an image (${imageTypes.join(", ")})`);
  return { mediaType, bytes };
}

/**
 * An image as JSON holds it: an address, a data URL, or Base64 alone. Throws Failure (400) naming `at` for what is none
 * of them, and for bytes that are no image.
 */
export function inputImage(value: unknown, at: string): InputImage {
  if (typeof value !== "string") throw wrongImage(at, "a string: a URL, a data URL or Base64");
  if (/^https?:\/\//i.test(value)) return { kind: "url", at, url: value };
  const data = /^data:/i.test(value) ? dataOf(value, at) : value;
  return { kind: "file", at, ...imageFile(decoded(data, at), at) };
}

/** An image as an address: its own, or one that holds its bytes. */
export function addressOf(image: InputImage): string {
  return image.kind === "url" ? image.url : `data:${image.mediaType};base64,${image.bytes.toString("base64")}`;
}

function dataOf(url: string, at: string): string {
  const comma = url.indexOf(",");
  const head = url.slice("data:".length, Math.max(0, comma));
  if (!/;\s*base64$/i.test(head)) throw wrongImage(at, "a data URL in Base64");
  if (!/^image\/[\w.+-]+/i.test(head)) throw wrongImage(at, "a data URL of an image");
  return url.slice(comma + 1);
}

function decoded(data: string, at: string): Buffer {
  const bytes = isBase64(data) ? Buffer.from(data, "base64") : undefined;
  if (bytes === undefined) throw wrongImage(at, "a URL, a data URL or Base64");
  return bytes;
}

/** Base64 of the usual alphabet, padded or not: the decoder itself would pass over anything. */
function isBase64(data: string): boolean {
  const unpadded = data.endsWith("==") ? data.slice(0, -2) : data.endsWith("=") ? data.slice(0, -1) : data;
  if (unpadded === "" || unpadded.length % 4 === 1) return false;
  if (unpadded.length !== data.length && data.length % 4 !== 0) return false;
  return !/[^A-Za-z0-9+/]/.test(unpadded);
}

function wrongImage(at: string, kind: string): Failure {
  return new Failure("invalid_value", `${at} must be ${kind}.`, { param: at });
}
